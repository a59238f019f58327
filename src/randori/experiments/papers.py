"""The papers: each lives in the room of its method and makes its tables again."""

from pathlib import Path
from typing import Literal, Protocol

from randori.errors import UserError, suggest
from randori.experiments.cpu import CountingWorkers
from randori.experiments.report import Report
from randori.methods import Method, all_methods
from randori.registry import load

Scale = Literal["quick", "full"]


class Reproduction(Protocol):
    """What a paper's file defines: its tables made again, `table` alone where one is named."""

    def __call__(self, scale: Scale, table: int | None, folder: Path, workers: CountingWorkers) -> Report: ...


def papers() -> dict[str, Method]:
    """The method of each paper, by the paper's name."""
    return {it.paper.name: it for it in all_methods().values() if it.paper is not None}


def load_paper(name: str) -> Reproduction:
    """Raises UserError where there is no such paper, or a package is missing that its method needs."""
    known = papers()
    if name not in known:
        raise UserError(f"There is no paper '{name}'.{suggest(name, known)}")
    known[name].check_installed()
    paper = known[name].paper
    assert paper is not None
    found: Reproduction = load(paper.place)
    return found
