"""Proofs: that a position has one right move, by the solver where it reaches, else by searching threats to the end.

The solver's claim is about all play. That of threats is about threats alone: which first move wins by them, while every
other move is proved not to (see `Knowledge.first_threats`).
"""

from typing import NamedTuple

import numpy as np

from randori.core.game import LOSS, ONGOING, WIN, Bools, Game, States
from randori.players.simple import heuristic
from randori.practice.puzzle import Goal
from randori.search.solver import Solver, reach
from randori.search.threats import find_wins

CLEAR = 6
"""By how much the best move has to be better than every other where the game counts and who wins does not depend on it."""
SOLVER_NODES = 50_000
"""For each move of a position; where they are not enough, nothing is proved."""
THREAT_NODES = 10_000
"""For each reply to a first move."""
GLANCE_NODES = 2_500
_LINE_NODES = 1_000_000
_LONGEST_LINE, _LONGEST_ATTACK = 13, 25


class Proof(NamedTuple):
    """What is known of a position with one right move."""

    answer: int
    goal: Goal
    line: tuple[int, ...]
    """How the game goes on when both sides do their best, the answer first."""


def within_reach(game: Game, states: States) -> Bools:
    """`[B]`: whether the solver may be asked about a position; the nodes end what takes too long.

    On a board that does not fill nobody knows how far the end is.
    """
    if not game.fills:
        return np.ones(len(states), np.bool_)
    least, most = game.knowledge.exam or (2, 2 * reach(game))
    left = game.moves_left(states)
    return np.asarray((least <= left) & (left <= most))


class Prover:
    """Looks for proofs in positions of one game; serves one thread. Its solver remembers."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._solver = Solver(game)

    def prove(self, state: States) -> Proof | None:
        """None where there is no one right move, or none is proved; the game goes on in `state`, `[1, words]`."""
        if int(self.game.legal(state)[0].sum()) < 2:
            return None
        if self.game.knowledge.first_threats is not None:
            return self.by_threats(state)
        return self.by_solver(state) if within_reach(self.game, state)[0] else None

    def by_solver(self, state: States) -> Proof | None:
        found = self._by_margin(state) if self.game.counts is not None else self._by_outcome(state)
        if found is None:
            return None
        answer, goal = found
        return Proof(answer, goal, (answer, *self.best_line(self.game.play(state, [answer]))))

    def by_threats(self, state: States) -> Proof | None:
        judge = self.game.knowledge.first_threats
        assert judge is not None
        if find_wins(self.game, state, GLANCE_NODES)[0] < 0:
            return None
        verdicts = judge(self.game, state, THREAT_NODES, 2)
        wins = np.flatnonzero(verdicts == 1)
        if len(wins) != 1 or (verdicts < 0).any():
            return None
        answer = int(wins[0])
        return Proof(answer, Goal.THREATS, (answer, *self.attack(self.game.play(state, [answer]), attacks=False)))

    def _by_outcome(self, state: States) -> tuple[int, Goal] | None:
        left = self.outcomes(state, most_wins=2)
        if left is None:
            return None
        best = max(left.values())
        answers = [action for action, outcome in left.items() if outcome == best]
        if len(answers) != 1 or best == LOSS:
            return None
        return answers[0], Goal.WIN if best == WIN else Goal.DRAW

    def outcomes(self, state: States, most_wins: int | None = None) -> dict[int, int] | None:
        """What each move leads to for whoever makes it; None where the nodes are not enough for one of them.

        Those after `most_wins` winning ones are left out.
        """
        children = self.game.children(state)
        found: dict[int, int] = {}
        for i, action in enumerate(children.actions):
            if list(found.values()).count(WIN) == most_wins:
                break
            worth = self.worth(children.states[i : i + 1])
            if worth is None:
                return None
            found[int(action)] = -worth
        return found

    def worth(self, state: States) -> int | None:
        """WIN, DRAW or LOSS for the side to move; None where the nodes are not enough."""
        if self.game.outcome(state)[0] != ONGOING:
            return int(self.game.outcome(state)[0])
        for known in self._solver.approach(state):
            if known.lower > 0 or known.upper < 0 or known.value is not None:
                return int(np.sign(known.lower + known.upper))
            if known.nodes > SOLVER_NODES:
                break
        return None

    def _by_margin(self, state: States) -> tuple[int, Goal] | None:
        margins = self.margins(state)
        second, best = sorted(margins.values())[-2:]
        answer = max(margins, key=lambda action: margins[action])
        if best > second and best >= 0 >= second and np.sign(best) != np.sign(second):
            return answer, Goal.WIN if best > 0 else Goal.DRAW
        return (answer, Goal.MOST) if best - second >= CLEAR else None

    def margins(self, state: States) -> dict[int, int]:
        """What each move leads to for whoever makes it, where the game counts."""
        children = self.game.children(state)
        over = self.game.outcome(children.states) != ONGOING
        final = self.game.margin(children.states)
        found = {}
        for i, action in enumerate(children.actions):
            value = int(final[i]) if over[i] else self._solver.solve(children.states[i : i + 1]).lower
            found[int(action)] = -value
        return found

    def best_line(self, state: States) -> list[int]:
        """How the game goes on when both sides do their best, as far as that is proved with little work.

        Of equal moves it is the one that the rules of thumb of the game choose: a lost side still has a plan.
        """
        line: list[int] = []
        usual, rng = heuristic(self.game), np.random.default_rng(0)
        while self.game.outcome(state)[0] == ONGOING and len(line) < _LONGEST_LINE:
            best = self._best(state)
            if not best:
                break
            action = int(usual.choose(state, rng).actions[0])
            line.append(action if action in best else best[0])
            state = self.game.play(state, [line[-1]])
        return line

    def _best(self, state: States) -> tuple[int, ...]:
        for known in self._solver.approach(state):
            if known.complete:
                return known.best
            if known.nodes > _LINE_NODES:
                break
        return ()

    def attack(self, state: States, attacks: bool) -> list[int]:
        """How an attack by threats goes on to its end, where the side to move attacks, or else replies.

        Replies are those that the rules of thumb of the game choose.
        """
        line: list[int] = []
        defender, rng = heuristic(self.game), np.random.default_rng(0)
        while self.game.outcome(state)[0] == ONGOING and len(line) < _LONGEST_ATTACK:
            chosen = find_wins(self.game, state, THREAT_NODES) if attacks else defender.choose(state, rng).actions
            action = int(chosen[0])
            if action < 0:
                break
            line.append(action)
            state, attacks = self.game.play(state, [action]), not attacks
        return line
