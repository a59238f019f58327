"""A player that judges positions by the patterns on them, some plies ahead."""

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import ONGOING, Floats, Game, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.kernels.searches import PHASES
from randori.methods.ntuple.network import CERTAIN, Network
from randori.methods.ntuple.probes import N_PAIRS, probes
from randori.methods.ntuple.tuples import Tuples
from randori.players.files import Contents
from randori.reading import is_number
from randori.search.alphabeta import MOST_PLIES, AlphaBeta, Found, Limits, limits_of
from randori.search.insight import Insight
from randori.search.limits import check_depth, check_factor
from randori.search.solver import check_exact, reach
from randori.search.threats import check_threats, find_wins
from randori.search.wrappers import ExactEndings

_NODES = 20_000
"""For a move, where no limit is given: some milliseconds."""
_NODES_PER_SECOND, _MOST_ENTRIES = 10_000_000, 1 << 18
_MOST_BYTES = 3_000_000
"""Of the weights in a file."""
_SIGMAS = 1.3
_MARGIN_OF_A_WIN = 12.0
"""Discs that make a win as sure as 0.76 on the scale of -1 to 1."""
_GROWTH = 2.4
"""How much longer it takes to solve a position with one more empty square."""
_SOLVER_SHARE = 0.6
"""Of the time for a move, where a position may be solved."""
_THREATS, _MOST_THREATS = 2_000, 50_000
_THREATS_PER_SECOND = 150_000
"""Less than a third of what can be searched, since there are two such searches or more for a move."""
_SHARE, _TRIES = 0.65, 6
"""Of the nodes or the time that is left for a move each search takes a share, until no threats refute what it finds."""
_LAST_SHARE, _WORTHWHILE = 0.8, 0.1
"""Then one more search takes this share of what is left, if that is a tenth of the time; the rest is for threats again."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Looks ahead by alpha-beta over an n-tuple network: `depth` plies, or as far as `nodes` or `seconds` allow; without
    any of them, as far as 20,000 nodes do.

    With at most `exact` empty squares it plays what a solver finds; within `seconds`, if the solver finds it in time.
    """

    network: Network
    errors: NDArray[np.float64]
    """Of shallow searches, as `measure_errors` finds them."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    exact: int | None = None
    selective: float | None = None
    """Standard errors beyond which a shallow search decides; 0: never; without, 1.3 within nodes or seconds."""
    threats: int | None = None
    """Nodes of each search for forced wins; 0: none is made; without, in games that know of such, 2,000, or a tenth of
    `nodes`, or what takes less than a third of `seconds`."""
    width: int | None = None
    """Moves that are searched in each position; without, all, or 16 in games that name candidates."""
    name: str = "ntuple"
    kind: ClassVar[str] = "ntuple"
    chances: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _ = self._limits  # which refuses what cannot be
        if self.depth is not None:
            check_depth(self.game, self.depth)
        if self.selective is not None:
            check_factor("selective", self.selective)
        if self.width is not None and not 1 <= self.width <= self.game.n_actions:
            raise UserError(
                f"The option width is 1 to {self.game.n_actions} moves in {self.game.title}, not {self.width}."
            )
        check_threats(self.game, self.threats or 0)
        if self.exact is not None:
            check_exact(self.game, self.exact)
        if self.errors.shape != (PHASES, N_PAIRS) or not (self.errors >= 0).all():
            raise ValueError(f"the errors of its searches are negative, or not {PHASES} times {N_PAIRS}")

    @property
    def game(self) -> Game:
        return self.network.game

    @property
    def _is_limited(self) -> bool:
        return self._nodes is not None or self.seconds is not None

    @property
    def _exact(self) -> int:
        """Moves left from which a solver is asked."""
        if self.exact is not None:
            return self.exact
        if not self.game.fills:
            return 0
        if self.seconds is None:
            return self.game.knowledge.quick_reach
        return max(0, reach(self.game) + 2 + round(math.log(self.seconds) / math.log(_GROWTH)))

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(self._chances(self.network.values(states)))

    def _chances(self, values: Floats) -> Floats:
        """Values of the network, or of searches by it, on the scale of -1 to 1."""
        return np.tanh(values / _MARGIN_OF_A_WIN if self.network.by_margin else values)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        looking = _Looking(self)
        if self.seconds is None:
            return ExactEndings(self.game, looking, self._exact).choose(states, rng)
        solving = _SOLVER_SHARE * self.seconds
        late = _Looking(replace(self, seconds=self.seconds - solving))
        return ExactEndings(self.game, looking, self._exact, seconds=solving, late=late).choose(states, rng)

    def _look(self, search: AlphaBeta, state: States, limits: Limits) -> tuple[int, float]:
        """A win that threats force; else the best move after which the other side finds none. And its value."""
        began, threats, n_nodes = perf_counter(), self._threats, 0
        win = int(find_wins(self.game, state, threats)[0])
        if win >= 0:
            return win, math.inf
        refused: list[int] = []
        while len(refused) < _TRIES:
            search.refuse(refused)
            share = _SHARE if threats else 1.0
            found = search.search(state, limits.part(share, n_nodes, perf_counter() - began))
            n_nodes += found.nodes
            action = int(found.actions[0])
            if action in refused or (refused and found.value <= -self.network.scale.certain):
                break
            if not threats or abs(found.value) >= self.network.scale.certain:
                return action, found.value
            if not self._loses_to_threats(state, action, threats):
                found = self._look_on(search, state, limits.part(1.0, n_nodes, perf_counter() - began), found)
                return int(found.actions[0]), found.value
            refused.append(action)
        return refused[0], -math.inf

    def _look_on(self, search: AlphaBeta, state: States, limits: Limits, sound: Found) -> Found:
        """What the rest of the nodes and the time is good for, after a move that no threats refute."""
        late = self.seconds is not None and limits.seconds is not None and limits.seconds < _WORTHWHILE * self.seconds
        if late or not self._is_limited:
            return sound
        began, threats = perf_counter(), self._threats
        found = search.search(state, limits.part(_LAST_SHARE, 0, 0.0))
        if found.depth < sound.depth:
            return sound
        if found.actions[0] == sound.actions[0]:
            return found
        if limits.seconds is not None:
            threats = min(threats, int(_THREATS_PER_SECOND * (limits.seconds - (perf_counter() - began))))
        return sound if threats < 1 or self._loses_to_threats(state, int(found.actions[0]), threats) else found

    def _loses_to_threats(self, state: States, action: int, nodes: int) -> bool:
        after = self.game.play(state, [action])
        return bool(self.game.outcome(after)[0] == ONGOING and find_wins(self.game, after, nodes)[0] >= 0)

    @property
    def _threats(self) -> int:
        if self.threats is not None:
            return self.threats
        if self.game.knowledge.forced_wins is None:
            return 0
        if self.seconds is not None:
            return min(_MOST_THREATS, int(_THREATS_PER_SECOND * self.seconds))
        return _THREATS if self._nodes is None else min(_MOST_THREATS, self._nodes // 10)

    @property
    def _limits(self) -> Limits:
        return limits_of(self.depth, self._nodes, self.seconds, MOST_PLIES)

    @property
    def _nodes(self) -> int | None:
        return _NODES if self.depth is self.nodes is self.seconds is None else self.nodes

    def insight(self, limits: Limits) -> Insight:
        """Its search within such limits, without exact endings and threats, as if they were the player's own."""
        looking = replace(self, depth=limits.depth if limits.nodes is None else None, nodes=limits.nodes, seconds=None)
        return Insight(looking._search(), self.network.judge, self._chances, self.network.by_margin)

    def _search(self) -> AlphaBeta:
        sigmas = (_SIGMAS if self._is_limited else 0.0) if self.selective is None else self.selective
        chosen = probes(self.errors, sigmas) if sigmas and self.errors.any() else None
        width = self.width or self.network.width
        network = self.network
        return AlphaBeta(
            self.game, network.judge, network.scale, entries=self._entries, probes=chosen, width=width, candidates=True
        )

    @property
    def _entries(self) -> int:
        """Of the search's table: no more than may be met, since an empty one is needed for each move."""
        if self._nodes is not None:
            nodes = self._nodes
        elif self.seconds is not None:
            nodes = int(_NODES_PER_SECOND * self.seconds)
        else:
            nodes = 1 << (3 * (self.depth or 1))
        return min(1 << nodes.bit_length(), _MOST_ENTRIES)

    def contents(self) -> Contents:
        """Weights as whole numbers of steps, in a byte each where two would make the file large."""
        weights, tuples = self.network.weights, self.network.tuples
        kind = np.int16 if 2 * weights.size < _MOST_BYTES else np.int8
        step = (float(np.abs(weights).max()) or 1.0) / np.iinfo(kind).max
        tensors = {"weights": np.round(weights / step).astype(kind), "errors": self.errors}
        settings = {
            "tuples": [list(it) for it in tuples.given],
            "shifted": tuples.shifted,
            "stages": self.network.stages.tolist(),
            "step": step,
        }
        return Contents(tensors, settings)

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        exact: int | None = None,
        selective: float | None = None,
        threats: int | None = None,
        width: int | None = None,
    ) -> Self:
        settings, weights, step = contents.settings, contents.tensors["weights"], contents.settings["step"]
        tuples = Tuples(game, tuple(map(tuple, settings["tuples"])), settings["shifted"] is True)
        if weights.dtype not in (np.int8, np.int16) or not is_number(step):
            raise ValueError(f"its weights are {weights.dtype} times {step!r:.40}")
        if not 0 <= np.iinfo(weights.dtype).max * step * len(tuples.placed) < CERTAIN:
            raise ValueError(f"its weights are whole numbers times {step:g}, which is too much")
        stages = np.array(contents.wholes("stages"), np.int64)
        network = Network(tuples, stages, weights.astype(np.float32) * np.float32(step))
        return cls(network, contents.floats("errors"), depth, nodes, seconds, exact, selective, threats, width)


@dataclass(frozen=True, eq=False)
class _Looking:
    """The search alone."""

    player: Patterns

    @property
    def name(self) -> str:
        return self.player.name

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        search = self.player._search()
        found = []
        for state in states[:, None]:
            search.forget(self.player.network.judge)  # a choice depends on the position alone
            found.append(self.player._look(search, state, self.player._limits))
        actions, values = zip(*found, strict=True)
        return Choice(np.array(actions, np.int16), values=self.player._chances(np.array(values)))
