"""Runs the notebooks of the docs and stores their output in them: `python tests/notebooks.py [NAME ...]`.

Cells run one after the other in one namespace, as in Jupyter, which is not needed.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def run(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    """The same notebook with new output. Files go into the current folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            outputs = _run_cell("".join(cell["source"]), f"<{name}, cell {number}>", names)
            cell = {**cell, "execution_count": None, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _run_cell(source: str, place: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    # So that the source of a function can be found.
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    parts = ast.parse(source, place)
    last = parts.body.pop() if parts.body and isinstance(parts.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(parts, place, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        outputs.append(
            {"data": _shown(value), "execution_count": None, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def _shown(value: Any) -> dict[str, list[str]]:
    if hasattr(value, "_repr_svg_"):
        return {"image/svg+xml": _lines(value._repr_svg_())}
    return {"text/plain": _lines(repr(value))}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def written(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main(names: list[str]) -> None:
    """Runs the notebooks with these names, without suffix, or all."""
    for path in sorted(it for it in FOLDER.glob("*.ipynb") if not names or it.stem in names):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            path.write_text(written(run(read(path), path.name)), encoding="utf-8")
        print(os.path.relpath(path))


if __name__ == "__main__":
    main(sys.argv[1:])
