"""A league as files: `league.json`, `league.csv`, `league.md` and pictures."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from randori.arena.ratings import at_bound
from randori.errors import UserError
from randori.experiments.league.claims import claims
from randori.experiments.league.drawing import charts
from randori.experiments.league.plan import QUESTIONS, Question
from randori.experiments.league.results import LEAGUE_FILE
from randori.experiments.league.standing import Plain, Standing, added_by_search, standings
from randori.experiments.report import NOTHING, markdown_table
from randori.tensorfile import write_whole

_RANKS = ("", "rank", "rating", "95% interval", "right moves", "ms per move", "CPU s")
_COLUMNS = (
    "game", "line", "seed", "point", "round", "games", "cpu_seconds", "question", "options", "milliseconds", "elo", "low",
    "high", "rated_games", "extrapolated", "accuracy", "accuracy_low", "accuracy_high",
)  # fmt: skip


def save(league: Plain, folder: Path, cpu_seconds: float) -> None:
    """Writes all files. `cpu_seconds`, the time of all sessions, is not part of the JSON, since it differs each time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for of_game in league["games"]:
            for chart in charts(of_game):
                write_whole(folder / f"{chart.name}.svg", chart.svg().encode())
        write_whole(folder / "league.csv", league_csv(league).encode())
        write_whole(folder / "league.md", markdown(league, cpu_seconds).encode())
        write_whole(folder / LEAGUE_FILE, (json.dumps(league, indent=1) + "\n").encode())
    except OSError as error:
        raise UserError(f"'{folder}' cannot be written ({error.strerror}); choose another --out.") from error


def league_csv(league: Plain) -> str:
    """A row for each snapshot and question."""
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    table.writeheader()
    for of_game in league["games"]:
        for it in of_game["snapshots"]:
            table.writerows(_row(of_game["game"], it, question) for question in QUESTIONS if it[question] is not None)
    return text.getvalue()


def _row(game: str, it: Plain, question: Question) -> dict[str, Any]:
    row = {key: it[key] for key in ("line", "seed", "point", "round", "games", "cpu_seconds")}
    found = it[question]
    row |= {"game": game, "question": question, "options": found["options"], "milliseconds": found["milliseconds"]}
    if found["rating"] is not None:
        rating = found["rating"]
        row |= {key: rating[key] for key in ("elo", "low", "high", "extrapolated")} | {"rated_games": rating["games"]}
    if found["accuracy"] is not None:
        low, high = found["accuracy"]["interval"]
        row |= {"accuracy": found["accuracy"]["share"], "accuracy_low": low, "accuracy_high": high}
    return row


def markdown(league: Plain, cpu_seconds: float) -> str:
    parts = ["# League\n", _provenance(league, cpu_seconds), _how(league), _overview(league)]
    for of_game in league["games"]:
        parts.append(f"## {of_game['title']}\n")
        parts += ["".join(f"- {it}\n" for it in claims(of_game, league["budget"]))]
        for question, heading in QUESTIONS.items():
            if ranked := standings(of_game, question):
                parts += [f"### {heading}\n", ranks_table(ranked), _tournament(of_game, question)]
        parts += [_added(of_game), _lines(of_game), _left_out(of_game)]
        parts += [f"![{chart.title}]({chart.name}.svg)\n" for chart in charts(of_game)]
    return "\n".join(it for it in parts if it)


def _provenance(league: Plain, cpu_seconds: float) -> str:
    return (
        f"Made by `{league['command']}` with randori {league['version']} and seed {league['seed']}, in {cpu_seconds:,.0f} "
        "CPU seconds over all processes.\n"
    )


def _how(league: Plain) -> str:
    return (
        f"Every method learned each game for {league['budget']:g} CPU seconds over all its processes, with "
        f"{_seeds(league['seeds'])}. Two questions are asked. *Knowledge alone*: players look one ply ahead, without search and "
        "without exact endings, so only what they learned decides. *As a player*: they search for "
        f"{league['milliseconds']:g} ms of CPU time per move, one position at a time; the search settings were chosen once per "
        "snapshot and then fixed.\n\n"
        "For each question, all snapshots of a game played one tournament with the rungs of the ladder, whose ratings are fixed, "
        f"with up to {league['most_games']} games per snapshot. Tables show the last snapshots: means over seeds with 95% "
        "intervals (Student's t over seeds, never narrower than the ratings' own). Two methods share a rank if the interval of "
        "their difference contains 0. *Right moves* is the share of moves that keep the exact value, in positions that a solver "
        "knows. In the pictures, a band spans the seeds.\n"
    )


def _overview(league: Plain) -> str:
    """Ranks in all games side by side: the lines that play most games first, and of those the best."""
    if len(league["games"]) < 2:
        return ""
    parts = ["## All games\n"]
    for question, heading in QUESTIONS.items():
        ranked = [{it.title: it.rank for it in standings(of_game, question)} for of_game in league["games"]]
        titles = {title for ranks in ranked for title in ranks}
        best = {title: [sum(ranks[title]) for ranks in ranked if title in ranks] for title in titles}
        rows = [
            [title, *(ranks[title].words if title in ranks else NOTHING for ranks in ranked)]
            for title in sorted(titles, key=lambda it: (-len(best[it]), sum(best[it]), it))
        ]
        head = (f"{heading}: rank", *(of_game["title"] for of_game in league["games"]))
        parts.append(markdown_table(head, rows))
    return "\n".join(parts)


def _seeds(n: int) -> str:
    return "1 seed" if n == 1 else f"{n} seeds"


def ranks_table(ranked: Sequence[Standing]) -> str:
    return markdown_table(_RANKS, [_rank_row(it) for it in ranked])


def _rank_row(it: Standing) -> list[str]:
    accuracy = NOTHING if it.accuracy is None else f"{it.accuracy[0]:.3f} ({_span(it.accuracy[1], 3)})"
    return [
        it.title,
        it.rank.words,
        at_bound(f"{it.elo:.0f}", it.extrapolated),
        _span(it.interval),
        accuracy,
        NOTHING if it.milliseconds is None else f"{it.milliseconds:.2f}",
        NOTHING if it.cpu_seconds is None else f"{it.cpu_seconds:,.1f}",
    ]


def _span(interval: tuple[float, float], digits: int = 0) -> str:
    return f"{interval[0]:.{digits}f} .. {interval[1]:.{digits}f}"


def _tournament(of_game: Plain, question: Question) -> str:
    played = of_game["tournaments"][question]
    order = "the order is settled" if played["settled"] else "some methods could still swap places"
    return f"{played['games']:,} games; {order}.\n"


def _added(of_game: Plain) -> str:
    found = added_by_search(of_game)
    if not found:
        return ""
    rows = [[it.title, f"{round(it.elo):+d}", _span(it.interval)] for it in found]
    return "### What search adds\n\n" + markdown_table(("", "Elo", "95% interval"), rows)


def _lines(of_game: Plain) -> str:
    presets = [f"{it['title']} `{it['preset']}`" for it in of_game["lines"] if it["preset"] is not None]
    return f"Presets: {', '.join(presets)}.\n" if presets else ""


def _left_out(of_game: Mapping[str, Any]) -> str:
    items = [f"- `{name}` does not take part: {why}" for name, why in of_game["refusals"].items()]
    items += [f"- `{name}` could not play: {why}" for name, why in of_game["failures"].items()]
    return "\n".join(items) + "\n" if items else ""
