"""Accuracy, and the commands that use the solver."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import randori
from randori.app.cli import main
from randori.app.commands import solve as command
from randori.core.game import LOSS, Game, States
from randori.errors import duration
from randori.experiments.accuracy import Exam, measure_accuracy, prepare_exam
from randori.players import Choice
from randori.players.simple import Random
from randori.search.solver import Solution, Solver


class Keeping:
    """Plays by the exam's own answers, or against them."""

    def __init__(self, game: Game, answers: dict[int, int]) -> None:
        self.game, self.answers, self.name = game, answers, "keeping"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return Choice(np.array([self.answers[key] for key in self.game.keys(states).tolist()], np.int16))


def test_every_position_of_tic_tac_toe_is_in_the_exam_once() -> None:
    game = randori.game("tictactoe")
    exam = prepare_exam(game)
    # 5478 positions can be reached, 958 of them are over.
    assert len(exam.states) + exam.alike == 5478 - 958
    assert len(np.unique(game.keys(exam.states))) == len(exam.states)
    perfect = measure_accuracy(randori.player("perfect", game), exam)
    assert perfect.share == 1.0
    assert perfect.interval[0] > 0.99
    assert measure_accuracy(randori.player("random", game), exam).share < 0.7


@pytest.mark.parametrize("name", ["connect4", "othello6"])
def test_right_answers_score_all_and_wrong_ones_nothing(name: str) -> None:
    game = randori.game(name)
    exam = prepare_exam(game, 30, seed=2)
    assert len(exam.states) == 30
    keys = game.keys(exam.states).tolist()
    right = dict(zip(keys, exam.keeping.argmax(axis=1).tolist(), strict=True))
    wrong = dict(zip(keys, (game.legal(exam.states) & ~exam.keeping).argmax(axis=1).tolist(), strict=True))
    assert measure_accuracy(Keeping(game, right), exam).share == 1.0
    assert measure_accuracy(Keeping(game, wrong), exam).share == 0.0


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["randori", *arguments])
        status = 0
        try:
            main()
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        return status, *capsys.readouterr()

    return run


