"""Kernels that come with the package: found without a cache, and harmless if damaged or made for another machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from randori.kernels.levels import LEVELS, levels_here
from randori.players.files import ZOO

_ROOT = Path(__file__).parent.parent
_SOURCE = """
import sys
from pathlib import Path

from randori.kernels import kept

kept.SHIPPED = Path(sys.argv[1])

from numba import types

from randori.kernels.compile import kernel


@kernel(types.float64(types.int64))
def halves(number):
    total = 0.0
    for i in range(number):
        total += i / 2
    return total


print(halves(8))
"""
needs_level = pytest.mark.skipif(not levels_here(), reason="kernels are shipped for x86-64-v3 and better")


def run(folder: Path, **environment: str) -> str:
    """The stderr of a process that finds shipped kernels in `folder` and has an empty cache, or the given one."""
    (folder / "halves.py").write_text(_SOURCE)
    cache = {"RANDORI_CACHE": str(folder / f"cache-{len(list(folder.iterdir()))}")}
    result = subprocess.run(
        [sys.executable, str(folder / "halves.py"), str(folder / "shipped")],
        env={**os.environ, **cache, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "14.0\n"
    return result.stderr


def ship(folder: Path, level: str) -> Path:
    """Has the kernel compiled for a level and moves it to where shipped ones are."""
    cache = folder / "cache"
    run(folder, NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="", RANDORI_CACHE=str(cache))
    shutil.move(cache / "kernels", folder / "shipped" / level)
    (found,) = (folder / "shipped" / level).rglob("*.kernel")
    return found


@needs_level
@pytest.mark.thorough
def test_a_shipped_kernel_is_not_compiled_again(tmp_path: Path) -> None:
    assert "compiling" in run(tmp_path)
    best, *others = levels_here()
    for level in others:
        ship(tmp_path, level)
        assert "compiling" in run(tmp_path), "of two levels only the best is right"
    path = ship(tmp_path, best)
    assert run(tmp_path) == ""
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.copytree(tmp_path / "shipped", moved / "shipped")
    assert run(moved) == "", "where the package lies does not matter"
    (tmp_path / "no folder").write_text("")
    assert run(tmp_path, RANDORI_CACHE=str(tmp_path / "no folder")) == "", "nor does a cache that cannot be written"
    assert "compiling" in run(tmp_path, NUMBA_CPU_NAME="generic"), "another processor gets code of its own"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert "compiling" in run(tmp_path)
    path.write_bytes(b"")
    assert "compiling" in run(tmp_path)


def test_levels_are_the_best_first_and_each_has_what_the_next_one_has() -> None:
    better, *others = LEVELS.values()
    for level in others:
        assert level < better
        better = level


_FIRST_MOVE = """
import sys

import numpy as np

from randori.games import game
from randori.players import player

name = sys.argv[1]
here = game(name.partition("/")[2].partition("-")[0])
player(name, here).choose(here.start(1), np.random.default_rng(0))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with our wheel in it, beside what is installed here."""
    folder = tmp_path_factory.mktemp("installed")
    sources = folder / "sources"
    shutil.copytree(
        _ROOT / "src", sources / "src", ignore=shutil.ignore_patterns("shipped", "__pycache__", "*.egg-info")
    )
    shutil.copytree(_ROOT / "docs", sources / "docs")
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(_ROOT / name, sources)
    of_sources = {**os.environ, "PYTHONPATH": str(sources / "src")}
    subprocess.run([sys.executable, "-m", "randori.app.make_kernels"], env=of_sources, check=True)
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(sources),
    ]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("*.whl")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert f"-{tag}-{tag}-" in wheel.name
    assert "-any" not in wheel.name
    assert wheel.stat().st_size < 12e6
    place = folder / "place"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(packages), str(wheel)], check=True
    )
    package = packages / "randori"
    assert all((package / it).is_file() for it in ("docs/papers/README.md", "docs/papers/kamei/report.json"))
    assert all(any(package.glob(it)) for it in ("zoo/*.safetensors", "app/page/*.css", "docs/images/*.svg"))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    return place / "bin" / "python"


@needs_level
@pytest.mark.slow
def test_an_installed_wheel_compiles_nothing_for_a_first_move(installed: Path, tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["RANDORI_CACHE"] = str(tmp_path)
    for path in sorted(ZOO.glob("*.safetensors")):
        command = [str(installed), "-c", _FIRST_MOVE, f"zoo/{path.stem}"]
        result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert (result.returncode, result.stderr) == (0, ""), path.stem
    assert not list(tmp_path.rglob("*.kernel"))
