"""Many small networks at once: each position of a batch is judged by the network that owns it.

A network is `[H, F + 2]`: for each hidden unit its weights from the F features, its bias, and its weight to the output.
A weight of exactly 0 is a link that is cut.
"""

from typing import NamedTuple

import numpy as np
from numba import carray, types
from numpy.typing import NDArray

from randori.kernels.bits import nth_set_bit, random_below
from randori.kernels.compile import inner, kernel
from randori.kernels.features import GROUP, PLAN, TALLIES, Plan, Scratch, measure, scratch
from randori.kernels.judges import doubles_at, int64s_at, rules_at
from randori.kernels.rules import ACTIONS, CELLS, MOVE_WORDS, RULES, WORDS, ahead, cell, legal, outcome, play, row

OVER = 1e9
"""What a won game scores; no network says so much."""

# How far a player looks ahead: plies always, and the number of empty squares from which on to the end.
DEPTH, EXACT = 0, 1

_STATES = types.Array(types.uint64, 2, "C")
_NETWORKS = types.Array(types.float64, 3, "C")
_OWNERS = types.Array(types.int64, 1, "C")
_REACH = types.UniTuple(types.int64, 2)


class Path(NamedTuple):
    """The positions on the way to the one being judged, `[depth + 1, ...]`, and room to judge it."""

    states: NDArray[np.uint64]
    moves: NDArray[np.uint64]
    counts: NDArray[np.int64]
    tried: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]
    features: NDArray[np.float64]
    room: Scratch


@inner
def _path(rules, plan, depth):
    return Path(
        np.zeros((depth + 1, rules[WORDS]), np.uint64),
        np.zeros((depth + 1, rules[MOVE_WORDS]), np.uint64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1),
        np.zeros(depth + 1),
        np.zeros(len(plan.scales)),
        scratch(rules, plan),
    )


@inner
def _forward(network, features):
    """The network's score, without bound: its sign and order are those of its hyperbolic tangent."""
    n = len(features)
    score = 0.0
    for h in range(network.shape[0]):
        if network[h, n + 1] != 0.0:
            total = network[h, n]
            for f in range(n):
                total += network[h, f] * features[f]
            score += network[h, n + 1] * np.tanh(total)
    return score


@inner
def _look_ahead(rules, plan, network, path, root, depth, beta):
    """The score of `path.states[root]` for its side to move by alpha-beta, the network judging positions at `depth`.

    It is exact below `beta`, else a lower bound that is not below it.
    """
    ply = root
    path.alpha[ply], path.beta[ply] = -OVER, beta
    score = 0.0
    entering = True
    while True:
        if entering:
            path.counts[ply] = legal(rules, row(path.states, ply), row(path.moves, ply))
            path.tried[ply] = 0
            if path.counts[ply] > 0 and ply < depth:
                entering = False
                continue
            if path.counts[ply] == 0:
                score = OVER * outcome(rules, row(path.states, ply))
            else:
                measure(rules, plan, row(path.states, ply), path.room, path.features)
                score = _forward(network, path.features)
        elif path.tried[ply] < path.counts[ply] and path.alpha[ply] < path.beta[ply]:
            for w in range(rules[WORDS]):
                path.states[ply + 1, w] = path.states[ply, w]
            play(rules, row(path.states, ply + 1), nth_set_bit(row(path.moves, ply), path.tried[ply]))
            path.tried[ply] += 1
            path.alpha[ply + 1], path.beta[ply + 1] = -path.beta[ply], -path.alpha[ply]
            ply += 1
            entering = True
            continue
        else:
            score = path.alpha[ply]
        if ply == root:
            return score
        ply -= 1
        path.alpha[ply] = max(path.alpha[ply], -score)
        entering = False


@inner
def _depth(rules, state, reach):
    """How many plies to look ahead: to the end of the game where few squares are empty."""
    if reach[EXACT] == 0:
        return reach[DEPTH]
    empty = 0
    for square in range(rules[CELLS]):
        empty += cell(rules, state, square) == 0
    return 2 * empty if empty <= reach[EXACT] else reach[DEPTH]


