"""Alpha-beta over a compiled evaluator: deeper and deeper searches of one position, limited by depth, nodes or time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import get_ident
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Actions, Bools, Floats, Game, Ints, States
from randori.errors import UserError
from randori.kernels import alphabeta as kernel
from randori.kernels import searches
from randori.kernels.candidates import address_of
from randori.kernels.expanding import TO_THE_END
from randori.kernels.judges import Judge, judge_with, margin_share
from randori.kernels.records import allocate
from randori.search.limits import check_seconds

_SLICE_SECONDS = 0.1  # about, between two looks at the keyboard
_LEAST_SLICE = 16  # nodes between two looks at the clock
_FIRST_SPEED = 20_000  # nodes per second, until the speed is known
MOST_PLIES = 60
_ENTRIES = 1 << 16
_VALUES = 1 << 12


class Scale(NamedTuple):
    """How an evaluator's values compare with the end of a game."""

    by_margin: bool = False
    """Values are margins, and so is an end."""
    certain: float = 0.0
    """An end is worth this, and `end` more for each ply by which it comes before the horizon."""
    end: float = 1.0


@dataclass(frozen=True)
class Limits:
    """Where a search stops: at a depth, after so many nodes, or before a time has passed; whichever comes first."""

    depth: int = MOST_PLIES
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise UserError(f"A search needs a depth of at least one ply, not {self.depth}.")
        if self.nodes is not None and self.nodes < 1:
            raise UserError(f"A search needs at least one node, not {self.nodes}.")
        check_seconds(self.seconds)

    def part(self, share: float, nodes: int, seconds: float) -> "Limits":
        """The same depth within a share of what is left after so many nodes and seconds, or of next to nothing."""
        return Limits(
            self.depth,
            None if self.nodes is None else max(1, round(share * (self.nodes - nodes))),
            None if self.seconds is None else max(1e-6, share * (self.seconds - seconds)),
        )


def limits_of(depth: int | None, nodes: int | None, seconds: float | None, usual: int) -> Limits:
    """Without any, the usual depth; with nodes or a time alone, as deep as these allow."""
    if depth is None:
        depth = usual if nodes is None and seconds is None else MOST_PLIES
    return Limits(depth, nodes, seconds)


OUTCOMES = Scale()


def new_search(
    game: Game,
    judge: Judge,
    scale: Scale,
    *,
    exact: int = 0,
    entries: int = _ENTRIES,
    values: int = 0,
    plies: int = 0,
    all_best: bool = False,
    width: int | None = None,
    candidates: bool = False,
) -> searches.Search:
    """Room for a search, and `plies` more to the end of a game; for so many `values` of the judge, where it is slow."""
    named = game.knowledge.candidates if candidates else None
    return allocate(
        searches.Search,
        np.zeros,
        n_plies=2 * MOST_PLIES + plies + 2,
        n_words=game.words,
        n_actions=game.n_actions,
        n_entries=entries,
        n_values=values,
        most_left=int(game.moves_left(game.start(1))[0]),
        passing=-1 if game.pass_action is None else game.pass_action,
        exact=exact,
        # A judge that is slow is not asked for the order of moves: what cut off elsewhere tells it well enough.
        judged_from=TO_THE_END + 1 if values else 3 if game.counts else 2,
        mobility=0.5 if scale.by_margin else 0.0,
        all_best=all_best,
        width=width or game.n_actions,
        candidates=0 if named is None else address_of(named),
        judge_of_moves=judge.of_moves,
        **scale._asdict(),
    )


class Probes(NamedTuple):
    """Shallow searches that decide whether a position is searched at all: see the kernel."""

    shallow: NDArray[np.int64]
    """`[PROBED]`"""
    margins: NDArray[np.float64]
    """`[PHASES, PROBED]`"""


def most_plies(game: Game, left: Ints) -> Ints:
    """To the end of the longest game with so many moves left, as far as a search can go; each may be followed by a pass."""
    if not game.fills:
        return np.full_like(left, MOST_PLIES)
    return np.minimum(MOST_PLIES, left if game.pass_action is None else 2 * left)


