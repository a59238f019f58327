"""The training loop: the one place where learning and playing meet. It knows no algorithm."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori import games, methods
from randori.experiments.cpu import CountingWorkers
from randori.experiments.gauge import Gauge, Strength
from randori.experiments.pairings import play_pairings
from randori.experiments.recipe import LAST_RATING, Recipe
from randori.experiments.run import Progress, Run
from randori.experiments.stopping import StopSignals


class Ending(NamedTuple):
    """Where a session ended: `complete`, or stopped by a signal and ready to go on."""

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
) -> Ending:
    """Trains from where the folder's run was until the recipe is fulfilled or a signal asks to stop.

    The player depends on the recipe alone: not on the workers, nor on how often the run was interrupted.
    `show` is called after each round, with the rating when there is a new one; `say` gets sentences for people, and
    `on_rating_games` the number of games that a rating has just played.
    """
    clock = time.monotonic()
    game = games.game(recipe.game)
    rng = np.random.default_rng(recipe.seed)
    with Run(folder, recipe, say) as run, StopSignals(say) as stop:
        learner = methods.load(recipe.learner)(game, recipe.config, rng, workers)
        progress = run.begin(learner, rng)
        gauge = Gauge(recipe, game, workers, stop, on_rating_games)
        while not (recipe.is_fulfilled(progress.round, progress.seconds) or stop.asked):
            cpu_before = workers.cpu_seconds
            played = play_pairings(game, learner.pairings(), recipe.seed, progress.round, workers)
            metrics = learner.learn(played)
            progress.add_round(sum(map(len, played)) + int(metrics.pop("games", 0)), workers.cpu_seconds - cpu_before)

            strength = gauge.rate(learner.player(), progress.round) if gauge.is_due(progress.round) else None
            progress.seconds += time.monotonic() - clock
            clock = time.monotonic()
            run.note(progress, metrics, strength)
            run.keep_snapshot(learner, progress)
            if run.save_is_due(checkpoint_seconds):
                run.save(learner, rng, progress)
            show(progress, strength)

        run.save(learner, rng, progress)
        complete = recipe.is_fulfilled(progress.round, progress.seconds)
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
