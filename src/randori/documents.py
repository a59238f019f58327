"""Where to find the docs that the page shows: inside an installed package, beside the sources of a checkout."""

from pathlib import Path

_HERE = Path(__file__).parent

DOCS = _HERE / "docs" if (_HERE / "docs").is_dir() else _HERE.parents[1] / "docs"
