"""How hard puzzles are: who of the ladder finds their answers."""

from collections.abc import Sequence

import numpy as np

from randori import players
from randori.arena import Score, rate_one
from randori.core.game import Actions, Game, States
from randori.experiments.ladder import ladder

TRIES = 8
"""That every rung has at each puzzle; some choose by chance."""
_WEIGHT = 2
"""Games that all tries of a rung count as: one that knows the answer, or does not, says the same eight times."""


def ratings(game: Game, states: States, answers: Sequence[int], seed: int) -> list[float]:
    """Of puzzles, `[B, words]`, on the scale of the ladder.

    Each is rated as if it were a player that has lost to whoever found its answer and won against the others, by the
    Bradley-Terry model that rates everybody here.
    """
    known = ladder(game)
    found = {spec: _times_found(game, spec, states, np.array(answers), seed) for spec in known}
    rated = []
    for i in range(len(states)):
        scores = {spec: Score(TRIES - int(it[i]), 0, int(it[i]), _WEIGHT) for spec, it in found.items()}
        rated.append(round(rate_one("puzzle", known, scores).elo))
    return [float(it) for it in rated]


def _times_found(
    game: Game, spec: str, states: States, answers: Actions, seed: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    player, rng = players.player(spec, game), np.random.default_rng(seed)
    times = np.zeros(len(states), np.int64)
    for _ in range(TRIES):
        times += player.choose(states, rng).actions == answers
    return times
