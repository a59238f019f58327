"""Inner functions, called by tests."""

from collections.abc import Callable
from typing import Any

import numba


def from_python(inner: Any) -> Callable[..., Any]:
    """Wraps an inner function so that Python can call it; without that, the call would end the process."""
    compiled: Callable[..., Any] = numba.njit(inner.py_func)
    return compiled