@inner
def _score_moves(rules, plan, network, path, reach, scores):
    """Scores every legal action in `path.states[0]`, in their order; returns how many there are.

    The scores of the best ones are exact, the others' are bounds that are lower.
    """
    best = -np.inf
    depth = _depth(rules, row(path.states, 0), reach)
    count = legal(rules, row(path.states, 0), row(path.moves, 0))
    for k in range(count):
        for w in range(rules[WORDS]):
            path.states[1, w] = path.states[0, w]
        play(rules, row(path.states, 1), nth_set_bit(row(path.moves, 0), k))
        # From just below the best on, so that an equal action is told from one that is merely not better.
        beta = min(OVER, -np.nextafter(best, -np.inf))
        scores[k] = -_look_ahead(rules, plan, network, path, 1, depth, beta)
        best = max(best, scores[k])
    return count


# Facts of the judge: the rules, the arrays of a plan with their sizes, and the networks, `[N, H, F + 2]`. OWNER is who judges,
# LAST_MOVED for whoever moved last, of the first and the second mover; N_EMPTY are the squares to be filled at first.
TABLE, BOARD, REGIONS, CORNERS, N_CORNERS, GROUPS, N_GROUPS = range(7)
TERMS, SCALES, N_FEATURES, NETWORKS, N_HIDDEN, OWNER, N_EMPTY = range(7, 14)
LAST_MOVED = -1


@inner
def _owner(rules, state, facts):
    if facts[OWNER] != LAST_MOVED:
        return facts[OWNER]
    placed = facts[N_EMPTY]
    for square in range(rules[CELLS]):
        placed -= cell(rules, state, square) == 0
    return 1 - placed % 2


def by_network(state, facts):
    """The score of a position, without bound."""
    rules, n, hidden = rules_at(facts[TABLE]), facts[N_FEATURES], facts[N_HIDDEN]
    plan = Plan(
        carray(int64s_at(facts[BOARD]), (TALLIES + 1,)),
        carray(int64s_at(facts[REGIONS]), (rules[CELLS],)),
        carray(int64s_at(facts[CORNERS]), (facts[N_CORNERS],)),
        carray(int64s_at(facts[GROUPS]), (facts[N_GROUPS], 1 + GROUP)),
        carray(int64s_at(facts[TERMS]), (n, 3)),
        carray(doubles_at(facts[SCALES]), (n,)),
    )
    features = np.empty(n)
    measure(rules, plan, state, scratch(rules, plan), features)
    first = ahead(doubles_at(facts[NETWORKS]), _owner(rules, state, facts) * hidden * (n + 2))
    return _forward(carray(first, (hidden, n + 2)), features)


@kernel(types.void(RULES, PLAN, _NETWORKS, _OWNERS, _STATES, types.Array(types.float64, 1, "C")))
def evaluate_all(rules, plan, networks, owners, states, scores):
    """The score of every position, `[B]`, by network `owners[b]`."""
    room = scratch(rules, plan)
    features = np.zeros(len(plan.scales))
    for i in range(states.shape[0]):
        measure(rules, plan, row(states, i), room, features)
        scores[i] = _forward(networks[owners[i]], features)


@kernel(types.void(RULES, PLAN, _NETWORKS, _OWNERS, _STATES, _REACH, types.Array(types.float64, 2, "C")))
def score_all(rules, plan, networks, owners, states, reach, scores):
    """The score of every action, `[B, A]`; exact where it is best; minus infinity where it is not legal."""
    path = _path(rules, plan, max(reach[DEPTH], 2 * reach[EXACT]))
    found = np.zeros(rules[ACTIONS])
    for i in range(states.shape[0]):
        path.states[0] = states[i]
        scores[i] = -np.inf
        for k in range(_score_moves(rules, plan, networks[owners[i]], path, reach, found)):
            scores[i, nth_set_bit(row(path.moves, 0), k)] = found[k]


@kernel(
    types.void(
        RULES,
        PLAN,
        _NETWORKS,
        _OWNERS,
        _STATES,
        _REACH,
        types.Array(types.uint64, 1, "C"),
        types.Array(types.int16, 1, "C"),
    )
)
def choose_all(rules, plan, networks, owners, states, reach, seeds, actions):
    """The best action of every position by network `owners[b]`, `[B]`; equals are drawn by lot from `seeds[b]`."""
    path = _path(rules, plan, max(reach[DEPTH], 2 * reach[EXACT]))
    found = np.zeros(rules[ACTIONS])
    for i in range(states.shape[0]):
        path.states[0] = states[i]
        best, equals = -np.inf, 0
        for k in range(_score_moves(rules, plan, networks[owners[i]], path, reach, found)):
            if found[k] > best:
                best, equals = found[k], 0
            if found[k] == best:
                equals += 1
                if random_below(row(seeds, i), equals) == 0:
                    actions[i] = nth_set_bit(row(path.moves, 0), k)