def test_solve_and_accuracy_as_json(cli: Any) -> None:
    solution = json.loads(cli("solve", "--game", "othello4", "--json")[1])
    assert solution["value"] == -8
    assert len(solution["best"]) == 4  # the four first moves are one by symmetry
    win = json.loads(cli("solve", "--game", "connect4", "414141", "--json")[1])
    assert (win["value"], win["best"], win["plies"]) == (1, ["4"], 1)
    report = json.loads(cli("accuracy", "perfect", "--game", "tictactoe", "--positions", "50", "--json")[1])
    assert (report["positions"], report["kept"], report["share"]) == (50, 50, 1.0)
    assert report["interval"][0] < 1 == report["interval"][1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solve", "--game", "connect4", "1212121"], "The game is over"),
        (["solve", "--game", "othello8", "f5x9"], "Move 2, 'x9', is not a move"),
        (["solve", "--game", "tictactoe", "--seconds", "-1"], "The limit must be a positive number of seconds"),
        (["solve", "--game", "othello8"], "too deep to be solved at once: it may take"),
        (["accuracy", "random", "--game", "gomoku15"], "too large for the solver"),
        (["accuracy", "random", "--game", "tictactoe", "--positions", "0"], "at least one position"),
    ],
)
def test_bad_use_gives_one_sentence(cli: Any, arguments: list[str], sentence: str) -> None:
    status, out, err = cli(*arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err


def test_a_time_limit_shows_what_the_solver_knows(cli: Any) -> None:
    status, out, err = cli("solve", "--game", "connect4", "--seconds", "1", "--json")
    assert status == 1
    found = json.loads(out)
    assert found["complete"] is False
    assert found["bounds"][0] <= found["bounds"][1]
    assert "Stopped before the position was solved" in err


@pytest.fixture(scope="module")
def exam() -> Exam:
    return prepare_exam(randori.game("connect4"), 60, seed=3)


@pytest.mark.parametrize(
    ("name", "empties"), [("connect4", (12, 28)), ("othello4", (2, 11)), ("othello6", (6, 12)), ("othello8", (6, 12))]
)
def test_exam_positions_meet_their_conditions(name: str, empties: tuple[int, int]) -> None:
    game = randori.game(name)
    exam = prepare_exam(game, 30)
    assert len(exam.states) == len(np.unique(game.keys(exam.states))) == 30
    left = game.moves_left(exam.states)
    assert empties[0] <= left.min() <= left.max() <= empties[1]
    legal = game.legal(exam.states)
    assert (exam.keeping <= legal).all()
    assert exam.keeping.any(axis=1).all()
    assert (exam.keeping != legal).any(axis=1).all()
    if game.knowledge.wins_at_once:
        assert (game.outcome(game.children(exam.states).states) != LOSS).all()


def test_openings_of_connect_four_have_an_exam() -> None:
    game = randori.game("connect4")
    exam = prepare_exam(game, 40, left=(35, 41))
    left = game.moves_left(exam.states)
    assert 35 <= left.min() <= left.max() <= 41
    perfect = measure_accuracy(randori.player("perfect", game), exam)
    assert perfect.kept == perfect.positions == len(exam.states)


@pytest.mark.parametrize(
    ("name", "left"), [("connect4", (0, 5)), ("connect4", (9, 8)), ("connect4", (30, 43)), ("othello8", (20, 40))]
)
def test_wrong_ranges_are_refused(name: str, left: tuple[int, int]) -> None:
    with pytest.raises(randori.UserError, match=r"moves (are )?left"):
        prepare_exam(randori.game(name), 5, left=left)


def test_the_seed_determines_the_exam(exam: Exam) -> None:
    same, other = (prepare_exam(exam.game, 60, seed) for seed in (3, 4))
    np.testing.assert_array_equal(same.states, exam.states)
    np.testing.assert_array_equal(same.keeping, exam.keeping)
    assert not np.isin(exam.game.keys(other.states), exam.game.keys(exam.states)).all()


def test_a_random_player_keeps_the_value_by_chance(exam: Exam) -> None:
    by_chance = (exam.keeping.sum(axis=1) / exam.game.legal(exam.states).sum(axis=1)).mean()
    shares = [measure_accuracy(Random(exam.game), exam, seed).share for seed in range(30)]
    assert abs(np.mean(shares) - by_chance) < 0.03
    assert measure_accuracy(Random(exam.game), exam, 7) == measure_accuracy(Random(exam.game), exam, 7)


@pytest.mark.parametrize(
    ("game", "moves", "sentence"),
    [
        ("connect4", ("4455",), "X to move: wins in 3 plies with 3, 6."),
        ("connect4", ("14", "14", "14"), "X to move: wins in 1 ply with 1."),
        ("connect4", ("44553",), "O to move: loses in 2 plies with 1, 2, 3, 4, 5, 6, 7."),
        ("othello4", (), "X to move: loses by 8 with b1, a2, d3, c4."),
        ("tictactoe", ("a1b2",), "X to move: draws with b1, c1, a2, c2, a3, b3, c3."),
    ],
)
def test_solve_says_it_in_words(
    game: str, moves: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command.solve(game, moves)
    assert sentence in capsys.readouterr().out


def test_an_interrupted_solver_shows_what_it_knows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = Solver.approach

    def interrupted(self: Solver, state: States) -> Iterator[Solution]:
        for place, solution in enumerate(whole(self, state)):
            if place == 5:
                raise KeyboardInterrupt
            yield solution

    monkeypatch.setattr(Solver, "approach", interrupted)
    with pytest.raises(SystemExit, match="1"):
        command.solve("connect4", ("4444443322",))
    monkeypatch.undo()
    assert "X to move" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(70, "about 70 seconds"), (600, "about 10 minutes"), (1e6, "about 12 days"), (np.inf, "longer")],
)
def test_durations_are_readable(seconds: float, words: str) -> None:
    assert words in duration(seconds)
