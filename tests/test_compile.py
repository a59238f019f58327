"""Where compiled kernels are stored, and what happens if they cannot be stored or are damaged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from numba import types

from randori.games.othello.rules import othello_rules
from randori.kernels import batches, kept
from randori.kernels.compile import NotCompiled, _Announcement, _compiling, is_compiling, kernel, only_loading
from randori.kernels.kept import KernelFiles
from randori.methods.ntuple.kernels import stones

_SOURCE = """
from numba import types

from randori.kernels.compile import kernel


@kernel(types.int64(types.int64))
def doubled(number):
    return 2 * number


print(doubled(21))
"""
_LITTLE_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "


def test_threads_that_compile_at_once_keep_kernels_in_their_own_folders() -> None:
    def folder_while_compiling(function: Callable[..., Any]) -> str:
        with _compiling(function) as kept:
            time.sleep(0.01)
            assert kept is not None
            return Path(kept.cache_path).name.partition("-")[0]

    functions = [othello_rules, batches.legal_all.__wrapped__] * 8
    with ThreadPoolExecutor(4) as threads:
        folders = list(threads.map(folder_while_compiling, functions))
    assert folders == ["rules", "batches"] * 8


def start(tmp_path: Path, before: str = "") -> subprocess.Popen[str]:
    source = tmp_path / "doubled.py"
    if not source.exists():  # another process may be reading it
        source.write_text(_SOURCE)
    env = {**os.environ, "RANDORI_CACHE": str(tmp_path / "cache")}
    code = f"{before}import sys; sys.path.insert(0, {str(tmp_path)!r}); import doubled"
    return subprocess.Popen(
        [sys.executable, "-c", code], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def stderr_of(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, "42\n"), err
    return err


def kept_file(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "cache").rglob("doubled*.kernel")
    return found


@pytest.mark.thorough
def test_a_damaged_kernel_is_replaced_with_one_sentence(tmp_path: Path) -> None:
    assert "kept for the next time" in stderr_of(start(tmp_path))
    path = kept_file(tmp_path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:]):
        path.write_bytes(damaged)
        err = stderr_of(start(tmp_path))
        assert err.count("\n") == 1
        assert "damaged and is replaced" in err
        assert stderr_of(start(tmp_path)) == "", "the repair lasts"
    path.write_bytes(b"torn")
    for process in [start(tmp_path) for _ in range(2)]:
        assert stderr_of(process).count("\n") <= 1
    assert stderr_of(start(tmp_path)) == ""


@pytest.mark.thorough
def test_kernels_that_cannot_be_stored_still_work(tmp_path: Path) -> None:
    lines = stderr_of(start(tmp_path, _LITTLE_ROOM)).splitlines()
    assert len(lines) == 2
    assert "cannot be kept" in lines[1]
    assert not list((tmp_path / "cache").rglob("*.tmp.*"))
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "cache").write_text("a file where a folder should be")
    assert "cannot be written, so not kept" in stderr_of(start(blocked))


def test_each_variant_of_a_kernel_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Two processes that store two variants at once cannot confuse them."""
    one, two = KernelFiles(tmp_path, "rules.play"), KernelFiles(tmp_path, "rules.play")
    one.save(("int64", 6), "board of six")
    two.save(("int64", 8), "board of eight")
    assert (two.load(("int64", 6)), one.load(("int64", 8))) == ("board of six", "board of eight")
    assert one.load(("int64", 10)) is None
    assert not one.found_damaged


@pytest.mark.parametrize("what", ["folder", "pipe", "loop"])
def test_anything_but_a_file_counts_as_missing(tmp_path: Path, what: str) -> None:
    files = KernelFiles(tmp_path, "rules.play")
    path = files.path("key")
    {"folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "loop": lambda: path.symlink_to(path)}[what]()
    assert files.load("key") is None


def test_functions_of_two_processes_never_have_one_name() -> None:
    """Kernels of different processes meet in a third, where a name that means two functions gives wrong results."""
    code = "import randori.kernels.compile; from numba.core.bytecode import FunctionIdentity as it; print(next(it._unique_ids))"
    numbers = [int(subprocess.check_output([sys.executable, "-c", code])) for _ in range(2)]
    assert abs(numbers[0] - numbers[1]) > 1_000_000


def test_where_only_loading_is_allowed_nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And other threads can see whether something is being compiled."""
    was_compiling: list[bool] = []
    on_start = _Announcement.on_start
    monkeypatch.setattr(_Announcement, "on_start", lambda *it: (on_start(*it), was_compiling.append(is_compiling()))[0])
    exec(compile("def tripled(number): return 3 * number", str(tmp_path / "no_file.py"), "exec"), found := {})
    tripled = kernel(types.int64(types.int64))(found["tripled"])
    with only_loading(), pytest.raises(NotCompiled):
        tripled(2)
    assert not is_compiling()
    assert not was_compiling
    assert tripled(2) == 6
    assert was_compiling
    assert all(was_compiling)
    assert not is_compiling()
    with only_loading():
        assert tripled(3) == 9


def test_a_stored_kernel_depends_on_all_its_sources() -> None:
    """Even on those that only hold intrinsics."""
    room = Path(stones.__file__).parent
    assert {room / "stones.py", room / "indices.py"} <= kept._sources(room / "stones.py", {}).keys()
