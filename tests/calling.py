"""Inner functions, called by tests."""

from collections.abc import Callable
from typing import Any

import numba


def from_python(inner: Any) -> Callable[..., Any]:
    """An inner function with what Python needs to call it: called as it is, it would end the process."""
    compiled: Callable[..., Any] = numba.njit(inner.py_func)
    return compiled
