"""`randori inspect`."""

import json as to_text
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import safe_open

from randori import games
from randori.app.flags import JsonFlag, Switch, TrainedFlag
from randori.app.terminal import print_json
from randori.arena import in_words
from randori.experiments.metrics import read_metrics
from randori.experiments.run import METRICS_FILE, RECIPE_FILE
from randori.players.files import Card, find_file, read_card, read_tensors


def inspect(file: TrainedFlag, all: Switch = False, json: JsonFlag = False) -> None:
    """Shows what is known about a trained player: its game, how it was trained, its rating.

    Args:
        all: Also show every setting, the opponents behind the rating, and the arrays.
    """
    path = find_file(file)
    card, arrays = read_card(path), _arrays(path)
    figures = {"file": str(path), **asdict(card), "arrays": arrays, "bytes": path.stat().st_size}
    if (path.parent / RECIPE_FILE).is_file():
        rows = read_metrics(path.parent / METRICS_FILE)
        figures["last_row"] = rows[-1] if rows else None
    if json:
        print_json(figures)
        return
    shown = figures if all else dict(_in_short(card, path, len(arrays)))
    width = max(map(len, shown))
    for key, value in shown.items():
        print(f"{key:{width}}  {_text(value)}")
    if not all:
        print(f"`randori inspect {file} --all` shows every setting, opponent and array.")


def _in_short(card: Card, path: Path, n_arrays: int) -> Iterator[tuple[str, str]]:
    training = card.training
    yield "game", f"{card.game} ({games.game(card.game).title})"
    yield "learner", card.learner
    yield "training", f"{training.get('games', 0):,} games in {training.get('rounds', 0):,} rounds{_time(training)}"
    if "command" in training:
        yield "command", training["command"]
    if card.rating is None:
        yield "rating", "none"
    else:
        yield "rating", f"{in_words(card.rating)}, from {card.rating.get('games', '?')} games"
    yield "file", f"{path} ({path.stat().st_size:,} bytes, {n_arrays} {'array' if n_arrays == 1 else 'arrays'})"


def _time(training: dict[str, Any]) -> str:
    spent = training.get("cpu_seconds")
    return f", {spent:,.0f} CPU seconds" if isinstance(spent, int | float) else ""


def _arrays(path: Path) -> dict[str, str]:
    """The type and shape of each array, as in `F32 [64, 3]`."""
    read_tensors(path)  # raises UserError where they are damaged
    with safe_open(path, framework="numpy") as file:
        slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
        return {name: f"{it.get_dtype()} {it.get_shape()}" for name, it in slices.items()}


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(it)}" for key, it in value.items()) or "none"
    return "none" if value is None else value if isinstance(value, str) else to_text.dumps(value)
