"""The paper's series of games: tables 1 to 3, and 6 for what its text leaves open."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import duel, play_duels
from randori.arena.scores import Score
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_mean
from randori.experiments.kept import kept
from randori.experiments.papers import Reproduction
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure, Table
from randori.experiments.train import train_to_the_end
from randori.methods.comparison.chains_player import Comparison
from randori.methods.comparison.config import FREISLEBEN, ComparisonConfig
from randori.methods.comparison.learner import ComparisonLearner
from randori.players import Player, player
from randori.players.files import PLAYER_FILE, load_player

GAME = "gomoku19"
TEST_GAMES, LEARNING_GAMES = 50, 400
PAPER_SECONDS, PAPER_MACHINE = 6.5 * 3600, "The line itself: the paper's IBM RS 6000"

SUITABLE = replace(FREISLEBEN, defence=1.0)
"""The paper's network that "performed originally better than its opponent", by giving defence as much weight as attack."""

LARGER_REWARD = 1e-3
BY_REWARD = "Table 6: where networks end depends on the size of the reward, which the paper does not give."

CHOOSING, CANDIDATES = 100, 200
"""The first of the seeds used to choose settings, and of those among which luckier first weights are sought."""


class Series(NamedTuple):
    """Test games won before, between and after two series, and what a series cost."""

    tests: tuple[Score, Score, Score]
    cpu_seconds: float


def _test(trained: Player, n_games: int, seed: int) -> Score:
    """Games against the star program from the empty board, as the paper has them; who begins alternates."""
    game = games.game(GAME)
    planned = duel(game, trained, player("heuristic", game), n_games, seed=seed, opening_plies=0)
    with CountingWorkers(1) as alone:
        return play_duels([planned], alone)[0].score


def _trained(folder: Path) -> Player:
    return load_player(folder / PLAYER_FILE, games.game(GAME))


def play_series(config: ComparisonConfig, seed: int, folder: Path) -> Series:
    """Task: twice 50 test games and 400 games with learning, and 50 test games at the end.

    What was measured is kept beside the run, which keeps its last player only.
    """

    def measure(series: int, recipe: Recipe) -> dict[str, Any]:
        with CountingWorkers(1) as alone:
            learning = train_to_the_end(recipe, folder, alone).cpu_seconds
        began = time.process_time()
        score = _test(_trained(folder), TEST_GAMES, seed=1000 * series + seed)
        return {"score": score, "learning": learning, "testing": time.process_time() - began}

    measured = []
    for series in range(3):
        recipe = Recipe(GAME, "comparison", config, seed=seed, rounds=series * LEARNING_GAMES, evaluate_games=0)
        path, of = folder / f"measured-{series}.json", {"recipe": recipe, "games": TEST_GAMES}
        measured.append(kept(path, of, partial(measure, series, recipe)))
    before, between, after = (Score(**it["score"]) for it in measured)
    testing = sum(it["testing"] for it in measured)
    return Series((before, between, after), measured[-1]["learning"] / 2 + testing / 3)


def series_folder(reproduction: Reproduction, config: ComparisonConfig, seed: int) -> Path:
    return reproduction.folder / f"series-{config.crossings}-{config.reward:g}-{config.defence:g}-{seed}"


def all_series(config: ComparisonConfig, seeds: Sequence[int], reproduction: Reproduction) -> list[Series]:
    reproduction.folder.mkdir(parents=True, exist_ok=True)
    tasks = [(config, seed, series_folder(reproduction, config, seed)) for seed in seeds]
    return reproduction.workers.map(play_series, tasks)


def won(scores: Sequence[Score]) -> NDArray[np.float64]:
    """Games won of fifty by each seed, a draw being half."""
    return np.array([50 * score.mean for score in scores])


def _figure(what: str, scores: Sequence[Score], published: float | None = None, explained: str | None = None) -> Figure:
    """The mean of games won; the interval is over seeds, whose first weights differ."""
    of = won(scores)
    n_games = sum(score.games for score in scores)
    return Figure(what, float(of.mean()), interval_of_mean(of), published, n_games, explained)


