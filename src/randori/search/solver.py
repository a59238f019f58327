"""Exact values: what positions are worth when both sides play perfectly, and which moves keep that worth."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from randori.core.game import DRAW, LOSS, ONGOING, WIN, Bools, Game, States
from randori.errors import UserError
from randori.kernels import packed_table
from randori.kernels import solver as kernel
from randori.kernels.records import allocate
from randori.search.first_plies import early_outcome

__all__ = ["Solution", "Solver", "check_exact", "is_small", "reach"]

_SLICE = 500_000  # nodes between two looks at the clock and the keyboard, about a tenth of a second
_SHORT_SLICE = 10_000  # where the time is short, some milliseconds
_WORD_BYTES = 8
_FIRST_ENTRIES = 1 << 16
_REACH = 12  # where a game does not say


@dataclass(frozen=True)
class Solution:
    """What is known of a position, for the side to move: all of it once `complete`."""

    lower: int
    upper: int
    """Bounds of the value: the final margin where the game counts, else WIN, DRAW or LOSS."""
    plies: int | None
    """To the end, when winners hurry and losers delay; while not complete, it takes at least these. None where the game
    counts, and for a draw on a board that does not fill."""
    best: tuple[int, ...]
    """The best actions; while not complete, the most promising one, or those proved so far."""
    complete: bool
    nodes: int
    seconds: float

    @property
    def value(self) -> int | None:
        """None while the bounds differ."""
        return self.lower if self.lower == self.upper else None

    @property
    def nodes_a_second(self) -> float:
        return self.nodes / self.seconds if self.seconds else 0.0


@cache
def _craft_of(game: Game) -> kernel.Craft | None:
    return None if game.knowledge.craft is None else game.knowledge.craft(game)


class Solver:
    """Solves positions of one game. It remembers them in a table, which no answer depends on.

    The table grows with the work, since new memory takes time, up to the size given. Different positions with the same
    64-bit key are not told apart.
    """

    def __init__(self, game: Game, megabytes: int = 16) -> None:
        if not 1 <= megabytes <= 1 << 16:
            raise UserError(f"The solver's table must have 1 to 65536 megabytes, not {megabytes}.")
        self.game = game
        self._craft = _craft_of(game)
        self._advance = kernel.advance if self._craft is None else self._craft.advance
        self._top = game.max_plies + 1 if game.counts is None else 0
        self._packed = self._craft is not None and self._craft.numbers
        self._entry_words = 1 if self._packed else 2
        # The kernel needs powers of two.
        self._most_entries = 1 << (megabytes * 2**20 // (_WORD_BYTES * self._entry_words)).bit_length() - 1
        self._search = self._new_search(min(_FIRST_ENTRIES, self._most_entries))
        self._slice = _SLICE
        # Compiles, or loads from disk, before any clock runs.
        self._advance(game.rules, self._search, 0)

    @property
    def megabytes(self) -> float:
        """What the search takes, most of it the table."""
        return sum(it.nbytes for it in self._search if isinstance(it, np.ndarray)) / 2**20

    @property
    def nodes(self) -> int:
        """Positions searched so far."""
        return int(self._search.progress[kernel.NODES])

    def solve(self, state: States) -> Solution:
        """The solution of one position, `[1, words]`, however long it takes."""
        *_, solution = self.approach(state)
        return solution

    def approach(self, state: States) -> Iterator[Solution]:
        """Ever narrower solutions of one position, `[1, words]`, a few every second; the last one is complete."""
        if self.game.outcome(state)[0] != ONGOING:
            raise UserError("The game is over in this position, so there is nothing to solve; leave out its last move.")
        began, nodes = perf_counter(), self.nodes
        drawn = int(self.game.moves_left(state)[0]) if self.game.fills else None

        def known(lower: int, upper: int, best: list[int], complete: bool = False) -> Solution:
            values = (lower, upper) if self._top == 0 else (int(np.sign(lower)), int(np.sign(upper)))
            plies = self._plies(lower, upper, drawn)
            return Solution(*values, plies, tuple(best), complete, self.nodes - nodes, perf_counter() - began)

        promising: list[int] = []
        for lower, upper in self._narrow(state):
            if self.nodes > nodes:
                promising = self._promising() or promising
            yield known(lower, upper, promising)
        for best in self._compare(state, lower):
            yield known(lower, upper, best or promising)
        yield known(lower, upper, best, complete=True)

    def best(self, states: States) -> Bools:
        """`[B, A]`: the actions that are best, winners hurrying and losers delaying."""
        return self._for_each(states, lambda state: self.solve(state).best)

    def best_within(self, states: States, seconds: float) -> Bools:
        """`[B, A]`: one of the best actions, found within this many seconds per position; none where they are not
        enough.
        """
        self._slice = _SHORT_SLICE
        return self._for_each(states, lambda state: self._one_of_the_best(state, perf_counter() + seconds))

    def _one_of_the_best(self, state: States, end: float) -> list[int]:
        value = 0
        for value, _ in self._narrow(state):  # noqa: B007  the last bounds are the value
            if perf_counter() > end:
                return []
        for best in self._compare(state, value):
            if best or perf_counter() > end:
                return best
        return []

    def best_or_keeping(self, states: States, nodes: int) -> Bools:
        """`[B, A]`: the best actions where so many nodes are enough to tell, else one that keeps the outcome, or in a lost
        position the most promising one.

        The outcome is found however long that takes. For games that do not count.
        """
        return self._for_each(states, lambda state: self._best_or_keeping(state, nodes))

    def _best_or_keeping(self, state: States, nodes: int) -> Iterable[int]:
        outcome, kept = self.sure_action(state)
        end = self.nodes + nodes
        for found in self.approach(state):
            if found.complete or (self.nodes > end and outcome == LOSS and found.best):
                return found.best
            if self.nodes > end:
                break
        return [kept]

    def sure_action(self, state: States) -> tuple[int, int]:
        """WIN, DRAW or LOSS of one position, `[1, words]`, and an action that keeps it, or in a lost one holds out longest as
        far as was seen. For games that do not count."""
        nodes_before = self.nodes
        outcome = self._outcome(state)
        children = self.game.children(state)
        promising = self._promising() if self.nodes > nodes_before else []
        order = list(dict.fromkeys([*promising, *map(int, children.actions)]))
        if outcome == LOSS:
            return outcome, order[0]
        after = dict(zip(map(int, children.actions), range(len(children.actions)), strict=True))
        return outcome, next(it for it in order if self._keeps(children.states[[after[it]]], outcome))

    def keeping(self, states: States) -> Bools:
        """`[B, A]`: the actions that keep the value: the margin, or elsewhere the outcome, be it early or late."""
        return self.best(states) if self._top == 0 else self._for_each(states, self._keeping)

    def outcomes(self, states: States) -> NDArray[np.int8]:
        """`[B]`: WIN, DRAW or LOSS for the side to move, in positions that are not over."""
        return np.array([self._outcome(states[row : row + 1]) for row in range(len(states))], np.int8)

    def searched_outcome(self, state: States) -> int:
        """WIN, DRAW or LOSS of one position, `[1, words]`, whether it is stored or not."""
        words = self._words(state)[0]
        if self._answer_to(words, 0) > 0:
            return WIN
        return LOSS if self._answer_to(words, -1) < 0 else DRAW

    def _new_search(self, n_entries: int) -> kernel.Search:
        game, craft = self.game, self._craft
        facts = np.zeros(0, np.uint64) if craft is None else craft.facts
        search = allocate(
            kernel.Search,
            np.zeros,
            # A board set up by hand may have some more empty squares than the first position, each with a pass.
            n_plies=game.max_plies + 9,
            n_words=game.words if craft is None else 2,
            n_actions=game.n_actions if craft is None else len(craft.actions),
            n_entries=n_entries,
            entry_words=self._entry_words,
            n_facts=len(facts),
            top=self._top,
        )
        search.facts[:] = facts
        return search

    def _words(self, states: States) -> States:
        """The states as the kernel sees them."""
        if self._craft is None:
            return np.asarray(states)
        cells = self.game.cells(states).reshape(len(states), len(self._craft.bits))
        return np.stack([(cells == side) @ self._craft.bits for side in (1, -1)], axis=1)

    def _ask(self, words: NDArray[np.uint64], alpha: int) -> Iterator[None]:
        """Runs until the kernel has its answer, with a break after every slice."""
        self._search.positions[0] = words
        self._search.frames[0] = 0
        self._search.frames[0, kernel.ALPHA] = alpha
        self._search.progress[kernel.PLY] = 0
        while not self._advance(self.game.rules, self._search, self.nodes + min(self._slice, len(self._search.table))):
            self._make_room()
            yield

    def _make_room(self) -> None:
        """Moves to a table four times as large as soon as the old one may be full."""
        old = self._search.table
        if len(old) < self._most_entries and self.nodes > len(old):
            table = np.zeros((min(4 * len(old), self._most_entries), self._entry_words), np.uint64)
            move_entries = packed_table.move_entries if self._packed else kernel.move_entries
            move_entries(old, table)
            self._search = self._search._replace(table=table, n_entries=len(table))

    def _answer(self) -> int:
        return int(self._search.progress[kernel.ANSWER])

    def _answer_to(self, words: NDArray[np.uint64], alpha: int) -> int:
        for _ in self._ask(words, alpha):
            pass
        return self._answer()

    def _promising(self) -> list[int]:
        """The root's best action by the last question; before one is known, the first that was tried."""
        frame = self._search.frames[0]
        action = int(frame[kernel.BEST_ACTION])
        if action < 0 and frame[kernel.COUNT] > 0:
            action = int(self._search.actions[0, 0])
        return [] if action < 0 else [action if self._craft is None else int(self._craft.actions[action])]

    def _plies(self, lower: int, upper: int, drawn: int | None) -> int | None:
        """To the end at least: until the soonest win or loss within the bounds; a draw fills a board that fills."""
        if self._top == 0:
            return None
        return min((self._top - bound for bound in (upper, -lower) if bound > 0), default=drawn)

    def _narrow(self, state: States) -> Iterator[tuple[int, int]]:
        """Bounds of the kernel's value, until they meet."""
        words = self._words(state)[0]
        upper = self.game.n_squares if self._top == 0 else self._top - 1
        lower, rose = -upper, False
        outcome = self._early(state)
        if outcome is not None:
            lower, upper = (1, upper) if outcome == WIN else (lower, -1) if outcome == LOSS else (0, 0)
            yield lower, upper
        for n_asked in count():
            if lower == upper:
                break
            alpha = self._question(n_asked, lower, upper, rose)
            for _ in self._ask(words, alpha):
                yield lower, upper
            answer = self._answer()
            rose = answer > alpha
            if rose:
                lower = answer
            else:
                upper = answer
            yield lower, upper

    def _question(self, n_asked: int, lower: int, upper: int, rose: bool) -> int:
        """The next question after `n_asked` of them; `rose` says whether the last one raised the lower bound.

        Margins are guessed, each answer being the next guess. With a craft the outcome comes first, since it is found
        sooner than how long the game lasts. Elsewhere wins and losses are looked for in turn, the soonest first, so that a
        short one is found on a board too large to search.
        """
        if self._top == 0:
            return 0 if n_asked == 0 else lower if rose else upper - 1
        if self._craft is None:
            return lower if n_asked % 2 else upper - 1
        if lower <= 0 < upper:
            return 0
        if lower < 0 <= upper:
            return -1
        return (lower + upper) // 2

    def _compare(self, state: States, value: int) -> Iterator[list[int]]:
        """The actions known so far to reach the kernel's `value`."""
        # A child's win or loss is one ply nearer to the end than its parent's.
        wanted = -value - (int(np.sign(value)) if self._top else 0)
        best: list[int] = []
        children = self.game.children(state)
        words, outcomes = self._words(children.states), self.game.outcome(children.states)
        final = self.game.margin(children.states) if self._top == 0 else self._top * outcomes.astype(np.int64)
        for i, action in enumerate(children.actions):
            worth = int(final[i])
            if outcomes[i] == ONGOING:
                for _ in self._ask(words[i], wanted):
                    yield best
                worth = self._answer()
            if worth <= wanted:
                best.append(int(action))
            yield best

    def _early(self, state: States) -> int | None:
        """The outcome where it is known without a search, in games that do not count."""
        return None if self._top == 0 else early_outcome(self.game, state)

    def _outcome(self, state: States) -> int:
        known = self._early(state)
        return self.searched_outcome(state) if known is None else known

    def _keeping(self, state: States) -> list[int]:
        kept = self._outcome(state)
        children = self.game.children(state)
        if kept == LOSS:
            return [int(action) for action in children.actions]
        rows = enumerate(children.actions)
        return [int(action) for i, action in rows if self._keeps(children.states[i : i + 1], kept)]

    def _keeps(self, child: States, kept: int) -> bool:
        """Whether the move to a position leaves its player a win or a draw: the opponent gets less, or no more than a draw."""
        outcome: int | None = int(self.game.outcome(child)[0])
        if outcome == ONGOING:
            outcome = self._early(child)
        return (self._answer_to(self._words(child)[0], -kept) if outcome is None else outcome) <= -kept

    def _for_each(self, states: States, chosen: Callable[[States], Iterable[int]]) -> Bools:
        """`[B, A]`, each position solved once however often it occurs."""
        _, rows, places = np.unique(self.game.keys(states), return_index=True, return_inverse=True)
        mask = np.zeros((len(rows), self.game.n_actions), np.bool_)
        for place, row in enumerate(rows):
            mask[place, list(chosen(states[row : row + 1]))] = True
        return mask[places]


def reach(game: Game) -> int:
    """Moves left up to which nearly every position is solved within a second."""
    most = game.n_squares if game.fills else game.max_plies
    return min(most, _REACH if game.knowledge.reach is None else game.knowledge.reach)


def is_small(game: Game) -> bool:
    """Whether the first position of the game can be solved."""
    return int(game.moves_left(game.start(1))[0]) <= reach(game)


def check_exact(game: Game, exact: int) -> None:
    """Raises UserError unless positions with so many moves left can be solved; none always can."""
    if not 0 <= exact <= reach(game):
        raise UserError(f"In {game.title} exact must be 0 to {reach(game)} empty squares, 0 for never, not {exact}.")
