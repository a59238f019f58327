"""The machine that figures were measured on."""

import platform
from pathlib import Path

from llvmlite import binding

# What each level of x86-64 adds, as far as kernels use it; by the psABI's definition.
_LEVELS = {"x86-64-v4": ("avx512f", "avx512bw", "avx512dq", "avx512vl"), "x86-64-v3": ("avx2", "bmi2", "fma")}


def cpu_level() -> str:
    """The highest level of x86-64 that the processor has, or the name of another architecture."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine()
    features = binding.get_host_cpu_features()
    return next((level for level, needs in _LEVELS.items() if all(map(features.get, needs))), "x86-64-v2")


def machine() -> str:
    """In a few words, as a heading of a table."""
    return f"{_processor()}, {cpu_level()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((it.partition(":")[2].strip() for it in lines if it.startswith("model name")), "unknown processor")
