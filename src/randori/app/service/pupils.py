"""The pupils of the visitors: each learns a game from one person's games alone, which are in the database anyway."""

import asyncio
from collections import OrderedDict
from functools import partial

from randori.app.service.limits import MAX_PUPILS
from randori.app.service.refusals import Unknown
from randori.app.service.store import Store
from randori.app.service.thinking import Thinking
from randori.core.game import Game
from randori.errors import UserError
from randori.methods.som.pupil import MOST_LESSONS, OFFER, Lesson, Pupil, check_maps

SPEC = OFFER.spec


class Pupils:
    """What a pupil knows follows from its lessons, so these alone are kept; the last pupils met are remembered."""

    def __init__(self, store: Store, thinking: Thinking) -> None:
        self._store, self._thinking = store, thinking
        self._met: OrderedDict[tuple[int, str], tuple[list[str], Pupil]] = OrderedDict()

    async def lessons(self, profile: int, game: Game) -> list[str]:
        """The games that somebody's pupil has had. Raises Unknown if the game has no pupils."""
        try:
            check_maps(game)
        except UserError as error:
            raise Unknown(str(error)) from error
        return await asyncio.to_thread(self._store.lessons, profile, game.name, SPEC)

    async def pupil(self, profile: int, game: Game) -> Pupil:
        """Somebody's pupil as it is now."""
        remembered = (await self.lessons(profile, game))[-MOST_LESSONS:]
        key = (profile, game.name)
        known = self._met.get(key)
        if known is None or known[0] != remembered:
            known = remembered, await self._thinking.about(partial(self._learn, game, remembered))
        self._met[key] = known
        self._met.move_to_end(key)
        while len(self._met) > MAX_PUPILS:
            self._met.popitem(last=False)
        return known[1]

    def _learn(self, game: Game, remembered: list[str]) -> Pupil:
        kept = [it for it in map(self._store.game, remembered) if it is not None and it.result is not None]
        pupil = Pupil(game, tuple(Lesson(it.actions, it.result or 0.0) for it in kept))
        _ = pupil.values  # which takes its time: nobody else has to wait for it later
        return pupil

    async def forget(self, profile: int, game: Game) -> None:
        """Everything up to now, games under way included."""
        await self.lessons(profile, game)
        await asyncio.to_thread(self._store.forget_lessons, profile, game.name)

    def drop(self, profile: int) -> None:
        """Nothing of somebody who was forgotten stays in memory."""
        self._met = OrderedDict((key, met) for key, met in self._met.items() if key[0] != profile)

    async def account(self, profile: int, game: Game) -> str:
        """What it says after a game that is about to be kept."""
        n = 1 + len(await self.lessons(profile, game))
        return f"That was our game {n}. I have thought it over and will play a little differently next time."
