"""The dial: settings from random moves to the strongest player of a game, each with its measured strength.

`dial.json` keeps what `python -m randori.experiments.make_companion` measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori.core.game import Game
from randori.errors import UserError, warn
from randori.players.companion.setting import ALONE, MASTERED, SEARCHING, STYLED, Setting
from randori.players.companion.styles import families, style_of
from randori.reading import DamagedFile, read_json

DIAL_FILE = Path(__file__).with_name("dial.json")

# Where nobody has measured: about as in Connect Four.
_ASSUMED = (0.0, 110.0, 240.0, 380.0, 550.0, 620.0, 700.0, 780.0, 860.0, 940.0, 1050.0, 1150.0)
_ASSUMED_LOSSES = ((0.0, 0.14, 0.08), (500.0, 0.09, 0.07), (1000.0, 0.05, 0.05))
# Of the way from the search to its master, about the mean of the games that are measured.
_ASSUMED_MASTERY = (0.15, 0.4, 0.65, 0.85, 1.0)
# Of the strength of the player whose style it is.
_ASSUMED_SHARES = (0.0, 0.12, 0.25, 0.4, 0.6, 0.8, 1.0)


class Rung(NamedTuple):
    """How much players of a rating lose by their moves: mean and deviation of a game's mean loss."""

    elo: float
    loss: float
    deviation: float


@dataclass(frozen=True)
class Dial:
    """Strengths of the settings in one game, rising, and what players of known strength lose by their moves."""

    elos: tuple[float, ...]
    losses: tuple[Rung, ...]
    measured: bool
    """False where the figures are guesses."""
    marks: tuple[Setting, ...] = ALONE
    master: str | None = None
    """The spec of the player whose moves the marks with `mastery` take."""

    @property
    def weakest(self) -> float:
        return self.elos[0]

    @property
    def strongest(self) -> float:
        return self.elos[-1]

    @property
    def searching(self) -> float:
        """How strong it is without its master."""
        return max(elo for elo, mark in zip(self.elos, self.marks, strict=True) if not mark.mastery)

    def setting(self, elo: float) -> Setting:
        """The setting of a strength; beyond the ends of the dial it stays there."""
        aim = min(max(elo, self.weakest), self.strongest)
        for i, (low, high) in enumerate(pairwise(self.elos)):
            if aim <= high:
                return self.marks[i].toward(self.marks[i + 1], (aim - low) / (high - low))
        raise AssertionError(f"{elo} is not a strength.")


@cache
def dial(game: Game) -> Dial:
    """The dial of a game; an assumed one where nobody has measured it, or where the measurements cannot be read."""
    try:
        if of_game := _kept(game):
            marks, elos = _settings(of_game["settings"])
            return Dial(elos, _rungs(of_game), True, marks, of_game.get("master"))
    except (LookupError, TypeError, ValueError):
        warn(f"'{DIAL_FILE}' is damaged: the dial of {game.title} cannot be read; install Randori again.")
    return _assumed(game)


def _assumed(game: Game) -> Dial:
    """Up to the strongest of the zoo where it has somebody of known strength for the game, else up to a search."""
    losses = tuple(Rung(*it) for it in _ASSUMED_LOSSES)
    try:
        best = next((it for _, it in families(game)), None)
    except UserError as error:
        warn(str(error))
        best = None
    searching = _ASSUMED[: len(SEARCHING)]
    if best is None or best.elo is None or best.elo <= searching[-1]:
        return Dial(_ASSUMED, losses, measured=False)
    mastered = [searching[-1] + share * (best.elo - searching[-1]) for share in _ASSUMED_MASTERY]
    return Dial(rising([*searching, *mastered]), losses, False, MASTERED, best.spec)


@cache
def style_dial(game: Game, style: str) -> Dial:
    """The dial of a style; where nobody has measured it, by the strength of the player whose style it is.

    Raises UserError where there is no such style.
    """
    usual, of_game = dial(game), _kept(game)
    found = style_of(game, style)
    try:
        if style in (styles := of_game.get("styles", {})):
            marks, elos = _settings(styles[style]["settings"])
            return Dial(elos, usual.losses, True, marks, found.spec)
        rated = {it["player"]: float(it["rating"]) for it in of_game.get("losses", ())}
    except (AttributeError, LookupError, TypeError, ValueError):
        warn(f"'{DIAL_FILE}' is damaged: the styles of {game.title} cannot be read; install Randori again.")
        rated = {}
    top = found.elo or rated.get(found.spec) or usual.searching
    return Dial(rising([share * top for share in _ASSUMED_SHARES]), usual.losses, False, STYLED, found.spec)


def _kept(game: Game) -> Mapping[str, Any]:
    """The measurements for a game; none if there are none, or the file is damaged."""
    try:
        kept = read_json(DIAL_FILE) if DIAL_FILE.exists() else {}
    except DamagedFile as error:
        warn(str(error))
        return {}
    return kept.get(game.name, {}) if isinstance(kept, dict) else {}


def _settings(rows: list[dict[str, Any]]) -> tuple[tuple[Setting, ...], tuple[float, ...]]:
    marks = tuple(Setting(**{key: row[key] for key in Setting._fields if key in row}) for row in rows)
    if len(marks) < 2:
        raise ValueError("a dial has two marks or more")
    # The first mark is the random player, which no other is weaker than, whatever a few games say.
    return marks, rising([max(0.0, float(row["rating"])) for row in rows])


def _rungs(of_game: Mapping[str, Any]) -> tuple[Rung, ...]:
    # The better the player, the less it loses: where games show otherwise, moves tell nothing of strength.
    less = rising([-it["loss"] for it in of_game["losses"]], least=0.0)
    return tuple(Rung(it["rating"], -less[i], it["deviation"]) for i, it in enumerate(of_game["losses"]))


def rising(measured: list[float], least: float = 1.0) -> tuple[float, ...]:
    """Makes measurements rise by at least `least`: neighbours in the wrong order share their mean."""
    pools: list[tuple[float, int]] = []  # mean and size
    for value in measured:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (last, m), (before, n) = pools.pop(), pools.pop()
            pools.append(((before * n + last * m) / (n + m), n + m))
    flat = np.repeat([mean for mean, _ in pools], [n for _, n in pools])
    risen = [float(flat[0])]
    for value in flat[1:]:
        risen.append(max(float(value), risen[-1] + least))
    return tuple(risen)
