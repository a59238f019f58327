"""The training loop: the one place where learning and playing meet. It knows no algorithm."""

import json
import math
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori import games, methods
from randori.errors import UserError
from randori.experiments.cpu import CountingWorkers
from randori.experiments.gauge import Gauge, GaugeBeside, Strength
from randori.experiments.metrics import SECONDS_A_ROW
from randori.experiments.pairings import play_pairings
from randori.experiments.planned_end import PlannedEnd
from randori.experiments.recipe import LAST_RATING, Recipe
from randori.experiments.run import GAMES, Progress, Run
from randori.experiments.stopping import StopSignals
from randori.players.files import PLAYER_FILE, read_card
from randori.tensorfile import write_whole


class Ending(NamedTuple):
    """Where a session ended: `complete`, or stopped by a signal and ready to continue."""

    progress: Progress
    complete: bool


def train(
    recipe: Recipe,
    folder: Path,
    workers: CountingWorkers,
    *,
    show: Callable[[Progress, Strength | None], None] = lambda progress, strength: None,
    say: Callable[[str], None] = lambda sentence: None,
    on_rating_games: Callable[[int], None] = lambda n: None,
    checkpoint_seconds: float = 60.0,
    seconds_a_row: float = SECONDS_A_ROW,
    cpu_seconds: float = math.inf,
) -> Ending:
    """Continues the folder's run until the recipe is fulfilled or a signal asks to stop.

    The player depends on the recipe alone, not on the workers, nor on how often the run was interrupted. With a budget it
    also depends on how many rounds the machine plays in that time. In asynchronous learning it depends on chance, and
    ratings, which are played at the same time, appear in the row of a later round.
    The run is also complete after the first round at whose end learning has taken `cpu_seconds`; which round that is
    depends on the machine.
    `show` is called after each round, with the rating when there is a new one; `say` gets sentences for people, and
    `on_rating_games` the number of games that a rating has just played. Rounds that take less than `seconds_a_row` share
    a row of metrics.
    """
    clock = time.monotonic()
    game = games.game(recipe.game)
    rng = np.random.default_rng(recipe.seed)

    with Run(folder, recipe, say, seconds_a_row) as run, StopSignals(say) as stop, ExitStack() as beside:
        learner = methods.load(recipe.learner)(game, recipe.config, rng, workers)
        progress = run.begin(learner, rng)
        end = PlannedEnd(recipe, learner, progress, cpu_seconds=cpu_seconds)
        gauge = Gauge(recipe, game, workers, stop, on_rating_games)
        rate_if_due = gauge.rate_if_due
        if isinstance(learner, methods.Streaming) and learner.asynchronous:
            say("Learning is asynchronous: no game is lost, but the same command gives another player each time.")
            rate_if_due = beside.enter_context(closing(GaugeBeside(recipe, game, workers, stop))).rate_if_due
            beside.enter_context(learner.streaming(run.folder / GAMES))
        while not (end.is_complete(progress) or stop.requested):
            cpu_before = workers.cpu_seconds
            played = play_pairings(game, learner.pairings(), recipe.seed, progress.round, workers)
            metrics = learner.learn(played)
            progress.add_round(sum(map(len, played)) + int(metrics.pop("games", 0)), workers.cpu_seconds - cpu_before)

            strength = rate_if_due(learner.player, progress.round)
            progress.seconds += time.monotonic() - clock
            clock = time.monotonic()
            end.decide_if_due(progress)
            run.note(progress, metrics, strength)
            run.keep_snapshot(learner, progress)
            if run.save_is_due(checkpoint_seconds):
                run.save(learner, rng, progress)
            show(progress, strength)

        beside.close()
        run.save(learner, rng, progress)
        complete = end.is_complete(progress)
        if complete and recipe.evaluate_games and progress.strength is None:
            progress.strength = gauge.rate_at_the_end(learner.player(), progress.round, _left(recipe, progress))
            progress.seconds += time.monotonic() - clock
            run.note(progress, {}, progress.strength)
            run.save(learner, rng, progress)
            show(progress, progress.strength)
    return Ending(progress, complete)


def _left(recipe: Recipe, progress: Progress) -> float | None:
    """Seconds for the last rating: what is left of a budget, or some if the last round was long."""
    return None if recipe.budget is None else max(recipe.budget - progress.seconds, recipe.budget * LAST_RATING / 2)


def train_to_the_end(recipe: Recipe, folder: Path, workers: CountingWorkers, *, or_further: bool = False) -> Progress:
    """Trains a player to be measured when it is finished; every round has a row of metrics of its own.

    Raises KeyboardInterrupt where a signal stopped the training, so that nobody measures a half-trained player; the
    same call continues from there. Raises UserError where the run has gone further than the recipe, and so has another
    player, unless `or_further`.
    """
    ending = train(recipe, folder, workers, seconds_a_row=0.0)
    if not ending.complete:
        raise KeyboardInterrupt
    if recipe.rounds is not None and ending.progress.round > recipe.rounds and not or_further:
        raise UserError(
            f"'{folder}' was trained for {ending.progress.round} rounds, and {recipe.rounds} are wanted: "
            "choose another folder with --out."
        )
    return ending.progress


def train_to_point(recipe: Recipe, folder: Path, copy: Path, workers: CountingWorkers) -> None:
    """Trains to the recipe's rounds and copies the player of that moment, since a run keeps only its last one. A copy
    from the same training is left as it is.
    """
    if not (copy.is_file() and _is_player_of(recipe, copy)):
        train_to_the_end(recipe, folder, workers)
        write_whole(copy, (folder / PLAYER_FILE).read_bytes())


def _is_player_of(recipe: Recipe, file: Path) -> bool:
    card = read_card(file)
    ours = recipe.game, recipe.learner, recipe.seed, recipe.rounds, json.loads(json.dumps(asdict(recipe.config)))
    return ours == (card.game, card.learner, card.training["seed"], card.training["rounds"], card.config)
