"""Tree searches by the book: nodes are objects, values are the first side's, formulas stand as the papers print them.

Only two things are shared with the kernels: the stream of random numbers and the order in which they are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reference.rules import Judge, Position

WORD = 2**64 - 1


class SplitMix:
    """The generator splitmix64, 64 or 32 bits at a time."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        word = self.state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        return word ^ (word >> 31)

    def bits(self) -> int:
        return self.word() >> 32

    def below(self, n: int) -> int:
        return (self.bits() * n) >> 32

    def unit(self) -> float:
        return self.bits() / 2**32


Playout = Callable[[Sequence[int], SplitMix], int]


def uniform(legal: Sequence[int], stream: SplitMix) -> int:
    return legal[stream.below(len(legal))]


def epsilon_greedy(epsilon: float, preferences: Sequence[float]) -> Playout:
    def pick(legal: Sequence[int], stream: SplitMix) -> int:
        if stream.unit() < epsilon:
            return uniform(legal, stream)
        best, ties = legal[0], 1
        for action in legal[1:]:
            if preferences[action] > preferences[best]:
                best, ties = action, 1
            elif preferences[action] == preferences[best]:
                ties += 1
                best = action if stream.below(ties) == 0 else best
        return best

    return pick


def softmax(temperature: float, preferences: Sequence[float]) -> Playout:
    """Draws a class of equal weight, of those in one word of actions, and then one of its legal members."""
    whole = [round(math.exp((it - max(preferences)) / temperature) * 2**54) for it in preferences]
    classes = sorted({(action >> 6, preferences[action]) for action in range(len(preferences))})

    def pick(legal: Sequence[int], stream: SplitMix) -> int:
        if len(legal) > 32:
            for _ in range(8):
                action = uniform(legal, stream)
                if stream.word() >> 10 < whole[action]:
                    return action
        at = (stream.word() * sum(whole[action] for action in legal)) >> 64
        for kind in classes:
            members = [action for action in legal if (action >> 6, preferences[action]) == kind]
            weight = sum(whole[action] for action in members)
            if at < weight:
                return uniform(members, stream)
            at -= weight
        raise AssertionError("the weights add up to more than any draw")

    return pick


@dataclass
class Node:
    """`total` sums up values for the side that moves first, whoever is to move here."""

    judge: Judge
    position: Position
    parent: Node | None = None
    visits: int = 0
    total: float = 0.0
    pending: int = 0
    value: float = 0.0
    awaited: bool = False
    prior: dict[int, float] | None = None
    children: dict[int, Node] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)

    def worth(self) -> float:
        """The mean value for the side that chose to come here; visits under way count as lost."""
        chooser = -self.position.side
        return (chooser * self.total - self.pending) / (self.visits + self.pending)

    def count(self, action: int) -> int:
        return self.children[action].visits + self.children[action].pending if action in self.children else 0

    def passes(self) -> int:
        return sum(self.count(action) for action in self.children)

    def step(self, action: int) -> Node:
        if action not in self.children:
            self.children[action] = Node(self.judge, self.judge.play(self.position, action), self)
        return self.children[action]

    def back_up(self, value_for_first: float) -> None:
        node: Node | None = self
        while node is not None:
            node.visits += 1
            node.total += value_for_first
            node = node.parent

    def result_for_first(self) -> float | None:
        result = self.judge.result(self.position)
        return None if result is None else result * self.position.side


def uct(
    judge: Judge,
    start: Position,
    simulations: int,
    c: float,
    seed: int,
    playout: Playout = uniform,
    priors: Sequence[float] | None = None,
) -> Node:
    """The tree after a search: w / n + c sqrt(ln N / n), every child once before any twice, if there are no priors."""
    stream = SplitMix(seed)
    root = Node(judge, start)
    for _ in range(simulations):
        node = root
        while node.result_for_first() is None and (node is root or node.visits):
            legal = judge.legal(node.position)
            if priors is not None:
                total = sum(priors[action] for action in legal)
                node.prior = {action: priors[action] / total for action in legal}
                parent = node
                node = node.step(max(legal, key=lambda action: puct_score(parent, action, c)))
                continue
            node.order = node.order or legal
            tried = len(node.children)
            if tried < len(legal):
                other = tried + stream.below(len(legal) - tried)
                node.order[tried], node.order[other] = node.order[other], node.order[tried]
                node = node.step(node.order[tried])
                continue
            n = node.passes()
            node = max(
                (node.children[action] for action in node.order),
                key=lambda child: child.worth() + c * math.sqrt(math.log(n) / child.visits),
            )
        position = node.position
        while judge.result(position) is None:
            position = judge.play(position, playout(judge.legal(position), stream))
        node.back_up((judge.result(position) or 0) * position.side)
    return root