def two_series(n_seeds: int, reproduction: Reproduction) -> tuple[Table, list[Series]]:
    found = all_series(FREISLEBEN, reproduction.seeds(n_seeds), reproduction)
    cost = float(np.mean([it.cpu_seconds for it in found]))
    figures = [
        _figure("before learning", [it.tests[0] for it in found], 21),
        _figure("after one series", [it.tests[1] for it in found]),
        _figure("after two series", [it.tests[2] for it in found], 29, BY_REWARD),
        Figure(
            "CPU seconds of one series", cost, published=PAPER_SECONDS, explained=f"{PAPER_MACHINE} took 6.5 hours."
        ),
    ]
    note = (
        f"{len(found)} seeds, none of which was used to choose a setting; intervals over seeds by the bootstrap. A series is "
        f"{TEST_GAMES} test games and {LEARNING_GAMES} games with learning after each."
    )
    return Table("1. Games won of 50 against the star program", _only_outside(figures), note, digits=1), found


def best_of_the_series(n_seeds: int, reproduction: Reproduction) -> Comparison:
    """The network that won most test games after its two series, as the paper takes its best."""
    seeds = reproduction.seeds(n_seeds)
    after = won([it.tests[2] for it in all_series(FREISLEBEN, seeds, reproduction)])
    best = seeds[int(after.argmax())]
    found = _trained(series_folder(reproduction, FREISLEBEN, best))
    assert isinstance(found, Comparison)
    return found


def _only_outside(figures: Sequence[Figure]) -> list[Figure]:
    """Where the published figure lies inside our interval there is nothing to explain."""
    return [replace(it, explained=None) if it.standing == "inside" else it for it in figures]


def try_first_weights(config: ComparisonConfig, seeds: Sequence[int]) -> list[int]:
    """Task: the games that networks win before they learn anything."""
    found = []
    for seed in seeds:
        with CountingWorkers(1) as alone:
            novice = ComparisonLearner(games.game(GAME), config, np.random.default_rng(seed), alone).player()
        found.append(_test(novice, TEST_GAMES, seed=7000 + seed).wins)
    return found


def _luckiest(n: int, n_candidates: int, reproduction: Reproduction) -> dict[int, int]:
    """The seeds whose first weights won most games of so many, and how many each won; the recipe's own network."""
    seeds = [*reproduction.seeds(CANDIDATES + n_candidates)][CANDIDATES:]
    parts = [seeds[start : start + 20] for start in range(0, len(seeds), 20)]
    of = {"config": FREISLEBEN, "seeds": seeds, "games": TEST_GAMES}
    measure = partial(reproduction.workers.map, try_first_weights, [(FREISLEBEN, part) for part in parts])
    wins = [it for part in kept(reproduction.folder / "first-weights.json", of, measure) for it in part]
    best = sorted(range(len(seeds)), key=lambda place: -wins[place])[:n]
    return {seeds[place]: wins[place] for place in sorted(best)}


class Converse(NamedTuple):
    """Networks that were better than their opponent: by their balance, and by the luck of their first weights."""

    balanced: list[Series]
    lucky: list[Series]
    rewarded: list[Series]
    """The lucky ones again, with the larger reward."""


def converse(n_seeds: int, n_candidates: int, reproduction: Reproduction) -> tuple[Table, Converse]:
    balanced = all_series(SUITABLE, reproduction.seeds(n_seeds), reproduction)
    luckiest = _luckiest(n_seeds, n_candidates, reproduction)
    lucky = all_series(FREISLEBEN, [*luckiest], reproduction)
    rewarded = all_series(replace(FREISLEBEN, reward=LARGER_REWARD), [*luckiest], reproduction)
    chosen = np.array([*luckiest.values()], np.float64)
    by_balance = "The lines of the luckiest weights: these networks have a different balance from the paper's."
    by_reward = "The line below: where networks end depends on the size of the reward, which the paper does not give."
    after = [it.tests[2] for it in rewarded]
    n_few = int(np.sum(won(after) <= 25))
    of_one = f"The line itself: of its {len(after)} networks {n_few} won 25 or fewer; the paper has one network."
    figures = [
        Figure(
            "luckiest weights, in the games that chose them", float(chosen.mean()), interval_of_mean(chosen),
            games=TEST_GAMES * len(chosen),
        ),
        _figure("the same networks in other games, before learning", [it.tests[0] for it in lucky], 30),
        _figure("the same networks after two series", [it.tests[2] for it in lucky], 25, by_reward),
        _figure(f"the same networks after two series, reward {LARGER_REWARD:g}", after, 25, of_one),
        _figure("defence as much as attack, before learning", [it.tests[0] for it in balanced], 30, by_balance),
        _figure("defence as much as attack, after two series", [it.tests[2] for it in balanced], 25, by_balance),
    ]  # fmt: skip
    note = (
        f"Games won of {TEST_GAMES} against the star program. The luckiest are the {len(lucky)} of {n_candidates} random "
        "networks that won most of 50 games; what they win in other games shows how much of that was luck."
    )
    title = "2. The converse case: a network better than its opponent"
    return Table(title, _only_outside(figures), note, digits=1), Converse(balanced, lucky, rewarded)


