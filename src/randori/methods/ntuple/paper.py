"""N-tuple networks: what each setting is worth at equal CPU time, and how strength grows with it.

It reproduces no single paper, so nothing published is compared. Tables: 1 Othello, 2 Connect Four, 3 learning curves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from randori import games, players
from randori.arena import Score, duel, play_duels
from randori.chart import Curve
from randori.core.game import Game
from randori.core.player import Player
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.papers import Reproduction, Scale
from randori.experiments.report import Chart, Figure, Report, Table
from randori.methods.ntuple.config import CONNECT4, NtupleConfig
from randori.methods.ntuple.learner import NtupleLearner
from randori.methods.ntuple.player import Patterns
from randori.players.files import load_player, save_player
from randori.workers import Workers

DEPTH = 2
FIXED = "lookahead:depth=6"
"""Whom learning curves are measured against."""
_SEED, _OPPONENT_SEED = 1, 2
"""Added to the requested seed."""
PRESET, AUTOMATIC = "as preset", "automatic tuples"
_WORDS = {"trace_decay": "lambda"}


@dataclass(frozen=True)
class Ablation:
    """Ways to learn a game that differ from the preset in one setting each; the first is the preset itself."""

    number: int
    game: str
    ways: dict[str, NtupleConfig]


def _varied(preset: NtupleConfig, **settings: Sequence[float]) -> dict[str, NtupleConfig]:
    ways = {
        f"{_WORDS.get(name, name)} {value:g}": replace(preset, **{name: value})  # type: ignore[arg-type]
        for name, values in settings.items()
        for value in values
    }
    return {PRESET: preset, **ways, AUTOMATIC: preset}


OTHELLO = Ablation(
    1,
    "othello8",
    _varied(
        NtupleConfig(),
        trace_decay=(0.0, 0.3, 0.7, 1.0),
        stages=(1, 4, 15, 60),
        exploration=(0.0, 0.2),
        exact=(0,),
    )
    | {"depth 2 from the start": replace(NtupleConfig(), first_rounds=0)},
)
CONNECT_FOUR = Ablation(
    2,
    "connect4",
    _varied(CONNECT4, trace_decay=(0.0, 0.7, 1.0), stages=(1, 3, 21), exploration=(0.0, 0.3), depth=(1, 3)),
)


@dataclass(frozen=True)
class Size:
    seconds: float
    """Of CPU time, for each way."""
    n_games: int
    points: tuple[float, ...]
    """Seconds after which learning curves are measured."""
    seed: int = 0


SIZES: dict[Scale, Size] = {
    "quick": Size(3.0, 100, (0.5, 1.0, 2.0, 4.0)),
    "full": Size(20.0, 400, (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0)),
}


def reproduce(reproduction: Reproduction) -> Report:
    """Measurements that are already in the folder are only read."""
    size = replace(SIZES[reproduction.scale], seed=reproduction.seeds(1)[0])
    tables, charts = list[Table](), list[Chart]()
    reproduction.folder.mkdir(parents=True, exist_ok=True)
    for number in reproduction.tables():
        if number == 3:
            curves, chart = learning_curves(size, reproduction.folder, reproduction.workers)
            tables.append(curves)
            charts.append(chart)
        else:
            tables.append(
                ablation((OTHELLO, CONNECT_FOUR)[number - 1], size, reproduction.folder, reproduction.workers)
            )
    return Report("N-tuple networks: settings at equal CPU time", tables=tables, charts=charts)


def ablation(it: Ablation, size: Size, folder: Path, workers: Workers) -> Table:
    """Every way against the same opponent, which has learned as the preset does, as long, with a seed of its own."""
    game, opponent = games.game(it.game), folder / f"{it.game}-opponent-{size.seconds:g}-{size.seed}.safetensors"
    if not opponent.exists():
        *_, trained = _learners(game, it.ways[PRESET], size.seed + _OPPONENT_SEED, [size.seconds])
        save_player(opponent, trained, game, learner="ntuple", config={}, training={}, rating=None)
    scores = workers.map(_measure, [(it, way, size, folder, opponent) for way in it.ways])
    figures = [_figure(way, score) for way, score in zip(it.ways, scores, strict=True)]
    note = (
        f"Scores at depth {DEPTH} without exact endings against a player that learned as the preset does, with another seed. "
        f"Each learned for {size.seconds:g} CPU seconds of one core."
    )
    return Table(f"Table {it.number}: {game.title}", figures, note, digits=3)


def _measure(it: Ablation, way: str, size: Size, folder: Path, opponent: Path) -> Score:
    def measure() -> Score:
        game = games.game(it.game)
        learning = replace(game, knowledge=replace(game.knowledge, tuples=None)) if way == AUTOMATIC else game
        *_, trained = _learners(learning, it.ways[way], size.seed + _SEED, [size.seconds])
        other = load_player(opponent, game, f"depth={DEPTH},exact=0", name="opponent")
        return _play(game, trained, other, size)

    path = folder / f"{it.game}-{way.replace(' ', '-')}.json"
    return Score(**kept(path, {"config": it.ways[way], "size": size}, measure))


def learning_curves(size: Size, folder: Path, workers: Workers) -> tuple[Table, Chart]:
    figures, curves = [], []
    parts = (OTHELLO, CONNECT_FOUR)
    for it, scores in zip(parts, workers.map(_follow, [(it, size, folder) for it in parts]), strict=True):
        title = games.game(it.game).title
        figures += [
            _figure(f"{title}, {seconds:g} s", score) for seconds, score in zip(size.points, scores, strict=True)
        ]
        low, high = zip(*(score.interval for score in scores), strict=True)
        curves.append(Curve(title, size.points, [score.mean for score in scores], low, high))
    note = (
        f"Scores of the presets at depth {DEPTH} without exact endings against `{FIXED}`, by CPU seconds of one core."
    )
    chart = Chart("learning", f"Score against {FIXED}", "CPU seconds of learning", "score", curves, log_x=True)
    return Table("Table 3: learning curves", figures, note, digits=3), chart


def _follow(it: Ablation, size: Size, folder: Path) -> list[Score]:
    def measure() -> list[Score]:
        game = games.game(it.game)
        fixed = players.player(FIXED, game)
        learned = _learners(game, it.ways[PRESET], size.seed + _SEED, size.points)
        return [_play(game, trained, fixed, size) for trained in learned]

    found = kept(folder / f"{it.game}-curve.json", {"config": it.ways[PRESET], "size": size}, measure)
    return [Score(**row) for row in found]


def _learners(game: Game, config: NtupleConfig, seed: int, points: Sequence[float]) -> Iterator[Patterns]:
    """One learner's player after each of these numbers of CPU seconds."""
    with CountingWorkers(1) as staff:
        # Compiles, or loads from disk, before seconds are counted.
        NtupleLearner(game, replace(config, games=1), np.random.default_rng(0), staff).learn([])
        learner, spent = NtupleLearner(game, config, np.random.default_rng(seed), staff), 0.0
        for point in points:
            while spent < point:
                before = staff.cpu_seconds
                learner.learn([])
                spent += staff.cpu_seconds - before
            yield learner.player()


def _play(game: Game, trained: Patterns, other: Player, size: Size) -> Score:
    with CountingWorkers(1) as staff:
        ours, seed = replace(trained, depth=DEPTH, exact=0), size.seed + _SEED
        [match] = play_duels([duel(game, ours, other, size.n_games, seed=seed)], staff)
    return match.score


def _figure(what: str, score: Score) -> Figure:
    return Figure(what, score.mean, score.interval, games=score.games)
