"""`randori league`."""

import sys
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from randori.app.beside import beside, end_interrupted
from randori.app.commands.reproduce_progress import progress_display
from randori.app.flags import Count, JsonFlag, SeedFlag, WorkersFlag, with_games
from randori.app.terminal import print_json, print_next
from randori.experiments.cpu import CountingWorkers
from randori.experiments.league import LeagueRequest, make_league
from randori.experiments.league.plan import GAMES, MILLISECONDS, expected_seconds, in_words, plan
from randori.experiments.recipe import parse_duration

OUT = Path("runs") / "league"

GamesFlag = Annotated[tuple[str, ...], arg(metavar="GAME...", help=with_games("Which games"))]
MethodsFlag = Annotated[
    tuple[str, ...],
    arg(metavar="METHOD...", help="Which methods, as `randori train` lists them.", help_behavior_hint="(default: all)"),
]
WithFlag = Annotated[
    tuple[str, ...],
    arg(
        name="with",
        metavar="PLAYER...",
        help="Further lines: players such as `uct:simulations=500` or another program, folders of runs, player files.",
        help_behavior_hint="",
    ),
]


def league(
    games: GamesFlag = GAMES,
    methods: MethodsFlag = (),
    budget: Annotated[str, arg(metavar="TIME")] = "10m",
    seeds: Count = 3,
    join: WithFlag = (),
    most_games: Count = 100,
    milliseconds: Annotated[float, arg(metavar="MS")] = MILLISECONDS,
    like: Annotated[Path | None, arg(metavar="FOLDER", help_behavior_hint="")] = None,
    out: Annotated[Path, arg(metavar="FOLDER")] = OUT,
    seed: SeedFlag = 0,
    workers: WorkersFlag = None,
    ray: Annotated[str | None, arg(metavar="ADDRESS", help_behavior_hint="")] = None,
    json: JsonFlag = False,
) -> None:
    """Compares every method on every game that it can learn, by CPU time.

    Each method learns for the same CPU time, with snapshots at a 64th of it, a 32nd, ... and all of it. Then all snapshots
    of a game play one tournament with the rungs of the ladder, once by knowledge alone (one ply, no search, no exact endings)
    and once as players, with as much search as fits into --milliseconds of CPU time. Games are played where the order is least
    certain. Run again, the same command continues where it stopped; with other games, or with more methods, seeds or players,
    it adds these.

    Args:
        budget: CPU time of each training, such as 20s, 10m or 1h.
        seeds: Trainings of each method on each game.
        most_games: The most games of a snapshot in each of the two tournaments.
        milliseconds: CPU time per move of a player.
        like: Repeat this league: train for as many rounds and think with the same settings, whatever time that takes.
        out: The folder to write: league.json, league.csv, league.md, pictures, trainings and players.
        ray: Work on the Ray cluster at this address, whose nodes all see the folder; `auto` starts one here.
    """
    request = LeagueRequest(games, methods, parse_duration(budget), seeds, join, most_games, milliseconds, seed)
    planned = plan(request)
    for sentence in in_words(request, planned):
        print(f"randori: {sentence}", file=sys.stderr, flush=True)
    with CountingWorkers(workers, ray=ray) as staff:
        try:
            with progress_display(expected_seconds(request, planned) / 60) as progress:
                result = beside(lambda: make_league(request, out, staff, like=like, progress=progress))
        except KeyboardInterrupt:
            end_interrupted()
    _show(result, games[0], out, json)


def _show(league: dict[str, Any], game: str, out: Path, json: bool) -> None:
    if json:
        print_json(league)
        return
    print((out / "league.md").read_text(encoding="utf-8"))
    print(f"Written to {out / 'league.md'}, {out / 'league.json'} and {out / 'league.csv'}.")
    print_next(["randori", "play", "--runs", str(out.parent)])
    (of_game,) = (it for it in league["games"] if it["game"] == game)
    trained = [it for it in of_game["snapshots"] if it["file"] is not None and it["player"]["rating"] is not None]
    if trained:
        strongest = max(trained, key=lambda it: it["player"]["rating"]["elo"])
        print_next(["randori", "play", "--terminal", "--opponent", str(out / game / strongest["file"]), "--game", game])
