"""Where compiled kernels are kept."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba

from randori.games.othello.rules import othello_rules
from randori.kernels import batches
from randori.kernels.compile import _compiling


def test_threads_that_compile_at_once_keep_kernels_in_their_own_folders() -> None:
    def folders_while_compiling(function: Callable[..., Any]) -> set[str]:
        with _compiling(function):
            before = numba.config.CACHE_DIR
            time.sleep(0.01)
            return {Path(it).name.partition("-")[0] for it in (before, numba.config.CACHE_DIR)}

    theirs = numba.config.CACHE_DIR
    functions = [othello_rules, batches.legal_all.__wrapped__] * 8
    with ThreadPoolExecutor(4) as threads:
        folders = list(threads.map(folders_while_compiling, functions))
    assert folders == [{"rules"}, {"batches"}] * 8
    assert theirs == numba.config.CACHE_DIR
