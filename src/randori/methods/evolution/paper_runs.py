"""The runs of the paper and of ours: several ways to evolve, measured on the way."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import duel, play_duels
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.metrics import read_metrics
from randori.experiments.papers import Scale
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train_to_the_end
from randori.methods.evolution.config import BEYOND, GROWING, PAPER, PAPER_REVERSI, EvolutionConfig
from randori.methods.evolution.networks import cut_links
from randori.methods.evolution.player import Evolved
from randori.methods.evolution.standard import standard_program
from randori.players.files import PLAYER_FILE, load_player
from randori.workers import Workers

RECIPE, OUR_FEATURES, PRUNED = "the recipe", "our features", "1/5 rule, pruning"
PROPOSALS = 0.3
"""The chance of a descendant to see a new feature, where mutation makes them."""


@dataclass(frozen=True)
class Experiment:
    """Runs of several ways to evolve, measured on the way as the paper does: by games that evolution does not see."""

    game: str
    ways: dict[str, EvolutionConfig]
    counted: str
    """What is counted: `draws` or `wins`."""
    measured_games: int
    opening_plies: int
    n_runs: int
    generations: int
    points: int
    compared: tuple[tuple[str, str], ...]
    """Which way is compared with which."""

    def rounds(self) -> list[int]:
        return [self.generations * (point + 1) // self.points for point in range(self.points)]


def tictactoe(scale: Scale) -> Experiment:
    sizes = (10, 1000, 25) if scale == "full" else (5, 300, 12)
    # The paper does not say who goes on where parent and descendant are equally fit, as they often are here.
    settled = _with_and_without(replace(PAPER, keep_parent=True), ", ties to the parent")
    ways = _with_and_without(PAPER) | settled
    return Experiment("tictactoe", ways, "draws", 50, 0, *sizes, (pair(), pair(", ties to the parent")))


def reversi(scale: Scale) -> Experiment:
    sizes = (10, 1000, 20) if scale == "full" else (5, 150, 6)
    return _of_reversi(_with_and_without(PAPER_REVERSI), *sizes, (pair(),))


def readings(scale: Scale) -> Experiment:
    """Other readings than the recipe's: a logistic function over more discs than 1, and a parent that keeps its fitness."""
    sizes = (10, 300, 6) if scale == "full" else (5, 150, 6)
    ways = {f"{n} discs": replace(PAPER_REVERSI, scale=float(n)) for n in (4, 8)}
    ways["fitness kept"] = replace(PAPER_REVERSI, keep_fitness=True)
    return _of_reversi(ways, *sizes, tuple((way, RECIPE) for way in ways))


def _of_reversi(
    ways: dict[str, EvolutionConfig], n_runs: int, generations: int, points: int, compared: tuple[tuple[str, str], ...]
) -> Experiment:
    plies = PAPER_REVERSI.openings[1]
    return Experiment("othello6", ways, "wins", 100, plies, n_runs, generations, points, compared)


_SEARCH = replace(BEYOND, exact=0, standard_games=60)
_PLUS = replace(_SEARCH, strategy="one-fifth", hidden=PAPER.hidden, keep_parent=True)
_PRUNED = replace(_PLUS, pruning=PAPER.pruning)


def beyond(scale: Scale) -> Experiment:
    """All with the same number of individuals and games per generation; opponents and features of our own preset."""
    growing = replace(GROWING, exact=0, standard_games=60)
    ways = {
        "1/5 rule": _PLUS,
        PRUNED: _PRUNED,
        "1/5 rule, growth from one hidden unit": growing,
        "self-adaptive steps": replace(_PLUS, strategy="self-adaptive"),
        "CMA-ES": replace(_SEARCH, hidden=PAPER.hidden),
        "CMA-ES, one hidden unit": _SEARCH,
    }
    reference, *others = ways
    return _at_equal_games(scale, ways, tuple((way, reference) for way in others))


def proposing(scale: Scale) -> Experiment:
    """Features that mutation makes, added to the paper's and to ours; without them ours are a way of `beyond`."""
    ways = {
        "the paper's features": replace(_PRUNED, features=("paper",)),
        "the paper's features and made ones": replace(_PRUNED, features=("paper",), proposals=PROPOSALS),
        "our features and made ones": replace(_PRUNED, proposals=PROPOSALS),
    }
    few, more, most = ways
    return _at_equal_games(scale, ways, ((more, few), (most, OUR_FEATURES)))


def _at_equal_games(
    scale: Scale, ways: dict[str, EvolutionConfig], compared: tuple[tuple[str, str], ...]
) -> Experiment:
    sizes = (10, 40, 5) if scale == "full" else (2, 16, 4)
    return Experiment("othello6", ways, "wins", 200, games.game("othello6").opening_plies, *sizes, compared)


