"""`randori match`."""

import sys

from randori import api, arena, interrupts
from randori.app.flags import (
    BookFlag,
    Count,
    JsonFlag,
    OpeningsFlag,
    PlayerFlag,
    PlayersGameFlag,
    RayFlag,
    SeedFlag,
    WorkersFlag,
)
from randori.app.terminal import percent, print_json, print_next, progress
from randori.arena.match import Seats


def match(
    first: PlayerFlag,
    second: PlayerFlag,
    game: PlayersGameFlag = None,
    games: Count = 100,
    seed: SeedFlag = 0,
    openings: OpeningsFlag = None,
    book: BookFlag = None,
    seats: Seats = "alternate",
    workers: WorkersFlag = None,
    ray: RayFlag = None,
    json: JsonFlag = False,
) -> None:
    """Plays a match between two players and prints the first player's score with its 95% interval.

    Each opening is played from both sides.

    Args:
        games: How many games.
        seats: Who begins: both in turn, or the first player every time.
    """
    with progress(games, "games", f"{first} against {second}") as advance:
        played = api.match(
            first,
            second,
            game,
            games,
            seed=seed,
            opening_plies=openings,
            book=book,
            seats=seats,
            workers=workers,
            ray=ray,
            on_games=advance,
        )
    if json:
        print_json(played.summary())
    elif played.score.games:
        low, high = played.score.interval
        planned = played.duel
        print(f"{planned.first.name} against {planned.second.name}, {planned.game.title}, {played.score.games} games:")
        forfeited = f", {played.n_forfeits} of these by forfeit" if played.forfeits else ""
        print(f"  {played.score.wins} won, {played.score.draws} drawn, {played.score.losses} lost{forfeited}")
        print(f"  score {percent(played.score.mean)}, 95% interval {percent(low)} to {percent(high)}")
        print(f"  {played.score.distinct_games} distinct games; whoever began scored {percent(played.began.mean)}")
        print_forfeits([played])
    end_unless(played.complete)
    if not json:
        better = first if played.score.mean >= 0.5 else second
        print_next(["randori", "play", "--terminal", "--opponent", better, "--game", played.duel.game.name])


def print_forfeits(matches: list[arena.Match]) -> None:
    """A note for each reason why games ended outside the rules."""
    for match in matches:
        first, second = match.duel.first.name, match.duel.second.name
        for it in match.forfeits:
            games = f"{it.games} {'game' if it.games == 1 else 'games'}"
            print(f"  {it.player} forfeited {games} against {second if it.player == first else first}: {it.reason}")


def end_unless(complete: bool) -> None:
    """Ends with exit status 130 if Ctrl-C came before the last game."""
    if not complete:
        print("randori: Interrupted; the figures cover the games that had ended.", file=sys.stderr)
        sys.exit(interrupts.STATUS)
