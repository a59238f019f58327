"""The first hint on a machine that has compiled nothing yet."""

import os
import shutil

import pytest
from browsing import browser
from first_hint import measure
from processes import needs_proc

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no Chromium"),
]


@needs_proc
def test_a_first_hint_shows_that_it_is_under_way_and_comes_soon() -> None:
    """It takes less than six CPU seconds. Times by the clock mean something only on an otherwise idle machine."""
    with browser() as driver:
        measurement = measure(driver)
    assert measurement.cpu < 6.0, measurement
    if measurement.load < (os.cpu_count() or 1):
        assert measurement.until_busy < 0.1, measurement
        assert measurement.until_hint < 6.0, measurement
