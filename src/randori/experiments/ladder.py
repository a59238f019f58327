"""The ladder: opponents of fixed rating, who set the scale for everybody else.

Their ratings are kept in `ladder.json`, which `make_ladder.py` writes, so that ratings of different runs, learners and
days are on one scale.
"""

from pathlib import Path
from typing import Any, NamedTuple

from randori.arena.ratings import Beyond
from randori.core.game import Game
from randori.reading import DamagedFile, is_number, read_json

LADDER_FILE = Path(__file__).with_name("ladder.json")


class Rung(NamedTuple):
    """An opponent of the ladder, with the 95% interval of its rating; extrapolated where nobody holds it."""

    player: str
    elo: float
    low: float
    high: float
    extrapolated: Beyond | None


def rungs(game: Game) -> list[Rung]:
    """The weakest first; `random` alone for a game without a ladder of its own."""
    kept = read_json(LADDER_FILE) if LADDER_FILE.exists() else {}
    if game.name not in kept:
        return [Rung("random", 0.0, 0.0, 0.0, None)]
    try:
        found = [_rung(it) for it in reversed(kept[game.name]["ratings"])]
    except (LookupError, TypeError, ValueError) as error:
        raise _damaged(game) from error
    if not found or not all(isinstance(it.player, str) and all(map(is_number, it[1:4])) for it in found):
        raise _damaged(game)
    return found


def _rung(row: dict[str, Any]) -> Rung:
    low, high = row["interval"]
    return Rung(row["player"], row["rating"], low, high, row["extrapolated"])


def _damaged(game: Game) -> DamagedFile:
    return DamagedFile(f"'{LADDER_FILE}' is damaged: the ladder of {game.title} cannot be read; install Randori again.")


def ladder(game: Game) -> dict[str, float]:
    """Opponents and their ratings, the weakest first."""
    return {it.player: it.elo for it in rungs(game)}
