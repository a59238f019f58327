"""`randori train`: the flags of a learner are the fields of its config."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, NoReturn, TypeVar

import tyro
from tyro.conf import arg

from randori import methods
from randori.app.flags import JsonFlag, RayFlag, SeedFlag, WorkersFlag, with_games
from randori.app.parsing import parse, wrapped
from randori.app.plugins import HELP
from randori.app.terminal import print_json, print_next
from randori.app.training_watch import pace, watched
from randori.arena.ratings import in_words
from randori.errors import UserError
from randori.experiments import CountingWorkers, Ending, Recipe, train
from randori.experiments.gauge import TIMES_AS_MANY, Strength
from randori.experiments.recipe import find_preset, parse_duration, recipe_for, run_folder
from randori.experiments.run import TENSORBOARD
from randori.players.files import PLAYER_FILE, read_card

Config = TypeVar("Config")


@dataclass(frozen=True)
class Flags(Generic[Config]):
    """Flags that every learner has."""

    game: Annotated[str, arg(metavar="GAME", help=with_games("What to learn"))]
    config: Config
    preset: Annotated[str, arg(metavar="NAME")] = "default"
    """Settings with a name, as listed above; the flags below change single ones."""
    rounds: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: as the preset)")] = None
    """Stop after this many rounds, counted from the beginning of the run."""
    budget: Annotated[str | None, arg(metavar="TIME", help_behavior_hint="(default: as the preset)")] = None
    """Stop after this time, such as 20m or 1h30m, over all sessions of the run; a tenth of it is for the last rating."""
    out: Annotated[Path | None, arg(metavar="FOLDER", help_behavior_hint="(default: runs/GAME-LEARNER)")] = None
    """The folder of the run: a new one, or one to continue."""
    seed: SeedFlag = 0
    workers: WorkersFlag = None
    ray: RayFlag = None
    evaluate_every: Annotated[
        int | None,
        arg(metavar="ROUNDS", help_behavior_hint="(default: so often that ratings take a tenth of the time)"),
    ] = None
    """Rounds from one rating to the next."""
    evaluate_games: Annotated[int, arg(metavar="N")] = 40
    """Games against each opponent in a rating, five times as many in the last; 0 for no ratings."""
    checkpoint_every: Annotated[str, arg(metavar="TIME")] = "60s"
    """Time from one checkpoint to the next; there is always one at the end."""
    json: tyro.conf.FlagCreatePairsOff[JsonFlag] = False

    def recipe(self, learner: str) -> Recipe:
        return recipe_for(
            learner,
            self.game,
            self.preset,
            config=self.config,
            rounds=self.rounds,
            budget=self.budget,
            seed=self.seed,
            evaluate_every=self.evaluate_every,
            evaluate_games=self.evaluate_games,
        )

    def folder(self, learner: str) -> Path:
        return self.out or run_folder(learner, self.game, self.preset)


def main(arguments: list[str]) -> None:
    """Trains a learner on a game. Exit status 0: complete; 1: stopped by a signal, and ready to continue."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_overview())
        sys.exit(0 if arguments else 2)
    learner, *rest = arguments
    if learner.startswith("-"):
        raise UserError("Name the learner first: randori train LEARNER --game GAME. `randori train` lists them.")
    flags = parse_flags(learner, rest)
    recipe, folder = flags.recipe(learner), flags.folder(learner)
    seconds = parse_duration(flags.checkpoint_every)
    with CountingWorkers(flags.workers, ray=flags.ray) as staff, watched(recipe) as watch:
        ending = train(
            recipe,
            folder,
            staff,
            show=watch.show,
            say=watch.say,
            on_rating_games=watch.add_rating_games,
            checkpoint_seconds=seconds,
        )
    _report(ending, recipe, folder, flags.json)


def parse_flags(learner: str, arguments: list[str]) -> Flags[Any]:
    """All flags, the config's included."""
    wanted, markers, default = flags_for(learner, _preset_name(arguments))
    listed = "\n".join(f"  {name}: {it.summary}" for name, it in methods.load(learner).presets.items())
    summary = methods.find(learner).summary
    about = f"{summary[:1].upper()}{summary[1:]}.\n\nPresets:\n{listed}"
    flags: Flags[Any] = parse(wanted, f"randori train {learner}", about, arguments, *markers, default=default)
    return flags


def flags_for(learner: str, preset: str) -> tuple[type[Flags[Any]], tuple[Any, ...], Flags[Any]]:
    """The dataclass to fill, how its flags are spelt, and its defaults."""
    kind = methods.load(learner)
    # Settings that are on by default are shown with both spellings: --no-slopes alone would stand beside what slopes do.
    markers = (tyro.conf.OmitArgPrefixes,)
    chosen = find_preset(learner, preset)
    default = Flags(game=tyro.MISSING if chosen.game is None else chosen.game, config=chosen.config)
    return Flags[kind.Config], markers, default  # type: ignore[name-defined]


def _preset_name(arguments: list[str]) -> str:
    """Found before the flags are parsed, whose defaults the preset gives."""
    name = "default"
    for place, argument in enumerate(arguments):
        flag, _, value = argument.partition("=")
        if flag == "--preset":
            name = value or next(iter(arguments[place + 1 :]), name)
    return name


def _overview() -> str:
    listed = methods.all_methods()
    width = max(map(len, listed))
    lines = [f"  {name:{width}}  {kind.summary}" for name, kind in listed.items()]
    usage = "usage: randori train LEARNER --game GAME [--rounds N | --budget 20m]\n    [--out runs/NAME] [--help]"
    about = "Trains until it is done or stopped; the same command again continues."
    more = "`randori train LEARNER --help` lists the presets and settings of a learner."
    return wrapped("\n".join([usage, "", about, "", *lines, "", more, "", HELP]))


def _report(ending: Ending, recipe: Recipe, folder: Path, json: bool) -> None:
    stage = ending.progress
    if json:
        print_json({"run": str(folder), "complete": ending.complete, **asdict(stage)})
    else:
        print(f"{folder}: {pace(stage)}, {stage.games:,} games in {stage.seconds:,.1f} s")
        if stage.strength is not None:
            print(f"rating {in_words(stage.strength)}, from {stage.strength['games']} games, random being 0")
    if not ending.complete:
        _stop(f"Stopped after round {stage.round}, all saved; the same command continues from there (exit status 1).")
    if not json:
        print_next(*_next_commands(recipe, stage.strength, folder))


def _next_commands(recipe: Recipe, strength: Strength | None, folder: Path) -> Iterator[list[str]]:
    """What to do with a run."""
    wanted = TIMES_AS_MANY * recipe.evaluate_games
    if strength is not None and any(it["wins"] + it["draws"] + it["losses"] < wanted for it in strength["opponents"]):
        # The budget had no time for all games of the last rating.
        yield ["randori", "card", str(folder), "--games", str(wanted), "--write"]
    if shutil.which("tensorboard") is not None:
        yield ["tensorboard", "--logdir", str(folder / TENSORBOARD)]
    yield ["randori", "report", str(folder), "--out", str(folder / "report")]
    if "architecture" in read_card(folder / PLAYER_FILE).settings:
        yield ["randori", "export", str(folder), "--onnx", str(folder / "player.onnx")]
    yield ["randori", "play", "--terminal", "--opponent", str(folder)]
    yield ["randori", "match", str(folder), "heuristic", "--game", recipe.game]


def _stop(sentence: str) -> NoReturn:
    print(f"randori: {sentence}", file=sys.stderr)
    sys.exit(1)
