"""A budget decides its end once, at half time; from then on rounds count, and the step size goes down to that end."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from randori import games, methods
from randori.errors import UserError
from randori.experiments import CountingWorkers, Progress, Recipe, train
from randori.experiments.planned_end import PlannedEnd
from randori.experiments.recipe import find_preset, read_recipe, recipe_for
from randori.experiments.run import RECIPE_FILE
from randori.methods.alphazero.config import RECIPES, AlphaZeroConfig, rate_at
from randori.methods.alphazero.learner import AlphaZeroLearner
from randori.methods.table.learner import TableConfig
from randori.players.files import PLAYER_FILE, read_card

SMALL = AlphaZeroConfig(channels=4, blocks=1, simulations=4, games=8, batch=16, uses=0.5, play_simulations=2)


@dataclass
class Annealed:
    """A learner that only notes its ends."""

    ends: list[int | None] = field(default_factory=list)
    config: Any = None

    @property
    def end_is_open(self) -> bool:
        return self.ends[-1:] == [None]

    def open_end(self) -> None:
        self.ends.append(None)

    def end_after(self, rounds: int) -> None:
        self.ends.append(rounds)


def recipe_of(**limits: Any) -> Recipe:
    return Recipe("tictactoe", "table", TableConfig(), evaluate_games=0, **limits)


def play(end: PlannedEnd, progress: Progress, seconds: float) -> None:
    progress.add_round(1, 0.0)
    progress.seconds += seconds
    end.decide_if_due(progress)


def test_the_end_is_set_at_half_time_by_the_pace_after_the_first_round() -> None:
    learner, progress = Annealed(), Progress()
    end = PlannedEnd(recipe_of(budget=100.0), learner, progress)
    assert learner.ends == [None]
    play(end, progress, 30.0)  # compiles
    for _ in range(5):
        assert learner.end_is_open
        play(end, progress, 4.0)
    assert learner.ends == [None, 12]  # 50 s are left, at 4 s for each round
    assert (progress.planned, progress.last_round) == (100.0, 18)
    progress.seconds = 200.0  # slower than before: the rounds count
    assert not end.is_complete(progress)
    progress.round = 18
    assert end.is_complete(progress)


def test_a_larger_budget_opens_the_end_again() -> None:
    learner, progress = Annealed([None, 12]), Progress(round=18, seconds=101.0, planned=100.0, last_round=18)
    assert PlannedEnd(recipe_of(budget=100.0), learner, progress).is_complete(progress)
    longer = PlannedEnd(recipe_of(budget=300.0), learner, progress)
    assert not longer.is_complete(progress)
    play(longer, progress, 9.0)
    for _ in range(9):
        assert learner.ends == [None, 12, None]
        play(longer, progress, 10.0)
    assert learner.ends == [None, 12, None, 10]  # 100 s are left
    assert (progress.planned, progress.last_round) == (300.0, 38)


def test_an_open_end_is_opened_once() -> None:
    learner = Annealed([None])
    PlannedEnd(recipe_of(budget=100.0), learner, Progress(round=3, seconds=20.0))
    assert learner.ends == [None]


def test_runs_from_before_follow_their_settings() -> None:
    learner, progress = Annealed(), Progress(round=3, seconds=20.0)
    end = PlannedEnd(recipe_of(budget=100.0), learner, progress)
    for _ in range(5):
        play(end, progress, 16.0)
    assert learner.ends == []
    assert end.is_complete(progress)


@pytest.mark.parametrize("limits", [{"rounds": 5}, {"rounds": 5, "budget": 100.0}, {}])
def test_with_rounds_or_without_a_limit_nothing_is_planned(limits: dict[str, Any]) -> None:
    learner, progress = Annealed(), Progress()
    end = PlannedEnd(recipe_of(**limits), learner, progress)
    for _ in range(5):
        assert not end.is_complete(progress)
        play(end, progress, 15.0)
    assert learner.ends == []
    assert end.is_complete(progress) == ("rounds" in limits)


def test_two_rounds_longer_than_the_budget_end_it() -> None:
    learner, progress = Annealed(), Progress()
    end = PlannedEnd(recipe_of(budget=100.0), learner, progress)
    play(end, progress, 40.0)
    play(end, progress, 70.0)
    assert end.is_complete(progress)
    assert learner.ends == [None]


def test_the_step_size_stays_and_then_goes_down_to_the_end() -> None:
    with CountingWorkers(1) as staff:
        learner = AlphaZeroLearner(games.game("tictactoe"), SMALL, np.random.default_rng(0), staff)
    learner.open_end()
    assert learner.end_is_open
    assert rate_at(learner.config, 10**6) == SMALL.rate
    learner.n_games = 24
    learner.end_after(4)
    assert not learner.end_is_open
    assert learner.config.falls == (24, 56)
    rates = [rate_at(learner.config, n) for n in (0, 8, 16, 24, 40, 48)]
    way = SMALL.rate - SMALL.last_rate
    assert rates == pytest.approx([*[SMALL.rate] * 4, SMALL.rate - way / 2, SMALL.rate - 3 * way / 4], abs=1e-12)
    assert rates[:4] == [SMALL.rate] * 4  # to the last bit, as they were before the end was known
    learner.open_end()  # a larger budget
    assert rate_at(learner.config, 48) == rates[-1]
    learner.n_games = 80
    learner.end_after(2)
    assert learner.config.falls == (24, 56, 80, 96)
    assert [rate_at(learner.config, n) for n in (48, 56, 80)] == [rates[-1], SMALL.rate, SMALL.rate]
    assert SMALL.last_rate < rate_at(learner.config, 88) < SMALL.rate


@pytest.mark.parametrize("falls", [(1,), (5, 4), (1, 2, 2, 3), (-3, 4)])
def test_falls_rise(falls: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="'falls' must be pairs of rising numbers"):
        AlphaZeroConfig(falls=falls)


def test_the_card_of_a_training_with_a_budget_repeats_it(tmp_path: Path) -> None:
    recipe = Recipe("tictactoe", "alphazero", SMALL, seed=3, budget=6.0, evaluate_games=0)
    with CountingWorkers(1) as staff:
        ending = train(recipe, tmp_path / "timed", staff)
        progress = ending.progress
        assert ending.complete
        assert progress.round == progress.last_round
        card = read_card(tmp_path / "timed" / PLAYER_FILE)
        config = AlphaZeroConfig(**(card.config | {"falls": tuple(card.config["falls"])}))
        assert config.falls[-1] == progress.round * SMALL.games
        assert rate_at(config, config.falls[-1] - SMALL.games) < SMALL.rate
        assert read_recipe(tmp_path / "timed" / RECIPE_FILE) == recipe  # the same command continues it
        again = Recipe("tictactoe", "alphazero", config, seed=3, rounds=progress.round, evaluate_games=0)
        train(again, tmp_path / "again", staff)
    files = [(tmp_path / it / PLAYER_FILE).read_bytes() for it in ("timed", "again")]
    assert files[0] == files[1]


def test_an_end_is_kept_with_the_run() -> None:
    with CountingWorkers(1) as staff:
        learner, again = (
            AlphaZeroLearner(games.game("tictactoe"), SMALL, np.random.default_rng(0), staff) for _ in range(2)
        )
    learner.open_end()
    learner.end_after(7)
    again.restore(learner.state())
    assert again.config == learner.config != SMALL
    state = learner.state()
    del state["falls"]  # a run of an earlier version
    again.restore(state)
    assert isinstance(again, methods.Annealing)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_takes_the_time_of_its_name(name: str) -> None:
    preset = find_preset("alphazero", name)
    game, _, time = name.partition("-")
    recipe = recipe_for("alphazero", game, name)
    assert recipe.rounds is None
    assert recipe.budget == {"30s": 30, "5m": 300, "20m": 1200, "1h": 3600, "8h": 28800}[time]
    assert preset.rounds is not None
    assert preset.config.horizon == preset.rounds * preset.config.games  # what it is with --rounds
    timed = recipe_for("alphazero", game, name, rounds=preset.rounds)
    assert (timed.rounds, timed.budget) == (preset.rounds, None)
    assert asdict(timed.config) == asdict(recipe.config)
