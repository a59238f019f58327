"""The notebooks of the docs run, and show what they would show today."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import notebooks
import pytest

from randori import games

LARGEST = 100_000
"""Bytes of a notebook with its pictures."""


def kinds(notebook: dict[str, Any]) -> list[list[tuple[str, ...]]]:
    """What kinds of output each cell has; figures may differ, since some of them are times."""
    return [
        [(it["output_type"], *it.get("data", ())) for it in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Forgets games that a notebook registers, since other tests run on every registered game."""
    known = games.REGISTRY.foreign()
    yield
    for name in games.REGISTRY.foreign().keys() - known.keys():
        games.REGISTRY._foreign.pop(name)


@pytest.mark.thorough
@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("path", sorted(notebooks.FOLDER.glob("*.ipynb")), ids=lambda it: it.stem)
def test_it_runs_and_its_outputs_are_kept(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stored = notebooks.read(path)
    assert kinds(notebooks.run(stored, path.name)) == kinds(stored), "make notebooks"


@pytest.mark.parametrize("path", sorted(notebooks.FOLDER.glob("*.ipynb")), ids=lambda it: it.stem)
def test_it_is_small_and_written_as_the_program_writes_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST
    assert text == notebooks.written(notebooks.read(path))


def test_a_cell_gives_what_it_prints_and_its_last_value() -> None:
    cells = [{"cell_type": "code", "source": ["print(1)\n", "2"], "outputs": []}]
    [cell] = notebooks.run({"cells": cells}, "made up")["cells"]
    printed, value = cell["outputs"]
    assert printed["text"] == ["1\n"]
    assert value["data"] == {"text/plain": ["2"]}
