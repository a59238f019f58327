"""Transfer by the thesis's own rule: PUCT, 25 simulations, a gate; trained and frozen against scratch at one iteration."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori import games
from randori.arena import duel, play_duels
from randori.experiments.cpu import CountingWorkers
from randori.experiments.findings import decide
from randori.experiments.intervals import interval_of_few
from randori.experiments.papers import Reproduction
from randori.experiments.report import Claim, Figure, Table
from randori.methods.alphazero.config import HONGCHAROEN, PRESETS
from randori.methods.alphazero.paper_courses import WAYS, Course, Pairs, against_scratch, course_of, train_all
from randori.methods.alphazero.player import AlphaZero
from randori.methods.alphazero.selfplay import play_self
from randori.methods.alphazero.studies import PAIR, THESIS, Study
from randori.methods.alphazero.training import Training
from randori.networks import Network, residual_for
from randori.networks.modules import ResidualModule, make_module, tensors_of

TRANSFER, FULL_SIZE = 5, 6
TITLES = {
    TRANSFER: "The thesis's rule: transfer against scratch at the same iteration",
    FULL_SIZE: "The thesis's rule at full size: what it takes here",
}


def transfer(reproduction: Reproduction) -> tuple[list[Table], list[Claim]]:
    """The scores, how often the gate was passed, and how long an iteration took."""
    study, folder = THESIS[reproduction.scale], reproduction.folder / "thesis"
    study = replace(study, seeds=reproduction.seeds(study.n_seeds))
    pairs = list(permutations(study.games, 2))
    train_all(pairs, study, folder, reproduction.workers)
    scores = list(against_scratch(pairs, study, folder, reproduction.workers, "iteration"))
    title = f"Table {TRANSFER}: {TITLES[TRANSFER]}, {_size(study)}"
    note = (
        "Score of the network that began with another's against the one from scratch after as many iterations; above 0.5 the "
        f"transfer helps. {study.n_games} games for each of {study.n_seeds} seed(s), the interval over them. Frozen: only the "
        "heads learn. Nothing is published to compare with."
    )
    gates = Table(
        f"Table {TRANSFER}: the gate and the time, {_size(study)}", _courses_told(pairs, study, folder), _GATES
    )
    return [Table(title, scores, note, digits=3), gates], _claims(scores, study)


def _size(study: Study) -> str:
    config = study.config
    return f"{config.channels} x {config.blocks}, {study.points[-1]} iterations of {config.games} games"


_GATES = (
    "Of the networks that met the best one so far, the share that took its place. An iteration's time is that of its games, of "
    "its training and of its gate."
)


def _courses_told(pairs: Pairs, study: Study, folder: Path) -> list[Figure]:
    figures = []
    for target in study.games:
        kinds: dict[str, list[Course]] = {
            f"{target} from scratch": [course_of(folder, target, None, "scratch", seed) for seed in study.seeds]
        }
        for source in (source for source, to in pairs if to == target):
            kinds |= {
                f"{source} to {target}, {way}": [course_of(folder, target, source, way, it) for it in study.seeds]
                for way in WAYS
            }
        for name, courses in kinds.items():
            passed = [float(np.mean(_gates(it))) for it in courses]
            seconds = [it.rows()[-1]["cpu_seconds"] / study.points[-1] for it in courses]
            figures.append(_mean(f"{name}: passed the gate", passed))
            figures.append(_mean(f"{name}: CPU seconds of an iteration", seconds))
    return figures


def _gates(course: Course) -> list[float]:
    passed = [row["metrics"]["gate/passed"] for row in course.rows() if "gate/passed" in row["metrics"]]
    return passed or [0.0]


def _mean(what: str, values: Sequence[float]) -> Figure:
    if len(values) == 1:
        return Figure(what, values[0])
    low, high = interval_of_few(values)
    return Figure(what, float(np.mean(values)), (max(low, 0.0), high))


def _claims(scores: Sequence[Figure], study: Study) -> list[Claim]:
    """The thesis hopes for it in both ways; the verdict is that of the last iteration."""
    claims = []
    last = study.points[-1]
    for source, target in permutations(study.games, 2):
        for way, meaning in (("trained", "all of it trained"), ("frozen", "its trunk frozen")):
            figure = next(it for it in scores if it.what == f"{source} to {target}, {way}, iteration {last}")
            assert figure.ours is not None
            assert figure.interval is not None
            low, high = figure.interval
            claim = (
                f"A network from {games.game(source).title}, {meaning}, is ahead of one from scratch in "
                f"{games.game(target).title} after {last} iterations ({_size(study)})."
            )
            why = f"It scores {figure.ours:.2f} ({low:.2f} .. {high:.2f}) against it."
            claims.append(Claim(claim, decide(figure.interval, 0.5), why))
    return claims


class Part(NamedTuple):
    """So much of an iteration is measured, and multiplied."""

    games: int
    batch: int
    gate_games: int


PART = Part(games=16, batch=512, gate_games=8)


def full_size() -> Table:
    """Measured on a part, since an iteration takes about an hour of a core."""
    rounds = PRESETS["hongcharoen"].rounds
    assert rounds is not None
    figures = []
    for name in PAIR:
        play, step, gate, positions = _measured(name)
        steps = positions * HONGCHAROEN.uses / HONGCHAROEN.batch
        minutes = {
            f"self-play of {HONGCHAROEN.games} games": play,
            f"training, {steps:.0f} steps of {HONGCHAROEN.batch:,}": step * steps,
            f"gate of {HONGCHAROEN.gate_games} games": gate,
        }
        figures += [Figure(f"{name}: CPU minutes of {what}", it / 60) for what, it in minutes.items()]
        hours = rounds * sum(minutes.values()) / 3600
        figures.append(Figure(f"{name}: CPU hours of all {rounds} iterations", hours))
    note = (
        f"Measured on {PART.games} games, a step of {PART.batch} positions and a gate of {PART.gate_games} games of a network "
        "that has learned next to nothing, and multiplied. The thesis took more than 10 days on a K80."
    )
    return Table(f"Table {FULL_SIZE}: {TITLES[FULL_SIZE]}", figures, note, digits=1)


class _Iteration(NamedTuple):
    play: float
    """CPU seconds of all games of self-play."""
    step: float
    """Of one step of training."""
    gate: float
    positions: float
    """Of all games."""


def _measured(name: str) -> _Iteration:
    game, rng, config = games.game(name), np.random.default_rng(0), replace(HONGCHAROEN, batch=PART.batch)
    architecture = residual_for(game, config.channels, config.blocks)
    module = make_module(architecture, rng)
    assert isinstance(module, ResidualModule)
    network = Network(architecture, tensors_of(module))
    player = AlphaZero(game, network, config.play_simulations, config.search)
    play_self(game, network, config, 1, 0, seed=0)  # compiles
    seconds = [time.process_time()]
    lessons = play_self(game, network, config, PART.games, 0, seed=1)
    seconds.append(time.process_time())
    Training(game, module, config).fit(lessons, 1, config.rate, rng)
    seconds.append(time.process_time())
    with CountingWorkers(1) as staff:
        play_duels([duel(game, player, player, PART.gate_games)], staff)
    seconds.append(time.process_time())
    play, step, gate = np.diff(seconds).tolist()
    return _Iteration(
        play * config.games / PART.games,
        step * HONGCHAROEN.batch / PART.batch,
        gate * config.gate_games / PART.gate_games,
        len(lessons.states) * config.games / PART.games,
    )