Oracle = Callable[[Position], tuple[float, Mapping[int, float]]]
"""What a position is worth to the side to move, and a weight for each legal action."""


def open_up(node: Node, oracle: Oracle) -> float:
    """Evaluates a node; returns its value for the first side."""
    value, policy = oracle(node.position)
    total = sum(policy.values())
    node.prior = {action: weight / total for action, weight in policy.items()}
    node.value = value
    return value * node.position.side


def puct_score(node: Node, action: int, c: float) -> float:
    assert node.prior is not None
    n = node.count(action)
    worth = node.children[action].worth() if n else node.value
    return worth + c * node.prior[action] * math.sqrt(1 + node.passes()) / (1 + n)


def puct(
    judge: Judge,
    start: Position,
    simulations: int,
    oracle: Oracle,
    c: float,
    *,
    noise: Mapping[int, float] | None = None,
    share: float = 0.0,
    leaves: int = 1,
) -> Node:
    """AlphaZero's search, `leaves` simulations at a time with virtual loss."""
    root = Node(judge, start)
    open_up(root, oracle)
    assert root.prior is not None
    if noise is not None:
        root.prior = {action: (1 - share) * prior + share * noise[action] for action, prior in root.prior.items()}
    evaluated: set[Position] = set()
    done = 0
    while done < simulations:
        waiting: list[Node] = []
        while len(waiting) < leaves and done < simulations:
            path = [root]
            while path[-1].prior is not None:
                node = path[-1]
                path.append(node.step(max(node.prior or (), key=lambda action: puct_score(node, action, c))))
                path[-1].pending += 1
            leaf = path[-1]
            if leaf.awaited:
                for node in path[1:]:
                    node.pending -= 1
                break
            done += 1
            result = leaf.result_for_first()
            if result is None and leaf.position not in evaluated:
                leaf.awaited = True
                waiting.append(leaf)
                continue
            for node in path[1:]:
                node.pending -= 1
            leaf.back_up(open_up(leaf, oracle) if result is None else result)
        for leaf in waiting:
            evaluated.add(leaf.position)
            ancestor = leaf
            while ancestor.parent is not None:
                ancestor.pending -= 1
                ancestor = ancestor.parent
            leaf.awaited = False
            leaf.back_up(open_up(leaf, oracle))
    return root


def sigma(node: Node, q: float, c_visit: float, c_scale: float) -> float:
    """Equation 8 of Danihelka et al. for values brought to 0 .. 1."""
    return (c_visit + max(node.count(action) for action in node.prior or ())) * c_scale * (q + 1) / 2


def improved_policy(node: Node, c_visit: float, c_scale: float) -> dict[int, float]:
    """softmax(logits + sigma(completed q))"""
    assert node.prior is not None
    seen = [action for action in node.prior if node.count(action)]
    mixed = node.value
    if seen:
        mean = sum(node.prior[a] * node.children[a].worth() for a in seen) / sum(node.prior[a] for a in seen)
        mixed = (node.value + node.passes() * mean) / (1 + node.passes())
    completed = {a: node.children[a].worth() if node.count(a) else mixed for a in node.prior}
    logits = {a: math.log(node.prior[a]) + sigma(node, completed[a], c_visit, c_scale) for a in node.prior}
    top = max(logits.values())
    total = sum(math.exp(it - top) for it in logits.values())
    return {a: math.exp(it - top) / total for a, it in logits.items()}


