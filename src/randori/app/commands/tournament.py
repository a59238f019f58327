"""`randori tournament`."""

import os
import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori import api, arena
from randori.app.commands.match import end_unless, print_forfeits
from randori.app.crosstable import cross_table_html
from randori.app.flags import Count, JsonFlag, OpeningsFlag, PlayersGameFlag, RayFlag, SeedFlag, WorkersFlag
from randori.app.terminal import percent, print_json, print_next, print_table, progress
from randori.errors import UserError


def tournament(
    players: Annotated[
        tuple[str, ...],
        Positional,
        arg(metavar="PLAYER...", help="Two or more; `randori players` lists them.", help_behavior_hint=""),
    ],
    game: PlayersGameFlag = None,
    games: Count = 100,
    seed: SeedFlag = 0,
    openings: OpeningsFlag = None,
    workers: WorkersFlag = None,
    ray: RayFlag = None,
    json: JsonFlag = False,
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None,
) -> None:
    """Everyone against everyone: ratings with intervals.

    Ratings are Bradley-Terry on the Elo scale, `random` being 0, without forfeited games. Ctrl-C shows what was played by
    then. A program that cannot play leaves the tournament.

    Args:
        games: How many games each pair plays.
        html: Also write ratings and cross-table as a page to this file.
    """
    if html is not None and not os.access(html.parent, os.W_OK):
        raise UserError(f"'{html.parent}' is not a folder that can be written to; choose another for the page.")
    n_games = games * len(players) * (len(players) - 1) // 2
    with progress(n_games, "games", f"{len(players)} players") as advance:
        played = api.tournament(
            players, game, games, seed=seed, opening_plies=openings, workers=workers, ray=ray, on_games=advance
        )
    if json:
        print_json(played.summary())
    else:
        print_tournament(played)
    if html is not None:
        html.write_text(cross_table_html(played), encoding="utf-8")
    for sentence in played.failures.values():
        print(f"randori: {sentence}", file=sys.stderr)
    end_unless(played.complete)
    if played.failures:
        sys.exit(1)
    if not json and played.ratings:
        best = played.ratings[0].name
        print_next(["randori", "play", "--terminal", "--opponent", best, "--game", played.game.name])


def print_tournament(played: arena.Tournament) -> None:
    """Ratings, and each player's score against each other in the order of strength."""
    forfeits = any(match.forfeits for match in played.matches)
    rows = [
        [it.name, f"{it.elo:.0f}", f"{it.low:.0f} .. {it.high:.0f}", str(it.games), percent(it.score)]
        + ([str(played.forfeits(it.name))] if forfeits else [])
        for it in played.ratings
    ]
    columns = ["player", "rating", "95% interval", "games", "score", *(["forfeits"] if forfeits else [])]
    print_table(columns, rows, title=played.game.title)
    names = played.names
    rows = [
        [f"{place} {name}", *(_cell(played, name, other) for other in names)] for place, name in enumerate(names, 1)
    ]
    print_table(["score in %", *(str(place + 1) for place in range(len(names)))], rows)
    if forfeits:
        print("  * counts forfeited games as lost; ratings leave them out")
    print_forfeits(played.matches)


def _cell(played: arena.Tournament, name: str, other: str) -> str:
    match, score = played.match(name, other), played.score(name, other)
    return "-" if match is None or score is None else f"{100 * score:.0f}{'*' if match.forfeits else ''}"
