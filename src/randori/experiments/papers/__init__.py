"""The papers: one file each with recipes, published numbers and tables, and one line in the table here."""

from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol

from randori.errors import UserError, suggest
from randori.experiments.cpu import CountingWorkers
from randori.experiments.report import Report

Scale = Literal["quick", "full"]


class Paper(Protocol):
    """What a paper's file defines: its tables made again, `table` alone where one is named."""

    def __call__(self, scale: Scale, table: int | None, folder: Path, workers: CountingWorkers) -> Report: ...


PAPERS: dict[str, str] = {
    "freisleben": "randori.experiments.papers.freisleben:reproduce",
    "handa": "randori.experiments.papers.handa:reproduce",
    "hongcharoen": "randori.experiments.papers.hongcharoen:reproduce",
    "humphreys": "randori.experiments.papers.humphreys:reproduce",
    "kamei": "randori.experiments.papers.kamei:reproduce",
}
"""`module:function` by the name of the paper."""


def load_paper(name: str) -> Paper:
    if not PAPERS:
        raise UserError("No paper is ready to be reproduced yet.")
    if name not in PAPERS:
        raise UserError(f"There is no paper '{name}'.{suggest(name, PAPERS)}")
    module, _, function = PAPERS[name].partition(":")
    found: Paper = getattr(import_module(module), function)
    return found
