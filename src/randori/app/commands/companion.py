"""`randori companion`."""

import shlex
import sys
from typing import Annotated

from tyro.conf import arg

from randori.app.flags import GameFlag, JsonFlag, RayFlag, ReportFolderFlag, SeedFlag, WorkersFlag
from randori.app.terminal import percent, print_json, print_table, progress
from randori.core.game import Game
from randori.errors import UserError
from randori.experiments.persons import COUNTED, PERSONS, SETTLING, TARGET, Met, meet, persons, report
from randori.games import game as game_named
from randori.players.companion import Dial, dial, style_dial
from randori.workers import Workers


def companion(
    game: GameFlag,
    persons_a_rung: Annotated[int, arg(name="persons", metavar="N")] = PERSONS,
    target: float = 0.5,
    style: str | None = None,
    only: Annotated[str, arg(metavar="PREFIX", help_behavior_hint="")] = "",
    seed: SeedFlag = 0,
    workers: WorkersFlag = None,
    ray: RayFlag = None,
    out: ReportFolderFlag = None,
    json: JsonFlag = False,
) -> None:
    """Tests the companion on simulated people: players of fixed strength from the ladder, from `random` to the last rung
    but one, or to the last if the companion can be as strong.

    The companion knows nothing about a new person. It finds its level in the first 10 games; the score is the companion's
    over the next 40.

    Args:
        persons_a_rung: How many people to simulate at each rung.
        target: The score that the person should reach.
        style: Whose moves the companion makes: a family of players, such as `som`, or a player, such as `heuristic`.
        only: Only the rungs whose names begin with this.
    """
    if persons_a_rung < 1:
        raise UserError(f"--persons must be 1 or more, not {persons_a_rung}.")
    rules = game_named(game)
    scale = dial(rules) if style is None else style_dial(rules, style)
    known = persons(rules, style)
    specs = [spec for spec in known if spec.startswith(only)]
    if not specs:
        raise UserError(f"No rung begins with '{only}'. The rungs are: {', '.join(known)}.")
    with Workers(workers, ray=ray) as staff, progress(len(specs) * persons_a_rung, "persons") as advance:
        met = meet(rules, specs, persons_a_rung, target, seed, staff, advance, style)
    if out is not None:
        report(rules, met, shlex.join(["randori", *sys.argv[1:]]), style).save(out)
    if json:
        about = {"game": rules.name, "whose": "companion", "settling": SETTLING, "counted": COUNTED}
        rungs = [it.summary() for it in met]
        print_json({**about, "persons": persons_a_rung, "target": target, "style": style, "seed": seed, "rungs": rungs})
        return
    _print_met(rules, met, scale)
    print(f"  {persons_a_rung * COUNTED} games with the people at each rung, seed {seed}.")
    outside = [_short(rules, it.player) for it in met if not it.within]
    if target == 0.5:
        aim = f"{percent(TARGET[0])} to {percent(TARGET[1])}"
        print(f"  Outside {aim}: {' '.join(outside)}" if outside else f"  All within {aim}.")


def _print_met(game: Game, met: list[Met], scale: Dial) -> None:
    rows = []
    for it in met:
        low, high = it.score.interval
        interval = f"{percent(low)} .. {percent(high)}"
        rows.append(
            [_short(game, it.player), f"{it.rating:.0f}", percent(it.score.mean), interval, f"{it.companion_elo:.0f}"]
        )
    title = f"{game.title}: the companion's score after {SETTLING} games"
    print_table(["person", "rating", "score", "95% interval", "played at"], rows, title=title)
    if not scale.measured:
        print("  Its dial has not been measured, so the ratings it plays at are guesses.")


def _short(game: Game, spec: str) -> str:
    """A spec that leaves room for figures: the game is known, and its first option stands for the others."""
    first, comma, _ = spec.removeprefix(f"zoo/{game.name}-").partition(",")
    return f"{first},..." if comma else first
