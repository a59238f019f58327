"""A league as JSON: all its results, from which tables, pictures and the page are made."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from randori.arena import Rating
from randori.experiments.ladder import Rung
from randori.experiments.league.plan import QUESTIONS, GamePlan, LeagueRequest, Question
from randori.experiments.league.rating import TournamentResult
from randori.experiments.league.training import Snapshot
from randori.experiments.run import package_version
from randori.reading import DamagedFile, read_json

FORMAT_VERSION = 1
LEAGUE_FILE = "league.json"


def league_json(request: LeagueRequest, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "format_version": FORMAT_VERSION,
        "command": request.command,
        "version": package_version(),
        "seed": request.seed,
        "budget": request.budget,
        "seeds": request.seeds,
        "milliseconds": request.milliseconds,
        "most_games": request.most_games,
        "games": list(found),
    }


def game_json(
    it: GamePlan,
    snapshots: Sequence[Snapshot],
    measured: Mapping[Question, Mapping[str, dict[str, Any]]],
    results: Mapping[Question, TournamentResult],
    ladder: Sequence[Rung],
) -> dict[str, Any]:
    """The league of one game; `measured` by the names of snapshots."""
    failures = {name: why for found in results.values() for name, why in found.failures.items()}
    return {
        "game": it.game.name,
        "title": it.game.title,
        "lines": [line._asdict() for line in it.lines],
        "refusals": dict(it.refusals),
        "failures": failures,
        "rungs": [{"player": rung.player, "elo": rung.elo} for rung in ladder],
        "tournaments": {
            question: {"games": found.n_games, "settled": found.is_settled} for question, found in results.items()
        },
        "snapshots": [asdict(one) | _answers(one.name, measured, results) for one in snapshots],
    }


def _answers(
    name: str, measured: Mapping[Question, Mapping[str, dict[str, Any]]], results: Mapping[Question, TournamentResult]
) -> dict[str, Any]:
    """What was found for each question; None where it was not asked."""
    answers: dict[str, Any] = {}
    for question in QUESTIONS:
        found = measured[question].get(name)
        rating = results[question].ratings.get(name)
        answers[question] = None if found is None else {**found, "rating": None if rating is None else _rating(rating)}
    return answers


def _rating(it: Rating) -> dict[str, Any]:
    elo, low, high = (round(value, 1) for value in (it.elo, it.low, it.high))
    return {"elo": elo, "low": low, "high": high, "games": it.games, "extrapolated": it.extrapolated}


def read_league(folder: Path) -> dict[str, Any]:
    """A stored league. Raises UserError where it cannot be read."""
    path = folder / LEAGUE_FILE
    plain = read_json(path)
    if plain.get("format_version") != FORMAT_VERSION:
        raise DamagedFile(
            f"'{path}' is not a league of format {FORMAT_VERSION}; make it again, or update this package."
        )
    try:
        for it in plain["games"]:
            _check(it)
    except (AttributeError, LookupError, TypeError) as error:
        raise DamagedFile(f"'{path}' is not a league ({type(error).__name__}: {error}); make it again.") from None
    return plain


def _check(of_game: Mapping[str, Any]) -> None:
    """Raises AttributeError, LookupError or TypeError where something is missing or has the wrong type."""
    _ = of_game["game"] + of_game["title"], [line["name"] + line["title"] for line in of_game["lines"]]
    _ = [rung["player"] + str(float(rung["elo"])) for rung in of_game["rungs"]]
    for it in of_game["snapshots"]:
        _ = it["line"] + it["name"], it["seed"], it["point"], it["round"], it["cpu_seconds"], it["file"], it["command"]
        for question in QUESTIONS:
            if it[question] is not None:
                _ = it[question]["options"], it[question]["milliseconds"], it[question]["accuracy"]
                rating = it[question]["rating"]
                _ = rating is None or [float(rating[key]) for key in ("elo", "low", "high")]
