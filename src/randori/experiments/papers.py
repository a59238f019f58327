"""The papers: each lives in the room of its method and reproduces its tables."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from randori.documents import DOCS
from randori.errors import UserError, suggest
from randori.experiments.cpu import CountingWorkers
from randori.experiments.report import Report, read_report
from randori.experiments.run import package_version
from randori.experiments.spent import Spent
from randori.methods import Method, Paper, all_methods
from randori.registry import load

STORED = DOCS / "papers"
"""The reports that are part of the package, in a folder for each paper."""
Scale = str
SEEDS_APART = 1000
"""More than the number of trainings of one kind in any paper."""


@dataclass(frozen=True)
class Reproduction:
    """A request to reproduce a paper: which tables, how large, in which folder, with which workers."""

    paper: str
    scale: Scale
    table: int | None
    """Only this one; None for all."""
    folder: Path
    workers: CountingWorkers
    spent: Spent
    numbers: tuple[int, ...]
    """Of all its tables."""
    seed: int = 0
    tell: Callable[[str], None] = lambda what: None
    """Gets the name of each step."""

    @property
    def wanted(self) -> tuple[int, ...]:
        """The numbers of the tables to make."""
        return self.numbers if self.table is None else (self.table,)

    def tables(self) -> Iterator[int]:
        """The same, each as its turn comes."""
        for number in self.wanted:
            self.tell(f"table {number}")
            yield number

    def seeds(self, n: int) -> range:
        """The seeds of `n` runs of a kind: 0, 1, ..., or others with another seed."""
        return range(SEEDS_APART * self.seed, SEEDS_APART * self.seed + n)

    def signed(self, report: Report) -> Report:
        """The report with its command, version, seed and CPU time."""
        command, spent = command_of(self.paper, self.scale, self.table, self.seed), round(self.spent.seconds, 1)
        return replace(report, command=command, version=package_version(), seed=self.seed, cpu_seconds=spent)

    def save_so_far(self, report: Report) -> None:
        """Writes the results so far, marked as not yet complete."""
        self.signed(replace(report, title=f"{report.title} (not yet complete)")).save(self.folder)


def command_of(paper: str, scale: Scale, table: int | None = None, seed: int = 0) -> str:
    """The command that reproduces it."""
    words = ["randori", "reproduce", paper, "--scale", scale]
    words += [] if table is None else ["--table", str(table)]
    return shlex.join([*words, *([] if seed == 0 else ["--seed", str(seed)])])


Maker = Callable[[Reproduction], Report]
"""The function that a paper's file defines: it reproduces the tables."""


def papers() -> dict[str, Method]:
    """The method of each paper, by the paper's name."""
    return {it.paper.name: it for it in all_methods().values() if it.paper is not None}


def find_paper(name: str) -> Paper:
    """Raises UserError where there is no such paper."""
    known = papers()
    if name not in known:
        raise UserError(f"There is no paper '{name}'.{suggest(name, known)}")
    paper = known[name].paper
    assert paper is not None
    return paper


def load_paper(name: str) -> Maker:
    """Raises UserError where there is no such paper, or a package is missing that its method needs."""
    paper = find_paper(name)
    papers()[name].check_installed()
    found: Maker = load(paper.place)
    return found


def check_asked(paper: Paper, scale: Scale, table: int | None) -> None:
    """Raises UserError for a scale or a table that the paper does not have."""
    if not paper.scales:
        raise UserError(f"The paper '{paper.name}' names no scales; its `Paper` record has to.")
    if scale not in paper.scales:
        raise UserError(f"'{paper.name}' has no scale '{scale}'. Its scales are: {', '.join(paper.scales)}.")
    if table is not None and table not in paper.tables:
        listed = "; ".join(f"{number} {title}" for number, title in paper.tables.items())
        raise UserError(f"'{paper.name}' has no table {table}. Its tables are: {listed}.")


def cpu_minutes(paper: Paper, scale: Scale) -> float | None:
    """Of all tables: what the stored report took where it is of this scale, else what the paper's record says."""
    stored = STORED / paper.name / "report.json"
    report = read_report(stored) if stored.is_file() else Report("")
    if report.cpu_seconds is not None and report.command == command_of(paper.name, scale):
        return report.cpu_seconds / 60
    return paper.scales[scale].cpu_minutes


def reproduce(
    name: str,
    scale: Scale,
    table: int | None,
    folder: Path,
    workers: CountingWorkers,
    *,
    seed: int = 0,
    tell: Callable[[str], None] = lambda what: None,
    show: Callable[[Spent, int, int], None] = lambda spent, ended, of: None,
) -> Report:
    """A paper's tables, or one of them. If it was interrupted, the same call continues where it stopped.

    `tell` gets the name of each table; `show`, as tasks end, how many of those at hand have ended, and what all took so far.
    Raises UserError for a paper, scale or table that does not exist.
    """
    paper = find_paper(name)
    check_asked(paper, scale, table)
    make = load_paper(name)
    # Workers elsewhere may have another folder of their own.
    folder = folder.absolute()
    spent = Spent(folder, command_of(name, scale, table, seed), workers)

    def watch(ended: int, of: int) -> None:
        spent.keep()
        show(spent, ended, of)

    workers.watch = watch
    reproduction = Reproduction(name, scale, table, folder, workers, spent, tuple(paper.tables), seed, tell)
    report = make(reproduction)
    spent.keep(at_once=True)
    return reproduction.signed(report)
