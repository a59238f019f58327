"""Reviews of games, made piece by piece in the thinking threads and kept while there is room."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from threading import get_ident
from weakref import WeakSet

from randori.app.service.limits import MAX_REVIEWS, MAX_REVIEWS_UNDER_WAY
from randori.app.service.menu import game_named
from randori.app.service.refusals import Invalid, Refusal, TooMany
from randori.app.service.room import Room
from randori.app.service.thinking import Thinking
from randori.core.game import Game, States
from randori.errors import UserError
from randori.formats import parse_pasted
from randori.review import COARSE, Referee, Review, progress


class UnderWay:
    """A review that goes on as long as somebody asks for more of it."""

    def __init__(self, game: Game, actions: Sequence[int]) -> None:
        n = len(actions)
        self.review = Review(game, tuple(actions), (None,) * (n + 1), (None,) * n)
        self.piece: asyncio.Task[None] | None = None
        """The piece that is being made."""
        self._pieces: Iterator[Review] | None = progress(game, actions)

    def go_on(self) -> None:
        """One more piece; some hundredths of a second."""
        if self._pieces is not None:
            self.review = next(self._pieces)
            if self.review.complete:
                self._pieces = None  # and with it the tables of its searches


class Reviews:
    """Those who look at the same game share its review. Its methods run in the event loop."""

    def __init__(self, thinking: Thinking) -> None:
        self._thinking = thinking
        self._kept: OrderedDict[tuple[str, tuple[int, ...]], UnderWay] = OrderedDict()
        self._alive: WeakSet[UnderWay] = WeakSet()

    def of_room(self, room: Room) -> UnderWay:
        """Raises Refusal while the game goes on: it would be more than a hint."""
        if not room.is_over:
            raise Refusal("The game is not over yet: it can be reviewed when it is.")
        return self.of(room.game, room.board.history)

    async def of_record(self, game_name: str, text: str) -> UnderWay:
        """Of a transcript, SGF or GGF. Raises Invalid if it cannot be read."""
        game = game_named(game_name)
        try:
            record = await self._thinking.about(partial(parse_pasted, game, text))
        except Refusal:
            raise
        except UserError as error:
            raise Invalid(str(error)) from error
        return self.of(game, record.actions)

    def of(self, game: Game, actions: Sequence[int]) -> UnderWay:
        """Raises TooMany if too many others are being made."""
        key = (game.name, tuple(actions))
        if key not in self._kept:
            self._make_room()
            self._kept[key] = UnderWay(game, actions)
            self._alive.add(self._kept[key])
        self._kept.move_to_end(key)
        return self._kept[key]

    async def more(self, it: UnderWay) -> Review:
        """The review after one more piece, whoever it is made for."""
        if it.piece is None or it.piece.done():
            it.piece = asyncio.create_task(self._thinking.about(it.go_on))
        await asyncio.shield(it.piece)  # others may wait for the same piece
        return it.review

    async def within(self, it: UnderWay, seconds: float) -> Review:
        """All of it, or as much as is made in this time."""
        end = time.monotonic() + seconds
        while not it.review.complete and time.monotonic() < end:
            await self.more(it)
        return it.review

    def _make_room(self) -> None:
        """Drops the oldest reviews, and unfinished ones that nobody looks at: their tables are large."""
        while len(self._kept) >= MAX_REVIEWS:
            self._kept.popitem(last=False)
        if self._n_under_way() < MAX_REVIEWS_UNDER_WAY:
            return
        for key in [key for key, it in self._kept.items() if not it.review.complete]:
            del self._kept[key]
        if self._n_under_way() >= MAX_REVIEWS_UNDER_WAY:
            raise TooMany("Many games are being reviewed just now: try again in a moment.")

    def _n_under_way(self) -> int:
        return sum(not it.review.complete for it in self._alive)


def chances(game: Game, states: Sequence[States], first_ply: int) -> list[float]:
    """Of the side that began, 0 .. 1, in positions that follow each other from a ply on; after a short look at each."""
    referee = _referee(get_ident(), game)
    worth = [referee.chance(state, COARSE) for state in states]
    return [it if ply % 2 == 0 else 1 - it for ply, it in enumerate(worth, start=first_ply)]


@lru_cache(maxsize=16)
def _referee(thread: int, game: Game) -> Referee:
    """A referee serves one thread, and its tables take some megabytes."""
    return Referee(game, COARSE)