class Found(NamedTuple):
    """What a search of one position has found."""

    value: float
    """For the side to move, on the evaluator's scale."""
    actions: Actions
    """The best ones; only those of the last depth that was searched to its end, or found better after it."""
    depth: int
    nodes: int
    whole: bool
    """Whether this depth was searched to its end."""
    line: Actions
    """The best one for both sides, from one of the best actions on."""


class Best(NamedTuple):
    """What searches of a batch have found."""

    values: Floats
    """`[B]`: for the side to move, on the evaluator's scale."""
    actions: Bools
    """`[B, A]`: the best ones."""


class AlphaBeta:
    """Searches positions of one game; serves one thread. Its table remembers positions from one search to the next.

    Whoever plays a game can ask one for all its moves, which is quicker. Values at a depth stay the same; which of several
    equally good moves is found, and how far so many nodes lead, may depend on what was searched before.
    """

    def __init__(
        self,
        game: Game,
        judge: Judge,
        scale: Scale = OUTCOMES,
        *,
        exact: int = 0,
        entries: int = _ENTRIES,
        values: int = 0,
        all_best: bool = False,
        probes: Probes | None = None,
        width: int | None = None,
        candidates: bool = False,
    ) -> None:
        """With `candidates`, only the moves that the game names are searched, where it names any.

        Of each position within the tree `width` moves are searched, those that the judge likes best; without, all.
        """
        self.game, self._judge = game, judge
        plies = game.max_plies if exact else 0
        self._search = new_search(
            game,
            judge,
            scale,
            exact=exact,
            entries=entries,
            values=values,
            plies=plies,
            all_best=all_best,
            width=width,
            candidates=candidates,
        )
        if probes is not None:
            self._search.shallow[:], self._search.margins[:] = probes
        # Compiles, or loads from disk, before any clock runs.
        kernel.begin(self._search, game.start(1)[0], 1, 1)
        kernel.advance(game.rules, judge.table, self._search, 0)

    def forget(self, judge: Judge) -> None:
        """Searches by this judge from now on, as if there had been no search before."""
        self._judge, self._search = judge, self._search._replace(judge_of_moves=judge.of_moves)
        for it in (self._search.table, self._search.values, self._search.progress, self._search.refused):
            it[:] = 0

    def refuse(self, actions: Iterable[int]) -> None:
        """From now on these moves are not searched at the root, unless there is no other."""
        self._search.refused[:] = 0
        for action in actions:
            self._search.refused[action >> 6] |= np.uint64(1 << (action & 63))

    def search(self, state: States, limits: Limits) -> Found:
        """The last of `deepen`."""
        *_, found = self.deepen(state, limits)
        return found

    def deepen(self, state: States, limits: Limits) -> Iterator[Found]:
        """Results at growing depths, `state` being `[1, words]`. One ply is looked at whatever the limits."""
        search, left = self._search, int(self.game.moves_left(state)[0])
        clock = _Clock(limits, self.nodes)
        search.credits[:] = 0
        found = None
        if search.exact and clock.ticks:
            # Endings may take longer than there is time for.
            self._ask(search._replace(exact=0), state, 1, left, clock)
            found = self._found(float(search.answer[0]), 1, clock, whole=True)
            yield found
        depths = int(self._depths(self.game.moves_left(state), limits.depth)[0])
        for depth in range(1, depths + 1):
            # Where the depth is known, every other one is enough to put moves in order.
            if depth > 1 and (depths - depth) % 2 and not clock.ticks:
                continue
            whole = self._ask(search, state, depth, left, clock, must_end=found is None)
            if not whole and (found is None or search.scores[found.actions[0]] == -np.inf):
                return  # what was the best so far has not been looked at again
            value = search.answer[0] if whole else search.bounds[0, searches.BEST]
            found = self._found(float(value), depth, clock, whole)
            yield found
            if not whole or (clock.ticks and self._is_certain(found.value)):
                return

    def search_all(self, states: States, depth: int) -> Best:
        """All the best actions of each position, and its value, `depth` plies on; in one go, which is quicker."""
        if not self._search.all_best:
            raise ValueError("This search was not set up to find all the best actions.")
        n, left = len(states), self.game.moves_left(states).astype(np.int64)
        values, actions = np.empty(n), np.empty((n, self.game.n_actions), np.bool_)
        batch = kernel.Batch(np.ascontiguousarray(states, np.uint64), left, self._depths(left, depth), values, actions)
        self._search.progress[[searches.ROW, searches.AT]] = 0
        clock = _Clock(Limits(), self.nodes)
        while not kernel.advance_batch(
            self.game.rules, self._judge.table, self._search, batch, self.nodes + clock.step(self.nodes)
        ):
            pass  # Ctrl-C is heard between two slices
        return Best(values, actions)

    def _depths(self, left: Ints, depth: int) -> NDArray[np.int64]:
        """How far to search positions with so many moves left: those near the end are searched to it anyway."""
        depths = np.minimum(depth, most_plies(self.game, left))
        return np.where(left <= self._search.exact, 1, depths).astype(np.int64)

    def _found(self, value: float, depth: int, clock: "_Clock", whole: bool) -> Found:
        search = self._search
        line = search.lines[0, : search.frames[0, searches.LINE]].copy()
        return Found(value, self._best(), depth, self.nodes - clock.first_node, whole, line)

    def _ask(
        self, search: searches.Search, state: States, depth: int, left: int, clock: "_Clock", must_end: bool = True
    ) -> bool:
        """Whether the root has its value before a limit is reached."""
        kernel.begin(search, state[0], depth, left)
        while True:
            step = clock.step(self.nodes)
            if step <= 0 and not must_end:
                return False
            limit = self.nodes + (step if step > 0 else _LEAST_SLICE)
            if kernel.advance(self.game.rules, self._judge.table, search, limit):
                return True

    def _is_certain(self, value: float) -> bool:
        """Whether a deeper search would find the same end of the game."""
        return not self._search.by_margin and abs(value) >= self._search.certain > 0

    def _best(self) -> Actions:
        scores = self._search.scores
        best = np.flatnonzero(scores == scores.max())
        return np.asarray(best if self._search.all_best else [self._search.frames[0, searches.BEST_ACTION]], np.int16)

    @property
    def scores(self) -> Floats:
        """`[A]`: of the root's moves by the last search, a bound where another one is better; -inf where none was looked at."""
        return self._search.scores

    @property
    def entries(self) -> int:
        """Positions in its table, at most as many as it was made for."""
        return int(self._search.progress[searches.ENTRIES])

    @property
    def nodes(self) -> int:
        return int(self._search.progress[searches.NODES])


