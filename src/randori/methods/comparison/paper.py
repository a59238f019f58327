"""Freisleben (1995), "A neural network that learns to play five-in-a-row": its series of games made again.

Tables: 1 two series against the star program, 2 the converse case, 3 learning from itself, 4 an independent program,
5 what goes beyond the paper.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori import games
from randori.arena import duel, play_duels
from randori.arena.scores import Score
from randori.core.game import Game
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_mean
from randori.experiments.kept import kept
from randori.experiments.papers import Reproduction, Scale
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure, Report, Table
from randori.experiments.train import train_to_the_end
from randori.methods.comparison.config import FREISLEBEN, ComparisonConfig
from randori.methods.comparison.learner import ComparisonLearner
from randori.methods.comparison.paper_program import INSTALL, PygomokuProgram, is_installed
from randori.methods.comparison.patterns_player import Patterns
from randori.players import Player, player
from randori.players.files import PLAYER_FILE, find_file, load_player

GAME = "gomoku19"
TEST_GAMES, LEARNING_GAMES = 50, 400
PAPER_SECONDS = 6.5 * 3600

# The paper's network that "performed originally better than its opponent": defence counts as much as attack.
SUITABLE = replace(FREISLEBEN, defence=1.0)


class Sizes(NamedTuple):
    """How much is played."""

    seeds: int
    match_games: int
    independent_games: int
    deeper_games: int


SIZES: dict[Scale, Sizes] = {"quick": Sizes(3, 200, 10, 4), "full": Sizes(10, 1000, 100, 40)}


class Series(NamedTuple):
    """Test games won before, between and after two series, and what a series cost."""

    tests: tuple[Score, Score, Score]
    cpu_seconds: float


def reproduce(asked: Reproduction) -> Report:
    """The paper's results, ours beside them."""
    makers: list[Callable[[Sizes, Reproduction], Table]] = [
        _two_series, _converse, _self_play, _independent, _beyond,
    ]  # fmt: skip
    tables = [makers[number - 1](SIZES[asked.scale], asked) for number in asked.tables()]
    return Report("Freisleben 1995: five in a row", tables=tables)


def _test(player_file: Path, n_games: int, seed: int) -> Score:
    """Games against the star program from the empty board, as the paper has them; who begins alternates."""
    game = games.game(GAME)
    planned = duel(game, load_player(player_file, game), player("heuristic", game), n_games, seed=seed, opening_plies=0)
    with CountingWorkers(1) as alone:
        return play_duels([planned], alone)[0].score


def play_series(config: ComparisonConfig, seed: int, folder: Path) -> Series:
    """Task: twice 50 test games and 400 games with learning, and 50 test games at the end.

    What was measured is kept beside the run, which keeps its last player only.
    """

    def measure(series: int, recipe: Recipe) -> dict[str, Any]:
        with CountingWorkers(1) as alone:
            learning = train_to_the_end(recipe, folder, alone).cpu_seconds
        began = time.process_time()
        score = _test(folder / PLAYER_FILE, TEST_GAMES, seed=1000 * series + seed)
        return {"score": score, "learning": learning, "testing": time.process_time() - began}

    measured = []
    for series in range(3):
        recipe = Recipe(GAME, "comparison", config, seed=seed, rounds=series * LEARNING_GAMES, evaluate_games=0)
        path, of = folder / f"measured-{series}.json", {"recipe": recipe, "games": TEST_GAMES}
        measured.append(kept(path, of, partial(measure, series, recipe)))
    before, between, after = (Score(**it["score"]) for it in measured)
    testing = sum(it["testing"] for it in measured)
    return Series((before, between, after), measured[-1]["learning"] / 2 + testing / 3)


def _all_series(name: str, config: ComparisonConfig, sizes: Sizes, asked: Reproduction) -> list[Series]:
    asked.folder.mkdir(parents=True, exist_ok=True)
    tasks = [(config, seed, asked.folder / f"{name}-{seed}") for seed in asked.seeds(sizes.seeds)]
    return asked.workers.map(play_series, tasks)


def _won(what: str, scores: Sequence[Score], published: float | None) -> Figure:
    """Games won of fifty, a draw being half; the interval is over seeds, whose first weights differ."""
    means = np.array([50 * score.mean for score in scores])
    return Figure(what, float(means.mean()), interval_of_mean(means), published, sum(score.games for score in scores))


