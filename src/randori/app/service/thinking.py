"""Thinking in a few threads: kernels release the interpreter, so the page goes on while players think."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from randori.app.service.limits import ADDRESSES, MAX_TOGETHER, MAX_WAITING
from randori.app.service.refusals import TooMany
from randori.app.service.turns import Turns, asker
from randori.core.game_so_far import GameSoFar
from randori.players import Choice, FollowsGames, Player, choose_in_game

T = TypeVar("T")
Q = TypeVar("Q")

_Group = list[tuple[Any, asyncio.Future[Any]]]
"""Questions, each with where its answer is awaited."""


class Thinking:
    """A pool of threads with a short queue for each address: where it is full, a question is refused at once instead of
    waiting long; and whoever asks for a lot keeps nobody else waiting for all of it.
    """

    def __init__(self, threads: int | None = None, most_waiting: int = MAX_WAITING) -> None:
        threads = threads or max(2, os.cpu_count() or 1)
        # One more than an address may keep busy: for whoever comes while another lets all of them think for long.
        self._pool = ThreadPoolExecutor(threads + 1, thread_name_prefix="thinking")
        self._most_waiting = most_waiting
        self._under_way: Counter[str] = Counter()
        self._turns = Turns(threads)
        self._groups: dict[Hashable, _Group] = {}
        self._lock = Lock()  # guards the groups: the event loop adds to them, threads take them away

    async def about(self, question: Callable[[], T]) -> T:
        """The answer, found in a thread. Raises TooMany."""
        return await self.together(object(), question, _answer_one)

    async def together(self, key: Hashable, question: Q, answer: Callable[[list[Q]], Sequence[T | Exception]]) -> T:
        """As `about`, for questions that cost less together: those that wait for a thread under one key share a call.

        An exception among the answers is raised for whoever asked that question, one that is raised for all.
        """
        with self._place():
            loop = asyncio.get_running_loop()
            future: asyncio.Future[T] = loop.create_future()
            with self._lock:
                group = self._groups.get(key)
                is_new = group is None or len(group) == MAX_TOGETHER
                if group is None or is_new:
                    group = self._groups[key] = []
                group.append((question, future))
            if is_new:
                self._turns.add(asker.get(), partial(self._answer, loop, key, group, answer))
                self._pool.submit(self._turns.do_some)
            return await future

    def _answer(
        self,
        loop: asyncio.AbstractEventLoop,
        key: Hashable,
        group: _Group,
        answer: Callable[[list[Any]], Sequence[Any]],
    ) -> None:
        with self._lock:
            if self._groups.get(key) is group:
                del self._groups[key]
        try:
            answers = answer([question for question, _ in group])
        except Exception as error:
            answers = [error] * len(group)
        loop.call_soon_threadsafe(_deliver, group, answers)

    @contextmanager
    def _place(self) -> Iterator[None]:
        address = asker.get()
        most = self._most_waiting
        if self._under_way[address] >= most or self._under_way.total() >= ADDRESSES * most:
            raise TooMany("All players here are busy thinking: try again in a moment.")
        self._under_way[address] += 1
        try:
            yield
        finally:
            self._under_way[address] -= 1
            if not self._under_way[address]:
                del self._under_way[address]

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _answer_one(questions: list[Callable[[], T]]) -> list[T]:
    return [question() for question in questions]


def _deliver(group: _Group, answers: Sequence[Any]) -> None:
    for (_, future), answer in zip(group, answers, strict=True):
        if future.cancelled():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def choose_all(player: Player, boards: Sequence[GameSoFar]) -> list[int]:
    """The actions a player chooses on boards that are not over."""
    rng = np.random.default_rng()
    if not isinstance(player, FollowsGames):
        return _actions(player.choose(np.concatenate([board.state for board in boards]), rng))
    played = [np.array([board.history], np.int16).reshape(1, -1) for board in boards]
    return [
        _actions(choose_in_game(player, actions, board.state, rng))[0]
        for actions, board in zip(played, boards, strict=True)
    ]


def _actions(choice: Choice) -> list[int]:
    """Nobody can go on where a player forfeits: its program has failed."""
    if choice.forfeits:
        raise RuntimeError(choice.forfeits[0].reason)
    return [int(it) for it in choice.actions]


def choose(player: Player, board: GameSoFar) -> int:
    """The action a player chooses on a board that is not over."""
    return choose_all(player, [board])[0]
