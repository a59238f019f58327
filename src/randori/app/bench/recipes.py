"""How long AlphaZero's recipes take: `python -m randori.app.bench.recipes [FILE]`.

Measures what self-play and learning of a round cost, on one core by CPU time, and how long the recipe's number of rounds
would take on two cores, since without `--rounds` a recipe ends after its time. With a file it replaces the table there that
a comment marks.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori import games, players
from randori.app.bench.machine import machine
from randori.app.bench.scaling import Costs, record
from randori.app.bench.writing import publish
from randori.core.game import Game
from randori.errors import UserError
from randori.experiments.report import markdown_table
from randori.methods.alphazero.config import RECIPES, AlphaZeroConfig
from randori.methods.alphazero.learner import GAMES_A_TASK, AlphaZeroLearner
from randori.methods.alphazero.player import AlphaZero
from randori.networks import Network
from randori.workers import Workers

CORES = 2
RATING = 0.1
"""The share of a training that goes to ratings, unless a flag says otherwise."""
WHOLE = 1.25
"""How many times as long as its parts a round takes in a training, where both go on side by side: 1.17 and 1.32 in two on
Connect Four, `connect4-30s` and `connect4-20m`."""
_HEAD = (
    "recipe", "network", "rounds", "positions per game", "ms per position played", "ms per position learned",
    "CPU s per round", "minutes", "rounds that would fit",
)  # fmt: skip


class Pace(NamedTuple):
    """What a recipe takes."""

    costs: Costs
    round: float
    """CPU seconds."""
    positions: float
    """Of a game between networks that have learned, where the zoo has one."""

    def minutes(self, rounds: int) -> float:
        return rounds * self.round / CORES / (1 - RATING) / 60


def paces() -> Iterator[tuple[str, Pace]]:
    """Recipes that differ only in how many games they play share a measurement."""
    measured = dict[tuple[str, AlphaZeroConfig], tuple[Costs, float]]()
    for name, preset in RECIPES.items():
        assert preset.game is not None
        game = games.game(preset.game)
        config = replace(preset.config, source=None, games=GAMES_A_TASK, window=1, horizon=1)
        if (game.name, config) not in measured:
            measured[game.name, config] = _measured(game, config)
        costs, positions = measured[game.name, config]
        a_position = (costs.play + costs.learn) / costs.positions
        yield name, Pace(costs, WHOLE * preset.config.games * positions * a_position, positions)


def _measured(game: Game, config: AlphaZeroConfig) -> tuple[Costs, float]:
    """What a task costs, and the positions of a game between networks that have learned, where the zoo has one."""
    learned, blank = _learned(game), _blank(game, config)
    if learned is None or learned.architecture == blank.architecture:
        costs = record(game, config, learned or blank)[0]
        return costs, costs.positions / GAMES_A_TASK
    return record(game, config, blank)[0], record(game, config, learned)[0].positions / GAMES_A_TASK


def _learned(game: Game) -> Network | None:
    try:
        found = players.player(f"zoo/{game.name}-alphazero", game)
    except UserError:
        return None
    assert isinstance(found, AlphaZero)
    return found.network


def _blank(game: Game, config: AlphaZeroConfig) -> Network:
    return AlphaZeroLearner(game, config, np.random.default_rng(0), Workers(1)).player().network


def table() -> str:
    rows = []
    for name, pace in paces():
        config, rounds, seconds = RECIPES[name].config, RECIPES[name].rounds, RECIPES[name].budget
        assert rounds is not None
        assert seconds is not None
        rows.append(
            [
                f"`{name}`",
                f"{config.channels} x {config.blocks}",
                f"{rounds:,}",
                f"{pace.positions:.1f}",
                f"{1000 * pace.costs.play / pace.costs.positions:.3f}",
                f"{1000 * pace.costs.learn / pace.costs.positions:.3f}",
                f"{pace.round:.2f}",
                f"{pace.minutes(rounds):.1f}",
                f"{seconds / 60 / pace.minutes(1):,.0f}",
            ]
        )
        print(*rows[-1], file=sys.stderr, flush=True)
    return f"{markdown_table(_HEAD, rows).strip()}\n\nMeasured on {machine()}."


if __name__ == "__main__":
    publish("recipes", table())
