"""Waiting for something that happens in its own time."""

import time
from collections.abc import Callable
from typing import Any


def wait_for(found: Callable[[], Any], seconds: float = 60.0, say: Callable[[], str] = lambda: "") -> Any:
    """Returns what `found` finds, as soon as it finds something; `say` describes the situation if it never does."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        result = found()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"nothing after {seconds:g} s {say()}")
