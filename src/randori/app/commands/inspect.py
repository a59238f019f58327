"""`randori inspect`."""

import json as to_text
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import safe_open
from tyro.conf import Positional

from randori.app.terminal import print_json
from randori.experiments.metrics import read_metrics
from randori.experiments.run import METRICS_FILE, RECIPE_FILE
from randori.players.files import find_file, read_card, read_tensors


def inspect(file: Positional[str], json: bool = False) -> None:
    """What a player file says about its player: game, learner, settings, training, rating, arrays.

    Args:
        file: A player file, the folder of a run, or `zoo/NAME`.
        json: Print one JSON object instead of text.
    """
    path = find_file(file)
    figures = {"file": str(path), **asdict(read_card(path)), "arrays": _arrays(path), "bytes": path.stat().st_size}
    if (path.parent / RECIPE_FILE).is_file():
        rows = read_metrics(path.parent / METRICS_FILE)
        figures["last_row"] = rows[-1] if rows else None
    if json:
        print_json(figures)
        return
    width = max(map(len, figures))
    for key, value in figures.items():
        print(f"{key:{width}}  {_text(value)}")


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
