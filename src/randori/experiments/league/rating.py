"""All snapshots of a game in one tournament, whose pairings follow from the games so far.

What two players score in their n-th meeting depends only on who they are, n and the seed. So a tournament that was
interrupted starts again from the beginning and reads the stored meetings instead of playing them.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori import games
from randori.arena import Rating, duel, play_duels, rate_among
from randori.arena.scores import Score
from randori.core.player import PlayerFailed
from randori.errors import UserError
from randori.experiments.ladder import Rung
from randori.experiments.league.pairing import ROUND, Pair, Standings, next_pairs
from randori.experiments.league.thought import Entrant, entrant, shared_player
from randori.reading import parse_json, read_bytes
from randori.tensorfile import write_whole
from randori.workers import Workers

_SHARE_A_BATCH = 4
"""A batch has a meeting for every so many snapshots: with fewer the pairings know more, with more all cores are busy."""

Meeting = dict[str, Any]
"""`wins`, `draws`, `losses` of the first, and a short hash of each game; or who `failed`, and `why`."""


class TournamentResult(NamedTuple):
    """Ratings by name, and how the tournament went."""

    ratings: dict[str, Rating]
    failures: dict[str, str]
    """Who could not play, and why."""
    n_games: int
    is_settled: bool
    """Whether the order of all neighbours is known; otherwise some have played as many games as they may."""


class Meetings:
    """The meetings of one tournament in a file, a line each, added as they end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = read_bytes(path).splitlines(keepends=True) if path.exists() else []
        whole = [it for it in lines if _is_row(it)]
        if len(whole) < len(lines):  # the last one was being written when the process was killed
            write_whole(path, b"".join(whole))
        self._found = {_key(row): row for row in map(parse_json, whole)}

    @property
    def n_games(self) -> int:
        return ROUND * len(self._found)

    def find(self, first: Entrant, second: Entrant, number: int, seed: int) -> Meeting | None:
        return self._found.get((first.digest, second.digest, number, seed))

    def add(self, first: Entrant, second: Entrant, number: int, seed: int, meeting: Meeting) -> None:
        row = {"first": first.digest, "second": second.digest, "number": number, "seed": seed, **meeting}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(json.dumps(row).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._found[_key(row)] = row


def _is_row(line: bytes) -> bool:
    try:
        row = parse_json(line)
        return (
            line.endswith(b"\n") and isinstance(row, dict) and bool(_key(row)) and ("failed" in row or "games" in row)
        )
    except (ValueError, KeyError):
        return False


def _key(row: Mapping[str, Any]) -> tuple[str, str, int, int]:
    return row["first"], row["second"], row["number"], row["seed"]


def meet(game: str, first: Entrant, second: Entrant, seed: int) -> Meeting:
    """One task: ROUND games, half of them begun by each."""
    rules = games.game(game)
    with Workers(1) as staff:
        try:
            duels = [duel(rules, shared_player(first, game), shared_player(second, game), ROUND, seed=seed)]
            match = play_duels(duels, staff)[0]
        except PlayerFailed as failure:
            failed = first if failure.player == shared_player(first, game).name else second
            return {"failed": failed.name, "why": str(failure)}
    if match.games is None or not match.complete:
        raise KeyboardInterrupt
    lost = {it.row for it in match.games.forfeits if not it.resigned}
    rows = [row[row >= 0].tobytes() for place, row in enumerate(match.games.actions) if place not in lost]
    hashes = [hashlib.sha256(row).hexdigest()[:12] for row in rows]
    score = match.by_rules
    return {"wins": score.wins, "draws": score.draws, "losses": score.losses, "games": hashes}


class Tournament:
    """A tournament of all snapshots and further players of one game's league."""

    def __init__(
        self,
        game: str,
        entrants: Sequence[Entrant],
        ladder: Sequence[Rung],
        meetings: Meetings,
        *,
        seed: int,
        most_games: int,
    ) -> None:
        self._game, self._kept, self._seed, self._most_games = game, meetings, seed, most_games
        self._entrants = {it.name: it for it in entrants} | {
            it.player: entrant(it.player, None, it.player) for it in ladder
        }
        self._free = tuple(it.name for it in entrants)
        self._known = {it.player: it.elo for it in ladder}
        self._at_least = {it.player for it in ladder if it.extrapolated == "above"}
        self._played: dict[Pair, list[Meeting]] = {}
        self._failures: dict[str, str] = {}

    def play(self, workers: Workers, on_games: Callable[[int], None] = lambda n: None) -> TournamentResult:
        """Plays the missing games until the order is settled, or everybody in question has played as many as allowed.

        Everybody first meets the middle of the ladder.
        """
        middle = sorted(self._known, key=lambda it: self._known[it])[len(self._known) // 2]
        pairs = [_sorted(name, middle) for name in self._free]
        while pairs:
            self._play(pairs, workers, on_games)
            batch = max(2, len(self._free) // _SHARE_A_BATCH)
            pairs = next_pairs(self.standings(), batch, self._most_games) if self._playing() else []
        return self._rated()

    def _playing(self) -> tuple[str, ...]:
        return tuple(it for it in self._free if it not in self._failures)

    def _play(self, pairs: Sequence[Pair], workers: Workers, on_games: Callable[[int], None]) -> None:
        """One meeting of each pair. They count together, whichever ends first."""
        numbers = {pair: len(self._played.get(pair, ())) for pair in pairs}
        sides = {pair: (self._entrants[pair[0]], self._entrants[pair[1]]) for pair in pairs}
        seeds = {pair: self._seed + number for pair, number in numbers.items()}
        found = {pair: self._kept.find(*sides[pair], numbers[pair], seeds[pair]) for pair in pairs}
        missing = [pair for pair in pairs if found[pair] is None]

        def keep(place: int, meeting: Meeting) -> None:
            pair = missing[place]
            self._kept.add(*sides[pair], numbers[pair], seeds[pair], meeting)
            found[pair] = meeting
            on_games(ROUND)

        workers.map(meet, [(self._game, *sides[pair], seeds[pair]) for pair in missing], keep)
        for pair, meeting in found.items():
            assert meeting is not None
            if "failed" in meeting:
                self._fail(meeting)
            else:
                self._played.setdefault(pair, []).append(meeting)
        self._played = {pair: it for pair, it in self._played.items() if not self._failures.keys() & set(pair)}

    def _fail(self, meeting: Meeting) -> None:
        """Whoever cannot play leaves the tournament, and its games are dropped."""
        if meeting["failed"] in self._known:
            raise UserError(f"A rung of the ladder cannot play: {meeting['why']}")
        self._failures[meeting["failed"]] = meeting["why"]

    def scores(self) -> dict[Pair, Score]:
        """A game that is repeated in a later meeting is counted, but proves nothing new."""
        return {pair: _score(it) for pair, it in self._played.items() if any(row["games"] for row in it)}

    def standings(self) -> Standings:
        scores = self.scores()
        ratings = rate_among(self._known, scores, np.random.default_rng(0), n_samples=0) if scores else []
        middle = float(np.median(list(self._known.values())))
        elos = dict.fromkeys(self._playing(), middle) | {it.name: it.elo for it in ratings}
        meetings = {pair: len(it) for pair, it in self._played.items()}
        return Standings(self._playing(), self._known, elos, scores, meetings)

    def _rated(self) -> TournamentResult:
        scores = self.scores()
        found: list[Rating] = []
        if scores:
            found = rate_among(self._known, scores, np.random.default_rng(self._seed), at_least=self._at_least)
        standings = self.standings()
        is_settled = not standings.free or not standings.unsettled(standings.covariance())
        n_games = sum(it.games for it in scores.values())
        return TournamentResult({it.name: it for it in found}, dict(self._failures), n_games, is_settled)


def _score(meetings: Sequence[Meeting]) -> Score:
    wins, draws, losses = (sum(it[key] for it in meetings) for key in ("wins", "draws", "losses"))
    return Score(wins, draws, losses, len({game for it in meetings for game in it["games"]}))


def _sorted(a: str, b: str) -> Pair:
    return min(a, b), max(a, b)
