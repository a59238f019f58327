"""Measures the companion's dial: `python -m randori.experiments.make_companion [GAME ...] [--style STYLE ...]`.

Each mark plays the rungs of the ladder that say most about it. Then each rung plays the mark nearest to its own strength,
as a person would, and its moves are judged, so that a person's can be compared with them. A dial is kept once it is whole. Marks
and rungs that it has already are not measured again, unless `--anew` asks for it.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from randori import games, players
from randori.arena import play_games
from randori.core.game import ONGOING, Game
from randori.core.positions import positions_of_random_games
from randori.experiments.field import field
from randori.experiments.ladder import ladder, rungs
from randori.experiments.make_ladder import place
from randori.players import Player
from randori.players.companion import Weakened
from randori.players.companion.dial import DIAL_FILE, rising
from randori.players.companion.losses import SIMULATIONS, judge
from randori.players.companion.setting import ALONE, MASTERED, SEARCHING, STYLED, Setting
from randori.players.companion.styles import style_of
from randori.players.files import names_file
from randori.reading import read_json
from randori.tensorfile import write_whole
from randori.workers import Workers

WIDTH = 75.0
"""Elo either way within which a mark counts as known: results correct the rest."""
MOST_GAMES = 100
"""Games of a mark, unless another number is given."""
JUDGED_GAMES = 20
SEED = 0

Row = dict[str, Any]


class Rated(NamedTuple):
    """A player of known strength, with the 95% interval of its rating."""

    spec: str
    elo: float
    low: float
    high: float


def strongest(game: Game) -> Rated | None:
    """Whose moves the top of the dial makes: of the zoo's players and the rungs without training, the highest rated.

    Of the zoo's players that ratings do not tell apart, the quickest.
    """
    trained = [Rated(it.name, it.elo, it.low, it.high) for it in field(game).ratings()]
    others = [Rated(*it[:4]) for it in rungs(game) if not names_file(it.player) and it.player != "random"]
    if not trained and not others:
        return None
    best = max([*trained, *others], key=lambda it: it.elo)
    equals = [it for it in trained if it.high >= best.elo]
    return min(equals, key=lambda it: _cost(game, it.spec)) if best in trained else best


def _cost(game: Game, spec: str) -> float:
    """CPU seconds per move."""
    states = positions_of_random_games(game, 2, np.random.default_rng(SEED))
    states = states[game.outcome(states) == ONGOING][::5]
    player = players.player(spec, game)
    player.choose(states[:1], np.random.default_rng(SEED))  # compiles what is not yet
    began = process_time()
    for state in states[:, None]:
        player.choose(state, np.random.default_rng(SEED))
    return (process_time() - began) / len(states)


@dataclass(frozen=True)
class Meter:
    """Measures marks in one game, each by so many games at most."""

    game: Game
    workers: Workers
    most_games: int = MOST_GAMES

    def dial(self, kept: Row) -> Row:
        """Ratings of the marks and losses of the rungs; what is in `kept` is not measured again."""
        top, known = strongest(self.game), _known(kept)
        searching = self.marks(SEARCHING, None, known)
        last = searching[-1]["rating"]
        if top is None or top.elo <= last:
            spec, settings = None, [*searching, *self.marks(ALONE[len(SEARCHING) :], None, known, last)]
        else:
            spec, known = top.spec, known if kept.get("master") == top.spec else {}
            between = self.marks(MASTERED[len(SEARCHING) : -1], spec, known, last, top.elo)
            settings = [*searching, *between, _row(MASTERED[-1], top.elo, top.low, top.high, 0)]
        found: Row = {"master": spec, "settings": settings, "losses": _losses(self.game, spec, settings, kept)}
        return {**found, "judge_simulations": SIMULATIONS, "seed": SEED, "styles": kept.get("styles", {})}

    def style(self, style: str) -> Row:
        """Ratings of the marks of a style."""
        whose = style_of(self.game, style)
        top = ladder(self.game).get(whose.spec, whose.elo)
        return {"settings": self.marks(STYLED, whose.spec, {}, 0.0, top), "seed": SEED}

    def marks(
        self,
        marks: tuple[Setting, ...],
        spec: str | None,
        known: dict[Setting, Row],
        about: float = 0.0,
        top: float | None = None,
    ) -> list[Row]:
        """Ratings of marks, the weakest first, that begin about a rating and end about `top`, where that is known."""
        rows, master = [], None if spec is None else players.player(spec, self.game)
        for n, mark in enumerate(marks):
            if top is not None:
                about += (top - about) / (len(marks) + 1 - n)
            rows.append(known[mark] if mark in known else self._mark(mark, master, about))
            print(self.game.name, rows[-1], flush=True)
            about = rows[-1]["rating"]
        return rows

    def _mark(self, mark: Setting, master: Player | None, about: float) -> Row:
        if mark.absent == 1:  # the random player itself
            return _row(mark, 0.0, 0.0, 0.0, 0)
        known, unheld = ladder(self.game), {it.player for it in rungs(self.game) if it.extrapolated == "above"}
        weakened = Weakened(self.game, mark, master)
        found = place(self.game, weakened, known, unheld, self.workers, about, width=WIDTH, most_games=self.most_games)
        return _row(mark, found.elo, found.low, found.high, found.games)


def _known(kept: Row) -> dict[Setting, Row]:
    rows = kept.get("settings", ())
    return {Setting(*(row.get(key, 0.0) for key in Setting._fields)): row for row in rows}


def _row(mark: Setting, elo: float, low: float, high: float, n_games: int) -> Row:
    return {
        **mark._asdict(),
        "rating": round(elo, 1),
        "interval": [round(low, 1), round(high, 1)],
        "games": n_games,
    }


def _losses(game: Game, spec: str | None, settings: list[Row], kept: Row) -> list[Row]:
    """What the rungs lose by their moves, as far as the dial reaches."""
    known = {it["player"]: it for it in kept.get("losses", ())}
    marks, elos = list(_known({"settings": settings})), rising([it["rating"] for it in settings])
    master = None if spec is None else players.player(spec, game)
    rows = []
    for rung, elo in ladder(game).items():
        if elo > elos[-1]:
            break  # what is lost beyond the dial makes no difference to where it is set
        if rung not in known:
            nearest = marks[int(np.argmin(np.abs(np.array(elos) - elo)))]
            lost = _lost(game, players.player(rung, game), Weakened(game, nearest, master))
            mean, deviation = round(float(lost.mean()), 4), round(float(lost.std()), 4)
            known[rung] = {"player": rung, "rating": elo, "loss": mean, "deviation": deviation}
            print(game.name, known[rung], flush=True)
        rows.append(known[rung])
    return rows


def _lost(game: Game, rung: Player, partner: Player) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What a player lost by its moves in games from the first position, the mean of each game."""
    rng = np.random.default_rng(SEED)
    openings = np.empty((JUDGED_GAMES // 2, 0), np.int16)
    found = []
    for seat, sides in enumerate([(rung, partner), (partner, rung)]):
        for actions in play_games(game, *sides, openings, rng).actions:
            found.append(judge(game, [int(it) for it in actions if it >= 0], seat).loss)
    return np.array(found)


def main(arguments: list[str]) -> None:
    """Measures the dials of these games, or of all, or some styles in them, and keeps what was found."""
    parser = argparse.ArgumentParser(prog="make_companion")
    parser.add_argument("games", metavar="GAME", nargs="*")
    parser.add_argument("--style", metavar="STYLE", nargs="+", help="a family of players, or the spec of one")
    parser.add_argument("--most-games", metavar="N", type=int, default=MOST_GAMES, help="for each mark")
    parser.add_argument("--anew", action="store_true", help="measure again what is known")
    chosen = parser.parse_args(arguments)
    with Workers(1) as staff:
        for game in map(games.game, chosen.games or games.names()):
            of_game, meter = _read().get(game.name, {}), Meter(game, staff, chosen.most_games)
            if chosen.style is None:
                _keep(game, meter.dial({} if chosen.anew else of_game))
            for style in chosen.style or ():
                of_game = {**of_game, "styles": {**of_game.get("styles", {}), style: meter.style(style)}}
                _keep(game, of_game)


def _read() -> dict[str, Row]:
    return read_json(DIAL_FILE) if DIAL_FILE.exists() else {}


def _keep(game: Game, of_game: Row) -> None:
    lines = json.dumps({**_read(), game.name: of_game}, indent=1)
    write_whole(DIAL_FILE, (lines + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