def play_itself(opponent: str, seed: int, folder: Path, trained: Path) -> Score:
    """Task: 400 games of a trained network against itself, then the test against the star program."""
    config = replace(FREISLEBEN, opponent=opponent, start=str(trained))
    recipe = Recipe(GAME, "comparison", config, seed=seed, rounds=LEARNING_GAMES, evaluate_games=0)

    def measure() -> Score:
        with CountingWorkers(1) as alone:
            train_to_the_end(recipe, folder, alone)
        return _test(_trained(folder), TEST_GAMES, seed=5000 + seed)

    return Score(**kept(folder / "measured.json", {"recipe": recipe, "games": TEST_GAMES}, measure))


class SelfPlay(NamedTuple):
    before: list[Score]
    copy: list[Score]
    """Against a copy that stays as it was."""
    current: list[Score]
    """Against the weights as they change."""


def self_play(n_seeds: int, reproduction: Reproduction) -> tuple[Table, SelfPlay]:
    seeds = reproduction.seeds(n_seeds)
    before = [it.tests[2] for it in all_series(FREISLEBEN, seeds, reproduction)]
    found = {}
    for opponent in ("copy", "self"):
        tasks = [
            (opponent, seed, reproduction.folder / f"{opponent}-{seed}", series_folder(reproduction, FREISLEBEN, seed))
            for seed in seeds
        ]
        found[opponent] = reproduction.workers.map(play_itself, tasks)
    origin = "The first line: these networks came from there, not from 29."
    figures = [
        _figure("after two series against the star program", before, 29, BY_REWARD),
        _figure("after 400 more against a fixed copy", found["copy"], 31, origin),
        _figure("after 400 more against its current weights", found["self"], 31, origin),
    ]
    note = (
        f'Games won of {TEST_GAMES} against the star program. The paper says "a copy of itself" and puts its two '
        "extra games down to chance."
    )
    title = "3. Learning from games against itself"
    return Table(title, _only_outside(figures), note, digits=1), SelfPlay(before, found["copy"], found["self"])


WIRINGS = {14: 2, 19: 3}
"""Chains that cross the line of the third pattern, by the most inputs that a unit then has."""
REWARDS = (LARGER_REWARD, FREISLEBEN.reward)


def choices(n_seeds: int, reproduction: Reproduction) -> Table:
    """The reward and the wiring, on seeds that nothing else is reported on."""
    seeds = [*reproduction.seeds(CHOOSING + n_seeds)][CHOOSING:]
    figures = []
    for n_inputs, crossings in WIRINGS.items():
        for reward in REWARDS:
            found = all_series(replace(FREISLEBEN, crossings=crossings, reward=reward), seeds, reproduction)
            figures.append(_figure(f"up to {n_inputs} inputs, reward {reward:g}", [it.tests[2] for it in found]))
    note = (
        f'Games won of {TEST_GAMES} after two series, over {len(seeds)} seeds that no other table has. The text says "a '
        f'small positive error" and no number; the recipe has {FREISLEBEN.reward:g}, and the 14 inputs of the text.'
    )
    return Table("6. What the text leaves open", figures, note, digits=1)
