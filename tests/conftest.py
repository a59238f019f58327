"""Settings and fixtures that tests share."""

import importlib.util
import signal
import sys
from collections.abc import Iterator

import pytest
from browsing import address, driver, folder, visitor  # noqa: F401  fixtures of the page's tests
from databases import postgresql, postgresql_programs
from hypothesis import settings

from randori.app.service.store import Store

# A first call may compile a kernel, so examples have no deadline; the next run must reproduce a failure.
settings.register_profile("randori", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("randori")

# These need memory limits, named pipes and signals that kill, which do not exist on Windows.
# Nor does OpenSpiel, the judge of our rules.
_NOT_ON_WINDOWS = ["hard", "test_damage.py", "test_rogues.py", "test_rules.py", "test_workers.py"]
collect_ignore = _NOT_ON_WINDOWS if sys.platform == "win32" else []

# Tests that a shell runs in the background would ignore Ctrl-C, as would every program that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a new database of every kind that is supported."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('database') / 'page.sqlite'}"
        return
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("its driver is not installed (pip install 'randori[postgresql]')")
    with postgresql(programs) as url:
        yield url


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = Store(database)
    yield store
    store.close()