class _Clock:
    """How many nodes a search visits before it checks its limits again."""

    def __init__(self, limits: Limits, first_node: int) -> None:
        self._seconds, self._began, self.first_node = limits.seconds, perf_counter(), first_node
        self._last_node = 1 << 62 if limits.nodes is None else first_node + limits.nodes
        self.ticks = limits.seconds is not None or limits.nodes is not None

    def step(self, nodes: int) -> int:
        """0 or less where a limit is reached."""
        spent, done = perf_counter() - self._began, nodes - self.first_node
        if self._seconds is not None and spent >= self._seconds:
            return 0
        speed = done / spent if done else _FIRST_SPEED
        step = _SLICE_SECONDS if self._seconds is None else min(_SLICE_SECONDS, 0.5 * (self._seconds - spent))
        return min(max(_LEAST_SLICE, int(step * speed)), self._last_node - nodes)


@lru_cache(maxsize=8)
def _room(thread: int, game: Game, scale: Scale, exact: int, entries: int) -> "AlphaBeta":
    """One search per thread is kept: to make one takes longer than a search of four plies."""
    nobody = judge_with(margin_share, game.rules, game.n_squares)
    return AlphaBeta(game, nobody, scale, exact=exact, entries=entries, values=_VALUES, all_best=True)


def best_actions(
    game: Game, judge: Judge, states: States, limits: Limits, scale: Scale = OUTCOMES, exact: int = 0
) -> Best:
    """All the best actions of each position; limits are for each of them."""
    # Room for what so shallow a search can meet: to clear it takes time.
    entries = 1 << min(4 + 2 * limits.depth, 18)
    search = _room(get_ident(), game, scale, exact, entries)
    search.forget(judge)
    if limits.nodes is None and limits.seconds is None:
        return search.search_all(states, limits.depth)
    best = Best(np.empty(len(states)), np.zeros((len(states), game.n_actions), np.bool_))
    for row, state in enumerate(states[:, None]):
        found = search.search(state, limits)
        best.values[row], best.actions[row, found.actions] = found.value, True
    return best
