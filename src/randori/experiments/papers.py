"""The papers: each lives in the room of its method and makes its tables again."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from randori.errors import UserError, suggest
from randori.experiments.cpu import CountingWorkers
from randori.experiments.report import Report
from randori.experiments.run import package_version
from randori.methods import Method, Paper, all_methods
from randori.registry import load

Scale = str
SEEDS_APART = 1000
"""More than any paper trains of one kind."""


@dataclass(frozen=True)
class Reproduction:
    """What is asked of a paper's file: which tables, how large, where, by whom."""

    paper: str
    scale: Scale
    table: int | None
    """Only this one; None for all."""
    folder: Path
    workers: CountingWorkers
    seed: int = 0
    numbers: tuple[int, ...] = ()
    """Of all its tables."""
    tell: Callable[[str], None] = lambda what: None
    """Is told what is being done."""

    def tables(self) -> Iterator[int]:
        """The numbers of the tables to make, each as its turn comes."""
        for number in self.numbers if self.table is None else (self.table,):
            self.tell(f"table {number}")
            yield number

    def seeds(self, n: int) -> range:
        """Of n runs of a kind: 0, 1, ..., and with another seed others."""
        return range(SEEDS_APART * self.seed, SEEDS_APART * self.seed + n)

    def signed(self, report: Report) -> Report:
        """With how it was made."""
        words = ["randori", "reproduce", self.paper, "--scale", self.scale]
        words += [] if self.table is None else ["--table", str(self.table)]
        words += [] if self.seed == 0 else ["--seed", str(self.seed)]
        return replace(report, command=shlex.join(words), version=package_version(), seed=self.seed)


Maker = Callable[[Reproduction], Report]
"""What a paper's file defines: its tables made again."""


def papers() -> dict[str, Method]:
    """The method of each paper, by the paper's name."""
    return {it.paper.name: it for it in all_methods().values() if it.paper is not None}


def load_paper(name: str) -> tuple[Paper, Maker]:
    """Raises UserError where there is no such paper, or a package is missing that its method needs."""
    known = papers()
    if name not in known:
        raise UserError(f"There is no paper '{name}'.{suggest(name, known)}")
    known[name].check_installed()
    paper = known[name].paper
    assert paper is not None
    return paper, load(paper.place)


def reproduce(
    name: str,
    scale: Scale,
    table: int | None,
    folder: Path,
    workers: CountingWorkers,
    *,
    seed: int = 0,
    tell: Callable[[str], None] = lambda what: None,
) -> Report:
    """A paper's tables, or one of them. Raises UserError for a paper, scale or table that there is not."""
    paper, make = load_paper(name)
    if scale not in paper.scales:
        raise UserError(f"The scales of '{name}' are {', '.join(paper.scales)}; there is no '{scale}'.")
    if table is not None and table not in paper.tables:
        listed = "; ".join(f"{number} {title}" for number, title in paper.tables.items())
        raise UserError(f"'{name}' has no table {table}. Its tables are: {listed}.")
    asked = Reproduction(name, scale, table, folder, workers, seed, tuple(paper.tables), tell)
    return asked.signed(make(asked))
