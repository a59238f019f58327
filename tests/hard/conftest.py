"""Hard tests of reliability: `make test-hard` runs them all and writes what held into docs/reliability.md."""

import platform
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import pytest

from randori.workers import cpus

HERE = Path(__file__).parent
MINUTES = 6.0
"""For a test without `@pytest.mark.hard(minutes=...)`."""

_HEAD = """# Reliability

What Randori promises, and what was done to break it. Written by `make test-hard`, which runs every line again;
the tests are in `tests/hard`. A promise that did not hold says so in the last column.

{when}, {machine}, {cores} cores, {minutes:.0f} minutes.

| promise | what was tried | how often | what held |
|---|---|---|---|
"""


@dataclass
class Row:
    promise: str
    tried: str
    times: int
    held: str

    def __str__(self) -> str:
        cells = (self.promise, self.tried, f"{self.times:,}", self.held)
        return "| " + " | ".join(it.replace("|", "\\|").replace("\n", " ") for it in cells) + " |"


@dataclass
class Table:
    rows: list[Row] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def text(self) -> str:
        head = _HEAD.format(
            when=datetime.now(UTC).date().isoformat(),
            machine=f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}",
            cores=cpus(),
            minutes=(time.monotonic() - self.began) / 60,
        )
        return head + "".join(f"{row}\n" for row in self.rows)


TABLE = pytest.StashKey[Table]()
Promise = Callable[[str, str, int, str], None]


@pytest.fixture
def promise(request: pytest.FixtureRequest) -> Promise:
    """`promise(promise, tried, times, held)` adds a line to the table, once everything has held."""
    table = request.config.stash[TABLE]

    def add(promise: str, tried: str, times: int, held: str) -> None:
        table.rows.append(Row(promise, tried, times, held))

    return add


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reliability", metavar="FILE", help="Writes the table of what held into this file.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TABLE] = Table()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("hard") is None:
            item.add_marker(pytest.mark.hard)


@pytest.fixture(autouse=True)
def _bounded(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that takes too long fails: many of them look for hangs."""
    mark = request.node.get_closest_marker("hard")
    minutes = float(mark.kwargs.get("minutes", MINUTES))

    def give_up(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {minutes:g} minutes")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 60 * minutes)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    if report.failed and call.excinfo is not None:
        sentence = call.excinfo.exconly().splitlines()[0]
        name = item.name.removeprefix("test_").replace("_", " ")
        item.config.stash[TABLE].rows.append(Row(name, f"`{item.nodeid}`", 1, f"**failed**: {sentence[:200]}"))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--reliability", default=None)
    if path and session.config.stash[TABLE].rows:
        Path(path).write_text(session.config.stash[TABLE].text(), encoding="utf-8")