def pair(reading: str = "") -> tuple[str, str]:
    return f"with pruning{reading}", f"without pruning{reading}"


def _with_and_without(config: EvolutionConfig, reading: str = "") -> dict[str, EvolutionConfig]:
    return dict(zip(pair(reading), (config, replace(config, pruning=0.0)), strict=True))


class Curves(NamedTuple):
    """One run at each of its points."""

    counted: NDArray[np.float64]
    """`[points, seats]`: draws or wins; of a network that plays both seats, for both together."""
    cut: NDArray[np.float64]
    """`[points, 2]`: links cut to hidden units and to the output, mean of the populations."""


def run_all(experiment: Experiment, seeds: range, folder: Path, workers: Workers) -> dict[str, list[Curves]]:
    """Every run of every way; runs that are complete in the folder are only read."""
    tasks = [(experiment, way, seed, run_folder(folder, way, seed)) for seed in seeds for way in experiment.ways]
    found, n = workers.map(evolve, tasks), len(experiment.ways)
    return {way: found[place::n] for place, way in enumerate(experiment.ways)}


def up_to(experiment: Experiment, longer: Experiment, runs: list[Curves]) -> list[Curves]:
    """Of runs of a longer experiment, the points that this one has."""
    places = [longer.rounds().index(it) for it in experiment.rounds()]
    return [Curves(run.counted[places], run.cut[places]) for run in runs]


def run_folder(folder: Path, way: str, seed: int) -> Path:
    return folder / f"{way.replace(' ', '-').replace('/', '').replace(',', '')}-{seed}"


def evolve(experiment: Experiment, way: str, seed: int, folder: Path) -> Curves:
    """One run, measured at its points. What was measured is kept beside the run, which keeps its last player only."""
    measured_by = {
        "games": experiment.measured_games, "opening_plies": experiment.opening_plies, "counted": experiment.counted,
    }  # fmt: skip
    points = []
    with CountingWorkers(1) as staff:
        for rounds in experiment.rounds():
            recipe = Recipe(experiment.game, "evolution", experiment.ways[way], seed, rounds, evaluate_games=0)
            measure = partial(_at_point, experiment, recipe, folder, staff)
            points.append(kept(folder / f"measured-{rounds}.json", {"recipe": recipe, **measured_by}, measure))
    return Curves(*(np.array([it[name] for it in points], np.float64) for name in ("counted", "cut")))


def _at_point(experiment: Experiment, recipe: Recipe, folder: Path, staff: CountingWorkers) -> dict[str, list[float]]:
    """Trains up to the point, and measures there."""
    rounds = train_to_the_end(recipe, folder, staff).round
    player = load_player(folder / PLAYER_FILE, games.game(experiment.game))
    assert isinstance(player, Evolved)
    cut = np.mean([cut_links(network) for network in player.networks], axis=0)
    return {"counted": _measure(experiment, player, recipe.seed + rounds, staff), "cut": cut.tolist()}


def _last_rows(experiment: Experiment, seeds: range, folder: Path) -> list[dict[str, Any]]:
    """What every run noted last."""
    folders = [run_folder(folder, way, seed) for way in experiment.ways for seed in seeds]
    return [read_metrics(it / METRICS_FILE)[-1] for it in folders]


def seconds_a_run(experiment: Experiment, seeds: range, folder: Path) -> Figure:
    """What a run takes, with extremes; measuring it on the way is not counted."""
    found = [row["cpu_seconds"] for row in _last_rows(experiment, seeds, folder)]
    return Figure("CPU seconds per run, with range", float(np.mean(found)), (min(found), max(found)))


def last_steps(experiment: Experiment, seeds: range, folder: Path) -> Figure:
    """Where the 1/5 rule has taken the step of the mutation, with extremes."""
    found = [
        value
        for row in _last_rows(experiment, seeds, folder)
        for name, value in row["metrics"].items()
        if name.endswith("/step")
    ]
    extremes = float(np.min(found)), float(np.max(found))
    return Figure("step of the mutation at the end, median with range", float(np.median(found)), extremes)


def _measure(experiment: Experiment, player: Evolved, seed: int, workers: Workers) -> list[float]:
    """Draws or wins as first and as second mover."""
    game = games.game(experiment.game)
    standard = standard_program(game, "standard")
    from_seats = partial(duel, n_games=experiment.measured_games, seats="first", seed=seed)
    ahead = from_seats(game, player, standard, opening_plies=experiment.opening_plies)
    behind = from_seats(game, standard, player, opening_plies=experiment.opening_plies)
    scores = [it.score for it in play_duels([ahead, behind], workers)]
    if experiment.counted == "draws":
        return [score.draws for score in scores]
    return [scores[0].wins, scores[1].losses]
