"""Where the docs are that the page shows: an installed package has them inside, a checkout beside its sources."""

from pathlib import Path

_HERE = Path(__file__).parent

DOCS = _HERE / "docs" if (_HERE / "docs").is_dir() else _HERE.parents[1] / "docs"
