"""What a round of AlphaZero's recipes takes on two cores, by the clock: `python -m randori.app.bench.rounds [FILE]`.

Trains a few rounds, beginning with the networks of the zoo, and reads what the runs have noted. With a file it replaces
the table there that a comment marks.
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from randori.app.bench.machine import machine
from randori.app.bench.writing import publish
from randori.experiments.cpu import CountingWorkers
from randori.experiments.metrics import read_metrics
from randori.experiments.recipe import Recipe
from randori.experiments.report import markdown_table
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train
from randori.methods.alphazero.config import RECIPES

CORES = 2
_MEASURED = ("connect4-20m", "othello6-20m", "othello8-20m", "gomoku9-20m")
_SETTLING, _COUNTED = 2, 4
"""Rounds: the first one compiles and has nothing to learn from."""
_HEAD = ("recipe", "round", "play", "learn", "play waits", "learn waits", "positions/s", "positions/s, asynchronous")


class Round(NamedTuple):
    """Means over rounds, in seconds by the clock. An asynchronous one has no `play` and `learn` of its own."""

    seconds: float
    positions: float
    play: float
    learn: float


def measured(name: str, *, asynchronous: bool = False) -> Round:
    game = RECIPES[name].game
    assert game is not None
    config = replace(RECIPES[name].config, source=f"zoo/{game}-alphazero", asynchronous=asynchronous)
    recipe = Recipe(game, "alphazero", config, rounds=_SETTLING + _COUNTED, evaluate_games=0)
    with TemporaryDirectory() as folder, CountingWorkers(CORES) as staff:
        train(recipe, Path(folder) / "run", staff, seconds_a_row=0.0)
        rows = read_metrics(Path(folder) / "run" / METRICS_FILE)
    counted = rows[_SETTLING:]
    means = [_mean(counted, it) for it in ("positions", "seconds/play", "seconds/learn")]
    return Round((rows[-1]["seconds"] - rows[_SETTLING - 1]["seconds"]) / len(counted), *means)


def _mean(rows: list[dict[str, Any]], metric: str) -> float:
    return sum(it["metrics"].get(metric, 0.0) for it in rows) / len(rows)


def table() -> str:
    rows = []
    for name in _MEASURED:
        of_rounds, streamed = measured(name), measured(name, asynchronous=True)
        waits = of_rounds.learn - of_rounds.play
        seconds = (of_rounds.seconds, of_rounds.play, of_rounds.learn, max(0.0, waits), max(0.0, -waits))
        rates = (it.positions / it.seconds for it in (of_rounds, streamed))
        rows.append([f"`{name}`", *(f"{it:.2f} s" for it in seconds), *(f"{it:,.0f}" for it in rates)])
        print(*rows[-1], file=sys.stderr, flush=True)
    return f"{markdown_table(_HEAD, rows).strip()}\n\nMeasured on {machine()}."


if __name__ == "__main__":
    publish("rounds", table())
