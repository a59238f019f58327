"""`randori companion`."""

from typing import Annotated

from tyro.conf import arg

from randori.app.flags import GameFlag, JsonFlag, SeedFlag, WorkersFlag
from randori.app.terminal import percent, print_json, print_table, progress
from randori.errors import UserError
from randori.experiments.persons import COUNTED, PERSONS, SETTLING, TARGET, meet, persons
from randori.games import game as game_named
from randori.players.companion import dial
from randori.workers import Workers


def companion(
    game: GameFlag,
    persons_a_rung: Annotated[int, arg(name="persons", metavar="N")] = PERSONS,
    target: float = 0.5,
    only: Annotated[str, arg(metavar="PREFIX")] = "",
    seed: SeedFlag = 0,
    workers: WorkersFlag = None,
    json: JsonFlag = False,
) -> None:
    """The companion against simulated persons: players of fixed strength, from `random` to the last rung but one.

    Each person comes as a stranger. The first 10 games are for the companion to find its strength; the score is the
    companion's over the next 40.

    Args:
        persons_a_rung: How many persons of each rung.
        target: The score that the person is meant to reach.
        only: Only the rungs whose names begin so.
    """
    if persons_a_rung < 1:
        raise UserError(f"At least one person must come, not {persons_a_rung}.")
    rules = game_named(game)
    specs = [spec for spec in persons(rules) if spec.startswith(only)]
    if not specs:
        raise UserError(f"No rung begins with '{only}'; they are {', '.join(persons(rules))}.")
    with Workers(workers) as staff, progress(len(specs) * persons_a_rung, "persons") as advance:
        met = [it.summary() for it in meet(rules, specs, persons_a_rung, target, seed, staff, advance)]
    if json:
        about = {"game": rules.name, "whose": "companion", "settling": SETTLING, "counted": COUNTED}
        print_json({**about, "persons": persons_a_rung, "target": target, "seed": seed, "rungs": met})
        return
    rows = [
        [
            it["player"],
            f"{it['rating']:.0f}",
            percent(it["score"]),
            f"{percent(it['interval'][0])} .. {percent(it['interval'][1])}",
            f"{it['games']}",
            f"{it['companion_elo']:.0f}",
        ]
        for it in met
    ]
    columns = ["person", "rating", "companion's score", "95 % interval", "games", "it played at"]
    print_table(columns, rows, title=f"{rules.title}: the companion after {SETTLING} games")
    if not dial(rules).measured:
        print("  Its dial is not measured on this game: its ratings are guesses.")
    outside = [it["player"] for it in met if not it["within"]]
    if target == 0.5:
        aim = f"{percent(TARGET[0])} to {percent(TARGET[1])}"
        print(f"  Outside {aim}: {', '.join(outside)}." if outside else f"  All within {aim}.")
