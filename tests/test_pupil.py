"""The pupil: ignorant at first, better by games with one person."""

import json

import numpy as np
import pytest

import randori
from randori.app.commands.pupil import pupil as command
from randori.errors import UserError
from randori.experiments.schooling import grades
from randori.methods.som.pupil import Lesson, Pupil, has_maps
from randori.workers import Workers


@pytest.mark.thorough
@pytest.mark.parametrize(("teacher", "gain"), [("heuristic", 0.25), ("random", 0.05)])
def test_it_plays_better_after_games_with_a_person(teacher: str, gain: float) -> None:
    with Workers(1) as staff:
        before, after = grades(randori.game("tictactoe"), teacher, 3, 0, staff, exams=(0, 40), exam_games=400)
    assert after.score.mean > before.score.mean + gain, (before, after)


def test_the_command_prints_scores_and_refuses_games_without_a_pupil(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grades, "__defaults__", (*grades.__defaults__[:-2], (0, 2), 20))  # type: ignore[index]
    command("tictactoe", ("random",), pupils=1, workers=1, json=True)
    output = json.loads(capsys.readouterr().out)
    assert [it["lessons"] for it in output["teachers"]["random"]] == [0, 2]
    with pytest.raises(UserError, match="no pupil for"):
        command("gomoku15", workers=1)


def test_it_knows_nothing_at_first_and_the_same_after_the_same_lessons() -> None:
    game = randori.game("connect4")
    states, rng = game.play(game.start(3), [0, 3, 6]), np.random.default_rng(0)
    assert not Pupil(game).evaluate(states, rng).values.any()
    lessons = (Lesson([3, 0, 3, 0, 3, 0, 3], 1.0), Lesson([0, 3, 1], 0.0))
    values = Pupil(game, lessons).evaluate(states, rng).values
    assert (values == Pupil(game, lessons).evaluate(states, rng).values).all()
    assert values[1] < values[0], "the side that faces the middle stone lost"


def test_wrong_lessons_and_games_are_refused() -> None:
    game = randori.game("tictactoe")
    for wrong in (Lesson([], 1.0), Lesson([4], 2.0)):
        with pytest.raises(UserError, match="A lesson is"):
            _ = Pupil(game, (wrong,)).values
    gomoku = randori.game("gomoku19")
    assert not has_maps(gomoku)
    with pytest.raises(UserError, match="no pupil for"):
        Pupil(gomoku)