def gumbel(
    judge: Judge,
    start: Position,
    simulations: int,
    oracle: Oracle,
    noise: Mapping[int, float],
    considered: int,
    c_visit: float = 50.0,
    c_scale: float = 1.0,
) -> tuple[Node, int, dict[int, float]]:
    """The tree, the action chosen and the improved policy of the root."""
    root = Node(judge, start)
    open_up(root, oracle)
    prior = root.prior
    assert prior is not None

    def score(action: int) -> float:
        q = root.children[action].worth() if root.count(action) else root.value
        return noise[action] + math.log(prior[action]) + sigma(root, q, c_visit, c_scale)

    standing = sorted(prior, key=lambda action: -(noise[action] + math.log(prior[action])))
    standing = standing[: min(considered, simulations)]
    n_phases = max(1, math.ceil(math.log2(len(standing))))
    done = 0
    while done < simulations:
        rounds = max(1, simulations // (n_phases * len(standing)))
        for action in standing * rounds:
            if done < simulations:
                simulate_below(root.step(action), oracle, c_visit, c_scale)
                done += 1
        if done < simulations:
            standing = sorted(standing, key=lambda action: -score(action))[: max(2, len(standing) // 2)]
    return root, max(standing, key=score), improved_policy(root, c_visit, c_scale)


def simulate_below(node: Node, oracle: Oracle, c_visit: float, c_scale: float) -> None:
    """Below the root: argmax of improved policy - visits / (1 + all visits)."""
    while node.prior is not None:
        policy, n = improved_policy(node, c_visit, c_scale), node.passes()
        here = node
        node = node.step(max(policy, key=lambda action: policy[action] - here.count(action) / (1 + n)))
    result = node.result_for_first()
    node.back_up(open_up(node, oracle) if result is None else result)


@dataclass
class Pair:
    """A position in which the side that searches is to move, reached by its `move` and a reply; rewards are its own."""

    position: Position
    move: int = -1
    visits: int = 0
    total: float = 0.0
    children: list[Pair] = field(default_factory=list)


def humphreys(
    judge: Judge, start: Position, simulations: int, seed: int, reading: str = "simulations"
) -> tuple[int, dict[int, int]]:
    """The move chosen by Humphreys et al. and the visits of each first move; `reading` says what t is."""
    stream, root = SplitMix(seed), Pair(start)
    expand_pairs(judge, root)
    for simulation in range(1, simulations + 1):
        t = max(1.0, wins_of_all(root)) if reading == "wins" else simulation
        path = [root]
        while path[-1].children:
            path.append(pick_pair(path[-1], path[-1].visits if reading == "visits" else t, stream))
        if path[-1].visits and judge.result(path[-1].position) is None:
            expand_pairs(judge, path[-1])
            path.append(pick_pair(path[-1], t, stream))
        position = path[-1].position
        while judge.result(position) is None:
            position = judge.play(position, uniform(judge.legal(position), stream))
        result = (judge.result(position) or 0) * position.side * start.side
        for node in path:
            node.visits += 1
            node.total += {1: 1.0, 0: 0.5, -1: -1.0}[result]
    visits: dict[int, int] = {}
    seen = [pair for pair in root.children if pair.visits]
    for pair in seen:
        visits[pair.move] = visits.get(pair.move, 0) + pair.visits
    best, ties = seen[0], 1
    for pair in seen[1:]:
        if pair.total / pair.visits > best.total / best.visits:
            best, ties = pair, 1
        elif pair.total / pair.visits == best.total / best.visits:
            ties += 1
            best = pair if stream.below(ties) == 0 else best
    return best.move, visits


def expand_pairs(judge: Judge, node: Pair) -> None:
    for move in judge.legal(node.position):
        after = judge.play(node.position, move)
        replies = judge.legal(after)
        node.children += [Pair(judge.play(after, reply), move) for reply in replies] or [Pair(after, move)]


def wins_of_all(node: Pair) -> float:
    return node.total + sum(map(wins_of_all, node.children))


def pick_pair(node: Pair, t: float, stream: SplitMix) -> Pair:
    picked, unvisited = None, 0
    for pair in node.children:
        if pair.visits == 0:
            unvisited += 1
            picked = pair if stream.below(unvisited) == 0 else picked
    return picked or max(node.children, key=lambda it: it.total / it.visits + 2 * math.sqrt(math.log(t) / it.visits))
