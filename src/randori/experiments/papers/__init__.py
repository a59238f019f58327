"""The papers: one file each with recipes, published numbers and tables, and one line in the table here."""

from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol

from randori.errors import UserError, suggest
from randori.experiments.cpu import CountingWorkers
from randori.experiments.report import Report
from randori.learners import check_installed

Scale = Literal["quick", "full"]


class Paper(Protocol):
    """What a paper's file defines: its tables made again, `table` alone where one is named."""

    def __call__(self, scale: Scale, table: int | None, folder: Path, workers: CountingWorkers) -> Report: ...


PAPERS: dict[str, str] = {
    "freisleben": "comparison",
    "handa": "evolution",
    "hongcharoen": "alphazero",
    "humphreys": "deep-q",
    "kamei": "som",
}
"""The learner of each paper. The file of its name defines `reproduce`, and may need what its learner needs."""


def load_paper(name: str) -> Paper:
    if name not in PAPERS:
        raise UserError(f"There is no paper '{name}'.{suggest(name, PAPERS)}")
    check_installed(PAPERS[name])
    found: Paper = import_module(f"{__name__}.{name}").reproduce
    return found
