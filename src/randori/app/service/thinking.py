"""Thinking in a few threads: kernels release the interpreter, so the page goes on while players think."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from randori.app.board import Board
from randori.app.service.limits import MAX_WAITING
from randori.app.service.refusals import TooMany
from randori.players import Player, choose_in_game

T = TypeVar("T")


class Thinking:
    """A pool of threads with a short queue: where it is full, a question is refused at once instead of waiting long."""

    def __init__(self, threads: int | None = None, most_waiting: int = MAX_WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads or max(2, os.cpu_count() or 1), thread_name_prefix="thinking")
        self._most_waiting, self._under_way = most_waiting, 0

    async def about(self, question: Callable[[], T]) -> T:
        """The answer, found in a thread. Raises TooMany."""
        if self._under_way >= self._most_waiting:
            raise TooMany("Everybody here is busy thinking: try again in a moment.")
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, question)
        finally:
            self._under_way -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def choose(player: Player, board: Board) -> int:
    """The action a player chooses on a board that is not over."""
    actions = np.array([board.history], np.int16).reshape(1, -1)
    return int(choose_in_game(player, actions, board.state, np.random.default_rng()).actions[0])
