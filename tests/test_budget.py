"""A budget includes the last rating, and the terminal shows the true state of a training."""

import io
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from commands import run
from rich.console import Console

from randori.app import terminal, training_watch
from randori.app.commands.train import _next_commands
from randori.app.terminal import Pace, progress
from randori.app.training_watch import TrainingWatch
from randori.arena.scores import Score
from randori.experiments import CountingWorkers, Progress, Recipe, train
from randori.experiments import field as fields
from randori.experiments.field import most_opponents
from randori.experiments.gauge import Met, Strength
from randori.methods.table.learner import TableConfig


class Clock:
    """A clock that stands still unless a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    for module in (fields, terminal, training_watch):
        monkeypatch.setattr(module, "time", fake)
    return fake


@pytest.mark.parametrize(
    ("seconds", "lengths"), [(1000.0, [4, 20, 100, 200]), (30.0, [4, 20]), (0.0, [4]), (-5.0, [4])]
)
def test_a_match_has_as_many_games_as_fit(clock: Clock, seconds: float, lengths: list[int]) -> None:
    played = []

    def play(n: int) -> Score:
        played.append(n)
        clock.now += n  # a second for each game
        return Score(n, 0, 0, n)

    found = fields._meet_within(seconds, 200, play)
    assert played == lengths
    assert found is not None
    assert found.games == lengths[-1]
    assert sum(lengths) <= max(seconds, fields.FEW)


def test_a_match_that_was_interrupted_has_no_score() -> None:
    assert fields._meet_within(10.0, 200, lambda n: None) is None


def test_how_many_opponents_a_bisection_meets() -> None:
    def most(n: int) -> int:
        return 0 if n == 0 else 1 + max(most(n // 2), most(n - n // 2 - 1))

    assert [most_opponents(n) for n in range(40)] == [most(n) for n in range(40)]


def test_a_tenth_of_the_budget_is_kept_for_the_last_rating() -> None:
    recipe = Recipe("tictactoe", "table", TableConfig(), budget=100)
    assert not recipe.is_fulfilled(5, 89.9)
    assert recipe.is_fulfilled(5, 90.1)
    unrated = Recipe("tictactoe", "table", TableConfig(), budget=100, evaluate_games=0)
    assert not unrated.is_fulfilled(5, 99.9)


def test_the_last_rating_ends_with_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against slow opponents: with all their games this rating would take minutes."""

    def slowly(*arguments: Any, **more: Any) -> Score | None:
        n = arguments[4]
        time.sleep(0.02 * n)
        more["on_games"](n)
        return Score(n, 0, 0, n)

    monkeypatch.setattr(fields, "meet", slowly)
    recipe = Recipe("tictactoe", "table", TableConfig(games=2), budget=4.0)
    games_of_ratings = []
    began = time.monotonic()
    with CountingWorkers(1) as staff:
        ending = train(recipe, tmp_path / "run", staff, on_rating_games=games_of_ratings.append)
    assert ending.complete
    assert ending.progress.strength is not None
    assert 3.6 <= ending.progress.seconds < 8  # on a machine that is busy with other things
    assert time.monotonic() - began < 12
    assert sum(games_of_ratings) < 200
    with CountingWorkers(1) as staff:
        assert train(recipe, tmp_path / "run", staff).progress == ending.progress  # complete: there is nothing to do


def test_a_short_last_rating_can_be_made_up_for(tmp_path: Path) -> None:
    opponent = Met(player="random", wins=4, draws=0, losses=0, distinct_games=4)
    short = Strength(elo=0, low=0, high=0, games=4, extrapolated=None, opponents=[opponent], seed=0)
    recipe = Recipe("tictactoe", "table", TableConfig(), rounds=1, evaluate_games=0)
    with CountingWorkers(1) as staff:
        train(recipe, tmp_path, staff)
    rated = Recipe("tictactoe", "table", TableConfig(), budget=9, evaluate_games=2)
    card = ["randori", "card", str(tmp_path), "--games", "10", "--write"]
    assert card in list(_next_commands(rated, short, tmp_path))
    long = Strength(**{**short, "opponents": [Met(**{**opponent, "wins": 10})]})
    assert card not in list(_next_commands(rated, long, tmp_path))


def watch_of(**limits: Any) -> TrainingWatch:
    recipe = Recipe("tictactoe", "table", TableConfig(), **limits)
    return TrainingWatch(recipe, Console(file=io.StringIO()))


def test_the_time_left_follows_the_clock_not_the_rounds(clock: Clock) -> None:
    watch = watch_of(budget=120)
    assert watch.words() == "first round, 0:02:00 left"
    watch.show(Progress(round=1, games=100, seconds=20.0), None)
    clock.now += 40.0  # a long round
    assert watch.words() == "round 1, 5 games/s, 0:01:00 left"
    assert watch.share() == 0.5
    watch.add_rating_games(20)
    clock.now += 70.0
    assert watch.words() == "being rated, 20 games played"  # and not: 0:00:00 left
    assert watch.share() == 1.0


def test_the_time_left_by_rounds_is_known_after_two(clock: Clock) -> None:
    watch = watch_of(rounds=10)
    assert watch.seconds_left() is None
    watch.show(Progress(round=4, games=8, seconds=100.0), None)  # a run that was continued
    assert watch.seconds_left() is None
    watch.show(Progress(round=6, games=12, seconds=110.0), None)
    assert watch.seconds_left() == 20.0


def test_suggested_commands_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    result = run(capsys, monkeypatch, "train", "table", "--game", "tictactoe", "--rounds", 2, "--evaluate-games", 4)
    commands = [shlex.split(it)[1:] for it in result.out.splitlines() if it.startswith("next: ")]
    assert [it[:2] for it in commands] == [
        ["tensorboard", "--logdir"],
        ["randori", "report"],
        ["randori", "play"],
        ["randori", "match"],
    ]
    assert Path(commands[0][2]).is_dir()
    for _, *words in commands[1:]:
        assert run(capsys, monkeypatch, *words).status == 0, words


@pytest.mark.parametrize(
    "words",
    [
        "match random greedy --game tictactoe --games 4",
        "tournament random greedy --game tictactoe --games 4",
        "accuracy heuristic --game tictactoe --positions 5",
        "card zoo/tictactoe-som --games 4",
    ],
)
def test_commands_suggested_after_measuring_work(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    suggestion = run(capsys, monkeypatch, *words.split()).out.splitlines()[-1]
    assert suggestion.startswith("next: randori ")
    command = shlex.split(suggestion)[2:]
    more = ["--games", "2"] if command[0] == "match" else []
    assert run(capsys, monkeypatch, *command, *more).status == 0


def test_progress_in_words(clock: Clock) -> None:
    pace = Pace(400, "games")
    assert pace.words() == "0 of 400 games, 0:00:00 so far"
    clock.now += 10
    pace.add(100)
    assert pace.words() == "100 of 400 games, 0:00:10 so far, about 0:00:30 left"
    clock.now += 20
    assert pace.words() == "100 of 400 games, 0:00:30 so far, about 0:00:10 left"
    clock.now += 20
    assert pace.words() == "100 of 400 games, 0:00:50 so far"  # and not: 0:00:00 left
    assert pace.share() == 0.25


def test_a_log_gets_a_line_every_half_minute(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress(4, "rows", "measuring") as advance:
        for _ in range(4):
            clock.now += 20
            advance(1)
    assert capsys.readouterr().err.splitlines() == [
        "randori: measuring: 2 of 4 rows, 0:00:40 so far, about 0:00:40 left",
        "randori: measuring: 4 of 4 rows, 0:01:20 so far",
    ]
