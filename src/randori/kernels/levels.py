"""Levels of x86-64 processors that kernels are shipped for, and the best one that this machine has."""

from functools import cache

import numba
from numba.core.codegen import get_host_cpu_features

_V3 = {"avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf"}
_V3 |= {"sse3", "sse4.1", "sse4.2", "ssse3", "xsave"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3}
"""What a processor of each level can do, in the words of the compiler, the best level first."""


@cache
def levels_here() -> tuple[str, ...]:
    """The levels whose code runs on this machine, the best first."""
    can = {it[1:] for it in get_host_cpu_features().split(",") if it.startswith("+")}
    return tuple(level for level, needed in LEVELS.items() if needed <= can)


def shipped_level() -> str | None:
    """The level whose shipped kernels are right here; None where there is none, or somebody told numba what to compile for."""
    told = numba.config.CPU_NAME is not None or numba.config.CPU_FEATURES is not None
    return None if told else next(iter(levels_here()), None)
