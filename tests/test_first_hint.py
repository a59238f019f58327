"""The first hint on a machine that has compiled nothing yet."""

import os
import shutil

import pytest
from first_hint import measure
from pictures import browser
from processes import needs_proc

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no Chromium"),
]


@needs_proc
def test_a_first_hint_is_seen_to_be_under_way_and_comes_soon() -> None:
    """Its work is less than six seconds of one core. What a clock shows means something only while nobody else works."""
    with browser() as driver:
        taken = measure(driver)
    assert taken.cpu < 6.0, taken
    if taken.load < (os.cpu_count() or 1):
        assert taken.until_busy < 0.1, taken
        assert taken.until_hint < 6.0, taken
