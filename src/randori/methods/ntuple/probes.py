"""How far shallow searches are from deeper ones, measured on a network's own positions: what multi-ProbCut needs."""

import numpy as np
from numpy.typing import NDArray

from randori.core.game import States
from randori.kernels.records import allocate
from randori.kernels.searches import PHASES, PROBED
from randori.methods.ntuple.kernels.selfplay import Lessons, Schooling, play_games
from randori.methods.ntuple.network import Network
from randori.search.alphabeta import AlphaBeta, Limits, Probes

_PAIRS = {3: 1, 4: 2, 5: 1, 6: 2}
"""The depths that are compared."""
N_PAIRS = len(_PAIRS)
_NEAR_THE_END = 1e5
"""Values are certain from there on."""
_GAMES, _POSITIONS = 64, 60
_NODES = 50_000
"""For a position; where games are so wide that this is not enough, the deeper pairs are not measured and not used."""


def measure_errors(network: Network) -> NDArray[np.float64]:
    """`[PHASES, pairs]`: the root of the mean squared difference of the two searches, by phase of the game."""
    game = network.game
    errors = np.zeros((PHASES, N_PAIRS))
    if game.knowledge.candidates is not None:
        return errors  # no probes there: depth 6 over many squares takes too long to measure, and whether they pay is not known
    states = own_positions(network)
    left, most = game.moves_left(states), int(game.moves_left(game.start(1))[0])
    phases = np.minimum(PHASES * left // (most + 1), PHASES - 1)
    search = AlphaBeta(game, network.judge, network.scale)
    for phase in range(PHASES):
        # Near the end of the game both searches see it.
        chosen = states[(phases == phase) & (left > max(_PAIRS))][:: max(1, (phases == phase).sum() // _POSITIONS)]
        values = np.array([_values(search, state) for state in chosen[:, None]]).reshape(-1, max(_PAIRS))
        for pair, (deep, shallow) in enumerate(_PAIRS.items()):
            errors[phase, pair] = _root_mean_square(values[:, deep - 1] - values[:, shallow - 1])
    return errors


def probes(errors: NDArray[np.float64], sigmas: float) -> Probes:
    """Probes that are wrong about once in as many positions as a deviation of `sigmas` standard errors is rare.

    Beyond the depths that were measured, errors are those of the deepest pair that is as odd or as even.
    """
    shallow, margins = np.zeros(PROBED, np.int64), np.zeros((PHASES, PROBED))
    for depth in range(min(_PAIRS), PROBED):
        known = depth if depth in _PAIRS else max(_PAIRS) - (depth - max(_PAIRS)) % 2
        measured, half = errors[:, list(_PAIRS).index(known)], depth // 2
        if measured.all():
            shallow[depth] = _PAIRS.get(depth, half - (depth - half) % 2)
            margins[:, depth] = sigmas * measured
    return Probes(shallow, margins)


def own_positions(network: Network) -> States:
    """Of quick games against itself, the same for the same weights."""
    game = network.game
    lessons = allocate(Lessons, np.empty, n_positions=_GAMES * (game.max_plies + 1), n_words=game.words)
    openings = int(game.moves_left(game.start(1))[0]) // 6
    schooling = Schooling(depth=1, exact=0, random_plies=openings, exploration=0.05, trace=0.0)
    seeds = np.arange(_GAMES, dtype=np.uint64)
    n = play_games(game.rules, network.judge.table, network.search(1024), schooling, seeds, lessons)
    return lessons.states[:n]


def _values(search: AlphaBeta, state: States) -> NDArray[np.float64]:
    """At each depth; nan where it was not reached, or where the end of the game is seen."""
    values = np.full(max(_PAIRS), np.nan)
    for it in search.deepen(state, Limits(depth=max(_PAIRS), nodes=_NODES)):
        if it.whole and abs(it.value) < _NEAR_THE_END:
            values[it.depth - 1] = it.value
    return values


def _root_mean_square(differences: NDArray[np.float64]) -> float:
    known = differences[np.isfinite(differences)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else 0.0
