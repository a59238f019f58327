"""The review of a game: what every position was worth and what every move cost, found little by little."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from randori.core.game import ONGOING, Game, States
from randori.review.effort import COARSE, FINE, GAME_SOLVER_NODES, Effort
from randori.review.marks import Accuracy, Mark, accuracy_of, mark_of
from randori.review.referee import Referee
from randori.review.verdict import Verdict

_PLIES_AT_A_TIME = 8
"""Of the first look, which takes a few milliseconds each."""


@dataclass(frozen=True)
class Judged:
    """One move of a game."""

    ply: int
    action: int
    verdict: Verdict
    mark: Mark | None
    remarks: tuple[str, ...]
    """What the game itself says of a marked move: words to follow "it"."""

    @property
    def seat(self) -> int:
        return self.ply % 2


@dataclass(frozen=True, eq=False)
class Review:
    """As much as is known by now; `complete` once all moves have been judged with all effort."""

    game: Game
    actions: tuple[int, ...]
    chances: tuple[float | None, ...]
    """One more than there are moves: of the side that began, 0 .. 1; None where nobody has looked yet."""
    moves: tuple[Judged | None, ...]
    n_closely: int = 0
    """Moves that have been judged with all effort."""
    complete: bool = False

    @cached_property
    def marked(self) -> tuple[Judged, ...]:
        """The moves that have a mark."""
        return tuple(it for it in self.moves if it is not None and it.mark is not None)

    def accuracy(self, seat: int) -> Accuracy:
        """Of the side that began, 0, or the other, 1."""
        known = [(it.ply, it.verdict) for it in self.moves if it is not None and it.seat == seat]
        return accuracy_of(known, len(self.actions))


def review(game: Game, actions: Sequence[int], referee: Referee | None = None) -> Review:
    """The whole of it. Raises ValueError where an action is not legal."""
    *_, found = progress(game, actions, referee)
    return found


def progress(game: Game, actions: Sequence[int], referee: Referee | None = None) -> Iterator[Review]:
    """Ever more of a review, in small pieces: a short look at all moves, then a long one at each, the last move first.

    It depends on the moves alone, and may go on in another thread from one piece to the next.
    """
    work = _Work(game, tuple(int(it) for it in actions), referee or Referee(game))
    yield work.review
    yield from work.look_briefly()
    yield from work.look_closely()
    yield replace(work.review, complete=True)


class _Work:
    """A review under way."""

    def __init__(self, game: Game, actions: tuple[int, ...], referee: Referee) -> None:
        self._game, self._referee = game, referee
        self._states: list[States] = [game.start(1)]
        for action in actions:
            self._states.append(game.play(self._states[-1], [action]))
        n = len(actions)
        self.review = Review(game, actions, (None,) * (n + 1), (None,) * n)

    def look_briefly(self) -> Iterator[Review]:
        """From the first move on; endings are solved later."""
        effort = COARSE._replace(solver_nodes=0)
        for ply in range(len(self.review.actions)):
            self._judge(ply, effort)
            if ply % _PLIES_AT_A_TIME == _PLIES_AT_A_TIME - 1:
                yield self.review
        self._judge_end()
        yield self.review

    def look_closely(self) -> Iterator[Review]:
        """From the last move back: each solution helps with the moves before, until that takes too long."""
        effort = FINE
        # A game with a repertoire knows its first moves without solving those after them.
        afterwards = 0 if self._game.knowledge.repertoire is None else COARSE.solver_nodes
        self._referee.endings.limit(GAME_SOLVER_NODES, afterwards)
        for ply in range(len(self.review.actions) - 1, -1, -1):
            if not self._judge(ply, effort) and self._referee.endings.is_near(self._states[ply]):
                effort = FINE._replace(solver_nodes=afterwards)
            self.review = replace(self.review, n_closely=self.review.n_closely + 1)
            yield self.review

    def _judge(self, ply: int, effort: Effort) -> bool:
        """Whether the verdict is exact."""
        action = self.review.actions[ply]
        verdict = self._referee.verdict(self._states[ply], action, effort)
        mark = mark_of(verdict)
        remarks: tuple[str, ...] = ()
        if mark is not None and self._game.knowledge.remarks is not None:
            remarks = tuple(self._game.knowledge.remarks(self._game, self._states[ply], action))
        moves = (*self.review.moves[:ply], Judged(ply, action, verdict, mark, remarks), *self.review.moves[ply + 1 :])
        self.review = replace(self.review, moves=moves)
        self._set_chance(ply, verdict.best)
        return verdict.exact

    def _judge_end(self) -> None:
        state, ply = self._states[-1], len(self._states) - 1
        outcome = int(self._game.outcome(state)[0])
        self._set_chance(ply, self._referee.chance(state, COARSE) if outcome == ONGOING else 0.5 + 0.5 * outcome)

    def _set_chance(self, ply: int, chance: float) -> None:
        """`chance` is for the side to move; a review keeps it for the side that began."""
        chances = self.review.chances
        of_first_mover = chance if ply % 2 == 0 else 1 - chance
        self.review = replace(self.review, chances=(*chances[:ply], of_first_mover, *chances[ply + 1 :]))
