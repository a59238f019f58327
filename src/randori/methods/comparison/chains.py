"""Freisleben's network (1995) in the making, and his learning rule."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Floats, Game
from randori.methods.comparison.chains_player import FIRST_CROSSINGS, Comparison, wiring
from randori.methods.comparison.config import ComparisonConfig
from randori.methods.comparison.kernels import chains as kernel
from randori.methods.comparison.network import Lesson, other_network
from randori.players import Player
from randori.workers import Workers

SKIP, COMPARE, REWARD = 0, 1, 2  # lessons of a ply, as the kernel knows them


class Chains:
    """Freisleben's network and learning rule."""

    def __init__(self, game: Game, config: ComparisonConfig, rng: np.random.Generator) -> None:
        self.game, self.config, self.crossings = game, config, config.crossings
        self.weights: Floats = config.first_weights * rng.random((2, len(wiring(game, self.crossings).factors)))
        self.balance = np.array([config.attack, config.defence])

    def player(self) -> Comparison:
        return Comparison(self.game, self.weights.copy(), self.balance, self.crossings)

    sparring = player

    def study(self, lessons: Sequence[Lesson], rng: np.random.Generator, workers: Workers) -> dict[str, float]:
        stream = rng.integers(2**63, size=1, dtype=np.uint64)
        tally = np.zeros(3)
        for games, seat in lessons:
            for actions, outcome in zip(games.actions, games.outcomes, strict=True):
                played = actions[actions >= 0]
                kernel.learn_game(
                    wiring(self.game, self.crossings), self.weights, self.balance, played,
                    paper_lessons(len(played), seat, int(outcome), games.opening_plies),
                    self.config.rate, self.config.reward, stream, tally,
                )  # fmt: skip
        compared, equal, difference = tally
        agreed = {"agreement": equal / compared, "difference": difference / compared} if compared else {}
        return {"weight": float(self.weights.mean()), **agreed}

    def begin_with(self, trained: Player) -> None:
        if not isinstance(trained, Comparison):
            raise other_network(trained, "chains")
        self.weights, self.crossings = trained.weights.copy(), trained.crossings

    def state(self) -> dict[str, Any]:
        return {"weights": self.weights, "crossings": self.crossings}

    def restore(self, state: dict[str, Any]) -> None:
        # A run that began before there was a choice keeps the wiring that it learned with.
        self.weights, self.crossings = state["weights"].copy(), state.get("crossings", FIRST_CROSSINGS)


def paper_lessons(n_plies: int, seat: int, outcome: int, opening_plies: int) -> NDArray[np.int8]:
    """What the paper learns from a game: the opponent's moves where it won, else the network's own; a draw nothing.

    `outcome` is for the side that began; without a seat of the network's own, whoever won is the teacher.
    """
    lessons = np.full(n_plies, SKIP, np.int8)
    if outcome != 0:
        winner = 0 if outcome > 0 else 1
        lessons[winner::2] = REWARD if winner == seat else COMPARE
    lessons[:opening_plies] = SKIP
    return lessons
