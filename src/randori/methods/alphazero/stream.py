"""Asynchronous learning: games come in all the time, and are learned from as they come."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from randori.methods.alphazero.replay import Part, Replay
from randori.methods.alphazero.selfplay import Lessons
from randori.workers import Workers

MOST_BEHIND = 4
"""The most parts of the replay that wait to be learned from. Beyond that, new games wait to be stored, and in the end
so do the processes that play them.
"""

Metrics = dict[str, float]


class Task(NamedTuple):
    """What the processes that play games receive."""

    arguments: tuple[Any, ...]
    n_games: int
    version: int
    """Of the weights: how many games these have learned from."""


class Stream:
    """Those who play take the newest weights with each task; one thread learns from each part as soon as it is kept.

    So the steps of learning have a fixed ratio to the positions, and neither side waits for the other, unless learning is
    more than `MOST_BEHIND` parts behind. `task(index)` makes a task; `learn(parts, part)` makes the steps that a part is
    worth, with all parts to choose from.
    """

    def __init__(
        self,
        replay: Replay,
        workers: Workers,
        play: Callable[..., Lessons],
        task: Callable[[int], Task],
        learn: Callable[[list[Part], Part], Metrics],
        n_learned: int,
    ) -> None:
        self._replay, self._task, self._learn = replay, task, learn
        self._under_way: dict[int, Task] = {}
        self._learning: deque[Future[Metrics]] = deque()
        self._thread = ThreadPoolExecutor(1, "learning")
        for part in replay.parts:
            if part.first >= n_learned:
                self._submit(part)
        self._games = workers.stream(play, self._tasks())

    def _tasks(self) -> Iterator[tuple[Any, ...]]:
        index = 0
        while True:
            self._under_way[index] = task = self._task(index)
            yield task.arguments
            index += 1

    @property
    def n_games(self) -> int:
        """How many games have been played since the run began."""
        return self._replay.n_games

    @property
    def parts(self) -> list[Part]:
        return self._replay.parts

    def receive(self, until: int) -> Metrics:
        """Waits until this many games have been played. `age`: games that were finished between the weights and the
        games that they played.
        """
        ages, learned = list[float](), list[Metrics]()
        while self.n_games < until:
            index, lessons = next(self._games)
            task = self._under_way.pop(index)
            part = self._replay.add(lessons, task.n_games)
            self._submit(part)
            ages.append(part.first - task.version)
            while self._learning and (self._learning[0].done() or len(self._learning) > MOST_BEHIND):
                learned.append(self._learning.popleft().result())
        means = {name: float(np.mean([it[name] for it in learned])) for name in (learned[0] if learned else ())}
        return means | ({"age": float(np.mean(ages))} if ages else {}) | {"behind": float(len(self._learning))}

    def _submit(self, part: Part) -> None:
        self._learning.append(self._thread.submit(self._learn, self._replay.parts, part))

    def close(self) -> None:
        """Ends the games under way, and learning after the part it is at; the next session learns from the others."""
        self._games.close()
        self._thread.shutdown(cancel_futures=True)
