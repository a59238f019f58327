"""Small tournaments, one at a time. The last one of each game is kept beside the runs."""

import json
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from randori.app.service import partner
from randori.app.service.claims import FOLDER, NOBODY, WHY_NOT, Who
from randori.app.service.menu import Entry, Menu
from randori.app.service.refusals import Forbidden, TooMany
from randori.arena import Tournament
from randori.arena.match import Forfeited
from randori.arena.ratings import Rating
from randori.arena.tournament import play_tournament
from randori.core.game import Game
from randori.errors import UserError
from randori.tensorfile import write_whole
from randori.workers import Workers

GAMES_A_PAIR = 20
_MOST_PLAYERS = 8
# A visitor waits for it: players who take long on large boards stay away.
_LARGE_BOARD = 100


@dataclass(frozen=True)
class Standings:
    """The result of a tournament, as it is kept and shown."""

    ratings: list[Rating]
    scores: dict[tuple[str, str], float]
    """Of the first against the second."""
    forfeited: list[Forfeited]
    failures: dict[str, str]
    """The players that left because they could not play, and why."""
    titles: dict[str, str]
    """What people call those who played."""

    @classmethod
    def of(cls, played: Tournament, titles: dict[str, str]) -> "Standings":
        by_pair = {pair: played.score(*pair) for pair in permutations(played.names, 2)}
        scores = {pair: score for pair, score in by_pair.items() if score is not None}
        return cls(played.ratings, scores, played.forfeited, played.failures, titles)

    @property
    def names(self) -> list[str]:
        """Everybody who has a score, the rated first."""
        return list(dict.fromkeys([*(it.name for it in self.ratings), *(name for name, _ in self.scores)]))

    def score(self, name: str, opponent: str) -> float | None:
        return self.scores.get((name, opponent))

    def forfeits(self, name: str, opponent: str | None = None) -> int:
        """How many games a player has forfeited; with an opponent, how many were forfeited between the two, by either."""
        if opponent is None:
            return sum(it.games for it in self.forfeited if it.player == name)
        return sum(it.games for it in self.forfeited if {it.player, it.opponent} == {name, opponent})

    def as_json(self) -> str:
        scores = [[*pair, score] for pair, score in self.scores.items()]
        kept = {
            "ratings": [asdict(it) for it in self.ratings],
            "scores": scores,
            "forfeited": self.forfeited,
            "failures": self.failures,
            "titles": self.titles,
        }
        return json.dumps(kept)

    @classmethod
    def from_json(cls, text: str) -> "Standings":
        """Raises ValueError if these are not standings."""
        try:
            kept = json.loads(text)
            ratings = [_read_rating(it) for it in kept["ratings"]]
            scores = {(str(name), str(other)): float(score) for name, other, score in kept["scores"]}
            forfeited = [
                Forfeited(str(player), str(opponent), str(reason), int(games))
                for player, opponent, reason, games in kept["forfeited"]
            ]
            failures, titles = (
                {str(name): str(value) for name, value in kept[key].items()} for key in ("failures", "titles")
            )
        except (TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"no standings: {error!r}") from error
        return cls(ratings, scores, forfeited, failures, titles)


def _read_rating(kept: dict[str, Any]) -> Rating:
    figures = {key: float(kept[key]) for key in ("elo", "low", "high", "score")}
    return Rating(**{**kept, **figures, "name": str(kept["name"]), "games": int(kept["games"])})


@dataclass
class UnderWay:
    """The tournament that is being played."""

    game: Game
    owner: str
    total: int
    n_games: int = 0
    """That have ended."""
    is_stopped: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    def advance(self, n: int) -> None:
        self.n_games += n
        if self.is_stopped:
            raise _Stopped


class _Stopped(Exception):
    """Somebody wants it to end."""


class Tournaments:
    """Plays in a thread of its own, so that nobody who thinks about a game of theirs has to wait for it."""

    def __init__(self, menu: Menu, *, open_to_all: bool = False) -> None:
        self._menu, self._open_to_all = menu, open_to_all
        self._folder = menu.runs / FOLDER / "tournaments"
        self._played: dict[str, Standings] = {}
        self.under_way: UnderWay | None = None
        self.complaint = ""
        """Why the last one was not played to its end; empty if it was."""

    def entrants(self, game: Game) -> list[Entry]:
        """Those whose strength is known, the strongest first."""
        known = [it for it in self._menu.entries(game).values() if it.strength is not None and it.spec != partner.SPEC]
        is_large = game.shape[0] * game.shape[1] > _LARGE_BOARD
        ready = [it for it in known if not (is_large and it.family == "search")]
        return sorted(ready, key=lambda it: it.strength.elo if it.strength else 0.0, reverse=True)[:_MOST_PLAYERS]

    def played(self, game: Game) -> Standings | None:
        """The last one of a game, also of an earlier server; None if there is none, or it cannot be read."""
        if game.name not in self._played:
            try:
                self._played[game.name] = Standings.from_json(self._path(game).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return None
        return self._played[game.name]

    def may_start(self, who: Who) -> bool:
        return who.is_owner or self._open_to_all

    def start(self, who: Who, game: Game) -> UnderWay:
        """Everybody against everybody. Raises Forbidden, and TooMany while another one goes on."""
        if not self.may_start(who):
            raise Forbidden(WHY_NOT)
        if self.under_way is not None:
            raise TooMany("A tournament is already being played: wait for it to end.")
        entrants = self.entrants(game)
        started = UnderWay(game, who.key, GAMES_A_PAIR * len(entrants) * (len(entrants) - 1) // 2)
        self.under_way, self.complaint = started, ""
        # A daemon, so that a server that ends need not wait for a long thought.
        threading.Thread(target=self._play, args=(started, entrants), name="tournament", daemon=True).start()
        return started

    def may_stop(self, who: Who) -> bool:
        return self.under_way is not None and who.may_end(self.under_way.owner)

    def stop(self, who: Who) -> None:
        """Ends the one under way; what it has played is forgotten. Raises Forbidden."""
        if self.under_way is None:
            return
        if not self.may_stop(who):
            raise Forbidden("Only whoever started a tournament, or the owner of this machine, can stop it.")
        self.under_way.is_stopped = True

    def forget(self, key: str) -> None:
        """Stops somebody's tournament, and leaves it without an owner."""
        if self.under_way is not None and self.under_way.owner == key:
            self.under_way.is_stopped, self.under_way.owner = True, NOBODY

    def close(self) -> None:
        if self.under_way is not None:
            self.under_way.is_stopped = True

    def _play(self, started: UnderWay, entrants: list[Entry]) -> None:
        game = started.game
        try:
            players = [self._menu.player(game, it.spec) for it in entrants]
            titles = {player.name: it.title for player, it in zip(players, entrants, strict=True)}
            with Workers(1) as staff:
                played = play_tournament(game, players, GAMES_A_PAIR, workers=staff, on_games=started.advance)
            self._keep(game, Standings.of(played, titles))
        except _Stopped:
            pass
        except UserError as error:
            self.complaint = str(error)
        except Exception:
            self.complaint = "The tournament has failed: the server's log says why."
            raise
        finally:
            self.under_way = None
            started.ended.set()

    def _keep(self, game: Game, standings: Standings) -> None:
        self._played[game.name] = standings
        with suppress(OSError):  # if nothing can be written it is shown until the server ends
            self._path(game).parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(game), standings.as_json().encode())

    def _path(self, game: Game) -> Path:
        return self._folder / f"{game.name}.json"
