"""Handa and Horiuchi 2002, "Evolutionary Constitution of Game Player Agents".

The paper has no tables; parts have the numbers of its figures: 3 draws in Tic-Tac-Toe, 4 links cut, 5 a network,
6 wins in 6x6 Reversi. Ours are 7 other ways to evolve, at as many games, 8 Tic-Tac-Toe players that never lose, 9 the Othello
players of the zoo, 10 other readings of the text, 11 features that mutation makes. The text gives no numbers for the
figures; it only says that networks with pruning did better.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.chart import Curve
from randori.experiments.findings import Interval, decide, difference, together
from randori.experiments.intervals import interval_of_difference, interval_of_few, interval_of_mean
from randori.experiments.papers import Reproduction
from randori.experiments.report import Chart, Claim, Figure, Report, Table
from randori.methods.evolution.config import PAPER
from randori.methods.evolution.paper_networks import drawn_network, ignored_attributes
from randori.methods.evolution.paper_players import SEATS, never_lost, zoo_players
from randori.methods.evolution.paper_runs import (
    OUR_FEATURES,
    PRUNED,
    RECIPE,
    Curves,
    Experiment,
    beyond,
    last_steps,
    pair,
    proposing,
    readings,
    reversi,
    run_all,
    run_folder,
    seconds_a_run,
    tictactoe,
    up_to,
)


class Part(NamedTuple):
    """What one part adds to the report."""

    table: Table
    charts: tuple[Chart, ...] = ()
    claims: tuple[Claim, ...] = ()


def reproduce(reproduction: Reproduction) -> Report:
    """The figures of the paper as tables and charts, and what becomes of its claims."""
    parts = [_part(number, reproduction) for number in reproduction.tables()]
    return Report(
        "Handa and Horiuchi 2002: evolving evaluation networks",
        tables=[it.table for it in parts],
        charts=[chart for it in parts for chart in it.charts],
        claims=[claim for it in parts for claim in it.claims],
    )


def _part(number: int, reproduction: Reproduction) -> Part:
    full = reproduction.scale == "full"
    if number in (3, 4, 5):
        return _tictactoe(number, reproduction)
    if number == 6:
        experiment = reversi(reproduction.scale)
        found = _runs(experiment, "reversi", reproduction)
        part = _compared(experiment, found, number, "", *_of_the_runs(experiment, "reversi", reproduction))
        return part._replace(claims=(_claim_of_pruning(found, "6x6 Reversi"), _claim_of_strength(experiment, found)))
    if number == 7:
        experiment = beyond(reproduction.scale)
        found = _runs(experiment, "beyond", reproduction)
        return _compared(experiment, found, number, OTHER_WAYS, *_of_the_runs(experiment, "beyond", reproduction))
    if number == 8:
        return Part(
            never_lost(reproduction.seeds(5 if full else 3), reproduction.folder / "never-lost", reproduction.workers)
        )
    if number == 9:
        return Part(zoo_players(1000 if full else 100, reproduction.workers))
    if number == 10:
        experiment, longer = readings(reproduction.scale), reversi(reproduction.scale)
        usual = up_to(experiment, longer, _runs(longer, "reversi", reproduction)[pair()[0]])
        found = {RECIPE: usual} | _runs(experiment, "readings", reproduction)
        return _compared(experiment, found, number, READINGS, *_of_the_runs(experiment, "readings", reproduction))
    experiment, known = proposing(reproduction.scale), beyond(reproduction.scale)
    ours = _runs(replace(known, ways={PRUNED: known.ways[PRUNED]}), "beyond", reproduction)
    found = {OUR_FEATURES: ours[PRUNED]} | _runs(experiment, "proposing", reproduction)
    return _compared(experiment, found, number, MADE)


FEW = 5
"""Runs, below which Student's t gives the intervals."""
OTHER_WAYS, READINGS, MADE = (
    "other ways to evolve, at equal games, ",
    "other readings of the text, ",
    "features that mutation makes, at equal games, ",
)


def _runs(experiment: Experiment, name: str, reproduction: Reproduction) -> dict[str, list[Curves]]:
    return run_all(experiment, reproduction.seeds(experiment.n_runs), reproduction.folder / name, reproduction.workers)


def _of_the_runs(experiment: Experiment, name: str, reproduction: Reproduction) -> tuple[Figure, ...]:
    """What the runs themselves noted."""
    where = experiment, reproduction.seeds(experiment.n_runs), reproduction.folder / name
    return last_steps(*where), seconds_a_run(*where)


def _tictactoe(number: int, reproduction: Reproduction) -> Part:
    experiment, folder = tictactoe(reproduction.scale), reproduction.folder / "tictactoe"
    found = _runs(experiment, "tictactoe", reproduction)
    if number == 3:
        part = _compared(experiment, found, number, "", *_of_the_runs(experiment, "tictactoe", reproduction))
        return part._replace(claims=(_claim_of_pruning(found, "Tic-Tac-Toe"),))
    if number == 4:
        return _cut(experiment, found)
    folders = [run_folder(folder, pair()[0], seed) for seed in reproduction.seeds(experiment.n_runs)]
    return _networks([run.counted[-1, 0] for run in found[pair()[0]]], folders, reproduction.folder)


