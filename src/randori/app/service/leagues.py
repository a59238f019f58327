"""The leagues to look at, and their snapshots to play against. Only names in the listings are accepted."""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from randori.app.service.refusals import Unknown
from randori.documents import DOCS
from randori.errors import UserError
from randori.experiments.league import LEAGUE_FILE, QUESTIONS, Question, read_league

STORED = DOCS / "league"
"""The league that is part of the package."""
OURS = "stored"
"""Its name here."""
_SPEC = "league/"


class LeaguePlayer(NamedTuple):
    """A snapshot as somebody to play against."""

    file: Path
    options: str
    title: str
    rating: dict[str, Any] | None


def leagues(runs: Path) -> dict[str, Path]:
    """The folders of all leagues by name: that of the package first, then those in the folder of runs."""
    try:
        found = sorted(it for it in runs.iterdir() if it.name.isprintable() and not it.name.startswith("."))
    except OSError:
        found = []
    listed = {OURS: STORED} | {it.name: it for it in found if it.name != OURS}
    return {name: folder for name, folder in listed.items() if (folder / LEAGUE_FILE).is_file()}


def league(runs: Path, name: str) -> dict[str, Any]:
    """Raises Unknown for what is not in the listing, or damaged."""
    folder = leagues(runs).get(name)
    if folder is None:
        raise Unknown(f"There is no league '{name[:40]}'.")
    try:
        return _read(folder, (folder / LEAGUE_FILE).stat().st_mtime)
    except (OSError, UserError) as error:
        raise Unknown(f"The league '{name}' is damaged: make it again.") from error


@lru_cache(maxsize=4)
def _read(folder: Path, written: float) -> dict[str, Any]:
    return read_league(folder)


def spec_of(league_name: str, snapshot: str, question: Question) -> str:
    return f"{_SPEC}{league_name}/{snapshot}@{question}"


def snapshot_named(runs: Path, game: str, spec: str) -> LeaguePlayer | None:
    """The player that a spec of `spec_of` names; None if there is no such snapshot, or its player is not stored."""
    if not spec.startswith(_SPEC):
        return None
    place, _, question = spec.removeprefix(_SPEC).rpartition("@")
    name, _, snapshot = place.partition("/")
    folder = leagues(runs).get(name)
    if folder is None or question not in QUESTIONS:
        return None
    try:
        found = next(it for it in league(runs, name)["games"] if it["game"] == game)
        row = next(it for it in found["snapshots"] if it["name"] == snapshot)
    except (Unknown, StopIteration):
        return None
    file = player_file(folder, game, row)
    if file is None or row[question] is None:
        return None
    title = called(found, row) + (", by knowledge alone" if question == "knowledge" else "")
    return LeaguePlayer(file, row[question]["options"], title, row[question]["rating"])


def player_file(folder: Path, game: str, row: dict[str, Any]) -> Path | None:
    """None if it is not kept: a league may come without its players, which are large."""
    if not isinstance(row["file"], str):
        return None
    file = folder / game / "players" / Path(row["file"]).name
    return file if file.is_file() else None


def called(of_game: dict[str, Any], row: dict[str, Any]) -> str:
    """As in "AlphaZero after 8 minutes"."""
    title = cast(str, next(it["title"] for it in of_game["lines"] if it["name"] == row["line"]))
    return title if row["cpu_seconds"] is None else f"{title} after {in_time(row['cpu_seconds'])}"


def in_time(seconds: float) -> str:
    """With about two digits."""
    for name, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{_two_digits(seconds / length)} {name}"
    return f"{_two_digits(seconds)} seconds"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