def _two_series(sizes: Sizes, asked: Reproduction) -> Table:
    found = _all_series("series", FREISLEBEN, sizes, asked)
    cost = float(np.mean([it.cpu_seconds for it in found]))
    return Table(
        "1. Games won of 50 against the star program",
        [
            _won("before learning", [it.tests[0] for it in found], 21),
            _won("after one series", [it.tests[1] for it in found], None),
            _won("after two series", [it.tests[2] for it in found], 29),
            Figure("CPU seconds of one series", cost, published=PAPER_SECONDS),
        ],
        f"{len(found)} seeds; intervals over seeds by the bootstrap. A series is {TEST_GAMES} test games and "
        f"{LEARNING_GAMES} games with learning after each.",
        digits=1,
    )


def _converse(sizes: Sizes, asked: Reproduction) -> Table:
    found = _all_series("converse", SUITABLE, sizes, asked)
    return Table(
        "2. The converse case: a network better than its opponent",
        [
            _won("before learning", [it.tests[0] for it in found], 30),
            _won("after two series", [it.tests[2] for it in found], 25),
        ],
        "Games won of 50 against the star program, by a network that gives defence the same weight as attack.",
        digits=1,
    )


def play_itself(seed: int, folder: Path, trained: Path) -> Score:
    """Task: 400 games of a trained network against a copy of itself, then the test against the star program."""
    config = replace(FREISLEBEN, opponent="self", start=str(trained))
    recipe = Recipe(GAME, "comparison", config, seed=seed, rounds=LEARNING_GAMES, evaluate_games=0)
    with CountingWorkers(1) as alone:
        train_to_the_end(recipe, folder, alone)
    return _test(folder / PLAYER_FILE, TEST_GAMES, seed=5000 + seed)


def _self_play(sizes: Sizes, asked: Reproduction) -> Table:
    before = _all_series("series", FREISLEBEN, sizes, asked)
    folder, seeds = asked.folder, asked.seeds(sizes.seeds)
    tasks = [(seed, folder / f"itself-{seed}", folder / f"series-{seed}") for seed in seeds]
    after = asked.workers.map(play_itself, tasks)
    return Table(
        "3. Learning from games against itself",
        [
            _won("after two series against the star program", [it.tests[2] for it in before], 29),
            _won("after 400 more against itself", after, 31),
        ],
        "Games won of 50 against the star program. The paper calls its two games more an effect of chance.",
        digits=1,
    )


def _independent(sizes: Sizes, asked: Reproduction) -> Table:
    title = "4. Against a program of somebody else"
    if not is_installed():
        return Table(title, [], f"Not measured: install the program with `{INSTALL}` and start this again.")
    figures = []
    for name, depth, n_games in (("gomoku15", 1, sizes.independent_games), ("gomoku9", 2, sizes.deeper_games)):
        game = games.game(name)
        program, file = PygomokuProgram(game, depth), find_file(f"zoo/{name}-comparison")
        rows: list[tuple[str, Player, float | None]] = [
            ("our network", load_player(file, game, "threats=0"), 0.9),
            ("our network with threat search", load_player(file, game), None),
            ("the star program", player("heuristic", game), None),
        ]
        for what, ours, paper in rows:
            label = f"{game.title}, depth {depth}: {what}"
            figures.append(_score(label, game, ours, program, n_games, asked.workers, paper))
    note = (
        f"Scores against pygomoku 1.0.0 by Rui He (`{INSTALL}`): alpha-beta over rows and their open ends. "
        "The paper's opponent, which lost 9 of 10 games, was a commercial program without a name."
    )
    return Table(title, figures, note)


def _score(
    what: str,
    game: Game,
    ours: Player,
    other: Player,
    n_games: int,
    workers: CountingWorkers,
    published: float | None = None,
) -> Figure:
    """The score of a match from paired random openings."""
    score = play_duels([duel(game, ours, other, n_games)], workers)[0].score
    return Figure(what, score.mean, score.interval, published, score.games)


def _beyond(sizes: Sizes, asked: Reproduction) -> Table:
    figures = []
    for name in ("gomoku9", "gomoku15", "gomoku19"):
        game = games.game(name)
        star = player("heuristic", game)
        novice = ComparisonLearner(game, ComparisonConfig(), np.random.default_rng(0), asked.workers).player()
        assert isinstance(novice, Patterns)
        file = find_file(f"zoo/{name}-comparison")
        for what, ours in (
            ("before learning", replace(novice, threats=0)),
            ("after learning", load_player(file, game, "threats=0")),
            ("before learning, with threat search", novice),
            ("after learning, with threat search", load_player(file, game)),
        ):
            figures.append(_score(f"{game.title}, {what}", game, ours, star, sizes.match_games, asked.workers))
    return Table(
        "5. Beyond the paper: scores against the star program",
        figures,
        "Networks of line patterns that learned from games against themselves alone. Each opening of 4 random plies is "
        "played from both sides.",
        digits=3,
    )