def _late(run: Curves) -> NDArray[np.float64]:
    """The mean of the last quarter of the points, `[seats]`: one point alone is one draw of lots."""
    n = -(-len(run.counted) // 4)
    return np.asarray(run.counted[-n:].mean(axis=0))


def _interval(values: NDArray[np.float64]) -> Interval:
    """Of the mean over runs; few of them resampled would look surer than they are."""
    return interval_of_few(values) if len(values) < FEW else interval_of_mean(values)


def _how(n_runs: int) -> str:
    return "Student's t" if n_runs < FEW else "the bootstrap"


def _gap(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Interval:
    if min(len(ours), len(theirs)) >= FEW:
        return interval_of_difference(ours, theirs)
    one, other = (Figure("", float(it.mean()), _interval(it)) for it in (ours, theirs))
    return difference(one, other)


def _late_of(runs: list[Curves], seat: int) -> NDArray[np.float64]:
    return np.array([_late(run)[seat] for run in runs])


def _compared(experiment: Experiment, found: dict[str, list[Curves]], number: int, ours: str, *more: Figure) -> Part:
    """The last quarter of the runs as figures, all of them as curves; and what tells ways apart."""
    title = games.game(experiment.game).title
    what = f"{experiment.counted} of {experiment.measured_games}"
    figures, charts, verdicts = [], [], []
    n_games = experiment.measured_games * experiment.n_runs * -(-experiment.points // 4)
    for seat, name in enumerate(SEATS):
        late = {way: _late_of(runs, seat) for way, runs in found.items()}
        for way, values in late.items():
            mean = float(values.mean())
            figures.append(Figure(f"{name} mover, {way}", mean, _interval(values), games=n_games))
        for way, other in experiment.compared:
            gain = float(late[way].mean() - late[other].mean())
            interval = _gap(late[way], late[other])
            figures.append(Figure(f"{name} mover, {way} minus {other}", gain, interval))
            verdicts.append(f"as {name} mover *{way}* {_verdict(interval)} *{other}*")
        curves = [_mean_curve(way, experiment, [run.counted[:, seat] for run in runs]) for way, runs in found.items()]
        chart_title = f"{title}, {name} mover: {what} against the standard program"
        charts.append(Chart(f"part-{number}-{name}", chart_title, "generation", experiment.counted, curves))
    note = (
        f"{what.capitalize()} games against the standard program, mean of the last quarter of "
        f"{experiment.generations:,} generations, over {experiment.n_runs} runs; intervals over runs by "
        f"{_how(experiment.n_runs)}.\n\n"
        f"By these intervals, {'; '.join(verdicts)}."
    )
    size = f"{experiment.n_runs} runs of {experiment.generations:,} generations"
    table = Table(f"Part {number}: {ours}{title}, {what}, {size}", [*figures, *more], note, digits=1)
    return Part(table, tuple(charts))


def _verdict(interval: Interval) -> str:
    words = {"holds": "is better than", "does not hold": "is worse than", "undecided": "does not clearly differ from"}
    return words[decide(interval)]


def _mean_curve(name: str, experiment: Experiment, runs: list[NDArray[np.float64]]) -> Curve:
    values = np.array(runs)  # [runs, points]
    bounds = np.array([_interval(column) for column in values.T])
    return Curve(name, experiment.rounds(), values.mean(axis=0).tolist(), bounds[:, 0].tolist(), bounds[:, 1].tolist())


def _claim_of_pruning(found: dict[str, list[Curves]], where: str) -> Claim:
    gains = []
    for seat in range(len(SEATS)):
        ours, theirs = (_late_of(found[way], seat) for way in pair())
        gains.append((float(ours.mean() - theirs.mean()), _gap(ours, theirs)))
    in_words = ", ".join(
        f"{gain:+.1f} ({low:+.1f} .. {high:+.1f}) as {seat} mover"
        for seat, (gain, (low, high)) in zip(SEATS, gains, strict=True)
    )
    return Claim(
        f"In {where} networks do better with the pruning mutation than without, as first and as second mover.",
        together(*(decide(interval) for _, interval in gains)),
        f"With pruning minus without: {in_words}.",
    )


def _claim_of_strength(experiment: Experiment, found: dict[str, list[Curves]]) -> Claim:
    runs = found[pair()[0]]
    gain = np.array([(_late(run) - run.counted[0]).mean() for run in runs])
    low, high = _interval(gain)
    return Claim(
        "Players of 6x6 Reversi keep getting stronger as they evolve.",
        decide((low, high)),
        f"From generation {experiment.rounds()[0]} to the last quarter of all, wins of 100 change by {gain.mean():+.1f} "
        f"({low:+.1f} .. {high:+.1f}).",
    )


def _cut(experiment: Experiment, found: dict[str, list[Curves]]) -> Part:
    runs = found["with pruning"]
    layers = ("inputs to hidden units", "hidden units to output")
    figures = []
    for layer, name in enumerate(layers):
        last = np.array([run.cut[-1, layer] for run in runs])
        figures.append(Figure(f"links cut, {name}", float(last.mean()), interval_of_mean(last)))
    curves = [_mean_curve(name, experiment, [run.cut[:, layer] for run in runs]) for layer, name in enumerate(layers)]
    note = f"After {experiment.generations:,} generations with pruning; a network has {PAPER.hidden} hidden units."
    chart = Chart("part-4", "Tic-Tac-Toe: links cut by pruning", "generation", "links", curves)
    return Part(Table("Part 4: links cut", figures, note, digits=1), (chart,))


def _networks(draws: list[float], folders: list[Path], folder: Path) -> Part:
    """The network of the run that drew most at its end, and which attributes the networks of all runs ignore."""
    alive = drawn_network(folders[draws.index(max(draws))], folder / "part-5.svg")
    figures, claim = ignored_attributes(folders)
    note = (
        "An attribute is ignored where no link leads from it to the output. In the drawing such links are left out; blue links "
        "are positive, orange ones negative, strong ones wide.\n\n![An evolved network](part-5.svg)"
    )
    reach = Figure("hidden units of the drawn network that reach the output", alive)
    return Part(Table("Part 5: an evolved network", [reach, *figures], note, digits=0), claims=(claim,))
