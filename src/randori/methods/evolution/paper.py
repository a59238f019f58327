"""Handa and Horiuchi 2002, "Evolutionary Constitution of Game Player Agents".

The paper has no tables; parts have the numbers of its figures: 3 draws in Tic-Tac-Toe, 4 links cut, 5 a network,
6 wins in 6x6 Reversi. Three are ours: 7 other ways to evolve, at as many games, 8 Tic-Tac-Toe players that never lose,
9 the Othello players of the zoo. The text tells of no value in the figures, only that networks with pruning did better.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import duel, play_duels
from randori.chart import Curve
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_difference, interval_of_mean
from randori.experiments.kept import kept
from randori.experiments.metrics import read_metrics
from randori.experiments.papers import Reproduction, Scale
from randori.experiments.recipe import Recipe
from randori.experiments.report import Chart, Figure, Report, Table
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train_to_the_end
from randori.methods.evolution.config import BEYOND, GROWING, PAPER, PAPER_REVERSI, EvolutionConfig
from randori.methods.evolution.drawing import draw_network
from randori.methods.evolution.networks import cut_links
from randori.methods.evolution.paper_players import SEATS, never_lost, zoo_players
from randori.methods.evolution.player import Evolved
from randori.methods.evolution.standard import standard_program
from randori.players.files import PLAYER_FILE, load_player
from randori.tensorfile import write_whole
from randori.workers import Workers


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
    """Which way is told apart from which."""

    def rounds(self) -> list[int]:
        return [self.generations * (point + 1) // self.points for point in range(self.points)]


def tictactoe(scale: Scale) -> Experiment:
    sizes = (10, 1000, 25) if scale == "full" else (5, 300, 12)
    # The paper does not say who goes on where parent and descendant are equally fit, as they often are here.
    settled = _with_and_without(replace(PAPER, keep_parent=True), ", ties to the parent")
    ways = _with_and_without(PAPER) | settled
    return Experiment("tictactoe", ways, "draws", 50, 0, *sizes, (_pair(), _pair(", ties to the parent")))


def reversi(scale: Scale) -> Experiment:
    sizes = (10, 300, 12) if scale == "full" else (5, 150, 6)
    return Experiment(
        "othello6", _with_and_without(PAPER_REVERSI), "wins", 100, PAPER_REVERSI.openings[1], *sizes, (_pair(),)
    )


def beyond(scale: Scale) -> Experiment:
    """All with the same number of individuals and games a generation; opponents and features of our own preset."""
    search = replace(BEYOND, exact=0, standard_games=60)
    plus = replace(search, strategy="one-fifth", hidden=PAPER.hidden, keep_parent=True)
    growing = replace(GROWING, exact=0, standard_games=60)
    ways = {
        "1/5 rule": plus,
        "1/5 rule, pruning": replace(plus, pruning=PAPER.pruning),
        "1/5 rule, growth from one hidden unit": growing,
        "self-adaptive steps": replace(plus, strategy="self-adaptive"),
        "CMA-ES": replace(search, hidden=PAPER.hidden),
        "CMA-ES, one hidden unit": search,
    }
    reference, *others = ways
    pairs = tuple((way, reference) for way in others)
    sizes = (3, 40, 5) if scale == "full" else (2, 16, 4)
    return Experiment("othello6", ways, "wins", 200, games.game("othello6").opening_plies, *sizes, pairs)


def _pair(reading: str = "") -> tuple[str, str]:
    return f"with pruning{reading}", f"without pruning{reading}"


def _with_and_without(config: EvolutionConfig, reading: str = "") -> dict[str, EvolutionConfig]:
    return dict(zip(_pair(reading), (config, replace(config, pruning=0.0)), strict=True))


class Curves(NamedTuple):
    """One run at each of its points."""

    counted: NDArray[np.float64]
    """`[points, seats]`: draws or wins; of a network that plays both seats, for both together."""
    cut: NDArray[np.float64]
    """`[points, 2]`: links cut to hidden units and to the output, mean of the populations."""


def reproduce(asked: Reproduction) -> Report:
    """The figures of the paper as tables and charts."""
    tables: list[Table] = []
    charts: list[Chart] = []
    for part in asked.tables():
        made, drawn = _part(part, asked)
        tables.append(made)
        charts += drawn
    return Report("Handa and Horiuchi 2002: evolving evaluation networks", tables=tables, charts=charts)


def _part(number: int, asked: Reproduction) -> tuple[Table, list[Chart]]:
    scale, folder, workers = asked.scale, asked.folder, asked.workers
    if number == 8:
        return never_lost(asked.seeds(5 if scale == "full" else 3), folder / "never-lost", workers), []
    if number == 9:
        return zoo_players(1000 if scale == "full" else 100, workers), []
    name = {6: "reversi", 7: "beyond"}.get(number, "tictactoe")
    experiment = {"tictactoe": tictactoe, "reversi": reversi, "beyond": beyond}[name](scale)
    seeds = asked.seeds(experiment.n_runs)
    found = run_all(experiment, seeds, folder / name, workers)
    if number == 4:
        return _cut(experiment, found)
    if number == 5:
        return _drawing(experiment, found["with pruning"], seeds, folder), []
    table, charts = _compare(experiment, found, number)
    return replace(table, figures=[*table.figures, _seconds(experiment, seeds, folder / name)]), charts


def run_all(experiment: Experiment, seeds: range, folder: Path, workers: Workers) -> dict[str, list[Curves]]:
    """Every run of every way; runs that are complete in the folder are only read."""
    tasks = [(experiment, way, seed, _folder(folder, way, seed)) for way in experiment.ways for seed in seeds]
    found = workers.map(evolve, tasks)
    n = len(seeds)
    return {way: found[place * n : (place + 1) * n] for place, way in enumerate(experiment.ways)}


def _folder(folder: Path, way: str, seed: int) -> Path:
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


def _seconds(experiment: Experiment, seeds: range, folder: Path) -> Figure:
    """What a run takes, with extremes; measuring it on the way is not counted."""
    found = []
    for way in experiment.ways:
        for seed in seeds:
            found.append(read_metrics(_folder(folder, way, seed) / METRICS_FILE)[-1]["cpu_seconds"])
    return Figure("CPU seconds a run, with extremes", float(np.mean(found)), (min(found), max(found)))


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


def _late(run: Curves) -> NDArray[np.float64]:
    """The mean of the last quarter of the points, `[seats]`: one point alone is one draw of lots."""
    n = -(-len(run.counted) // 4)
    return np.asarray(run.counted[-n:].mean(axis=0))


def _compare(experiment: Experiment, found: dict[str, list[Curves]], number: int) -> tuple[Table, list[Chart]]:
    """The last quarter of the runs as figures, all of them as curves; and what tells ways apart."""
    title = games.game(experiment.game).title
    what = f"{experiment.counted} of {experiment.measured_games}"
    figures, charts, verdicts = [], [], []
    n_games = experiment.measured_games * experiment.n_runs * -(-experiment.points // 4)
    for seat, name in enumerate(SEATS):
        late = {way: np.array([_late(run)[seat] for run in runs]) for way, runs in found.items()}
        for way, values in late.items():
            mean = float(values.mean())
            figures.append(Figure(f"{name} mover, {way}", mean, interval_of_mean(values), games=n_games))
        for way, other in experiment.compared:
            gain = float(late[way].mean() - late[other].mean())
            interval = interval_of_difference(late[way], late[other])
            figures.append(Figure(f"{name} mover, {way} less {other}", gain, interval))
            verdicts.append(f"as {name} mover *{way}* {_verdict(interval)} *{other}*")
        curves = [_mean_curve(way, experiment, [run.counted[:, seat] for run in runs]) for way, runs in found.items()]
        chart_title = f"{title}, {name} mover: {what} against the standard program"
        charts.append(Chart(f"part-{number}-{name}", chart_title, "generation", experiment.counted, curves))
    note = (
        f"{what.capitalize()} games against the standard program, mean of the last quarter of "
        f"{experiment.generations:,} generations, over {experiment.n_runs} runs; intervals over runs by the bootstrap.\n\n"
        f"By these intervals {'; '.join(verdicts)}."
    )
    ours = "other ways to evolve, at equal games, " if number == 7 else ""
    return Table(f"Part {number}: {ours}{title}, {what}", figures, note, digits=1), charts


def _verdict(interval: tuple[float, float]) -> str:
    if interval[0] > 0:
        return "is better than"
    return "is worse than" if interval[1] < 0 else "cannot be told from"


def _mean_curve(name: str, experiment: Experiment, runs: list[NDArray[np.float64]]) -> Curve:
    values = np.array(runs)  # [runs, points]
    bounds = np.array([interval_of_mean(column) for column in values.T])
    return Curve(name, experiment.rounds(), values.mean(axis=0).tolist(), bounds[:, 0].tolist(), bounds[:, 1].tolist())


def _cut(experiment: Experiment, found: dict[str, list[Curves]]) -> tuple[Table, list[Chart]]:
    runs = found["with pruning"]
    layers = ("inputs to hidden units", "hidden units to output")
    figures = []
    for layer, name in enumerate(layers):
        last = np.array([run.cut[-1, layer] for run in runs])
        figures.append(Figure(f"links cut, {name}", float(last.mean()), interval_of_mean(last)))
    curves = [_mean_curve(name, experiment, [run.cut[:, layer] for run in runs]) for layer, name in enumerate(layers)]
    note = f"After {experiment.generations:,} generations with pruning; a network has {PAPER.hidden} hidden units."
    chart = Chart("part-4", "Tic-Tac-Toe: links cut by pruning", "generation", "links", curves)
    return Table("Part 4: links cut", figures, note, digits=1), [chart]


def _drawing(experiment: Experiment, runs: list[Curves], seeds: range, folder: Path) -> Table:
    """The first mover's network of the run that drew most at its end."""
    game = games.game(experiment.game)
    paths = [_folder(folder / "tictactoe", "with pruning", seed) for seed in seeds]
    draws = [float(run.counted[-1, 0]) for run in runs]
    player = load_player(paths[draws.index(max(draws))] / PLAYER_FILE, game)
    assert isinstance(player, Evolved)
    svg = draw_network(player.networks[0], player.features, "An evolved network for Tic-Tac-Toe, first mover")
    write_whole(folder / "part-5.svg", svg.encode())
    alive = int(np.sum(player.networks[0][:, -1] != 0))
    note = (
        "Links that lead nowhere are left out; blue links are positive, orange ones negative, strong ones wide."
        "\n\n![An evolved network](part-5.svg)"
    )
    return Table("Part 5: an evolved network", [Figure("hidden units that reach the output", alive)], note, digits=0)
