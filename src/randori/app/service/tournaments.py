"""Small tournaments that visitors may start, one at a time."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from randori.app.service import partner
from randori.app.service.menu import Entry, Menu
from randori.app.service.refusals import TooMany
from randori.arena import Tournament
from randori.arena.tournament import play_tournament
from randori.core.game import Game
from randori.workers import Workers

GAMES_A_PAIR = 20
_MOST_PLAYERS = 8
# A visitor waits for it: players who take long on large boards stay away.
_LARGE_BOARD = 100


class Tournaments:
    """Plays in a thread of its own, so that nobody who thinks about a game of theirs has to wait for it."""

    def __init__(self, menu: Menu) -> None:
        self._menu, self._is_playing = menu, False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="tournament")
        self.played: dict[str, Tournament] = {}
        """The last one of each game."""
        self.titles: dict[str, dict[str, str]] = {}
        """What people call those who played it."""
        self.n_games = 0
        """Games of the one under way that have ended."""

    def entrants(self, game: Game) -> list[Entry]:
        """Those whose strength is known, the strongest first."""
        known = [it for it in self._menu.entries(game).values() if it.strength is not None and it.spec != partner.SPEC]
        is_large = game.shape[0] * game.shape[1] > _LARGE_BOARD
        ready = [it for it in known if not (is_large and it.family == "search")]
        return sorted(ready, key=lambda it: it.strength.elo if it.strength else 0.0, reverse=True)[:_MOST_PLAYERS]

    def total(self, game: Game) -> int:
        n = len(self.entrants(game))
        return GAMES_A_PAIR * n * (n - 1) // 2

    async def play(self, game: Game) -> Tournament:
        """Everybody against everybody. Raises TooMany while another one goes on."""
        if self._is_playing:
            raise TooMany("A tournament is being played already: wait for its end.")
        self._is_playing, self.n_games = True, 0
        try:
            work = partial(self._play, game)
            self.played[game.name] = await asyncio.get_running_loop().run_in_executor(self._thread, work)
            return self.played[game.name]
        finally:
            self._is_playing = False

    def _play(self, game: Game) -> Tournament:
        entrants = self.entrants(game)
        players = [self._menu.player(game, it.spec) for it in entrants]
        self.titles[game.name] = {made.name: it.title for made, it in zip(players, entrants, strict=True)}
        with Workers(1) as staff:
            return play_tournament(game, players, GAMES_A_PAIR, workers=staff, on_games=self._advance)

    def _advance(self, n: int) -> None:
        self.n_games += n
