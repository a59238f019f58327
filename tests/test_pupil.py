"""The pupil: ignorant at first, better by games with one person."""

import numpy as np
import pytest

import randori
from randori.arena import play_games
from randori.errors import UserError
from randori.game import Game
from randori.players import Player, player
from randori.players.pupil import Lesson, Pupil, has_maps


def score(game: Game, pupil: Player, person: Player, n_games: int) -> float:
    """The pupil's, from the first position, seats even."""
    rng, none = np.random.default_rng(1), np.zeros((n_games // 2, 0), np.int16)
    first = play_games(game, pupil, person, none, rng).outcomes
    second = play_games(game, person, pupil, none, rng).outcomes
    return float((np.concatenate([first, -second]).mean() + 1) / 2)


def school(game: Game, person: Player, n_games: int, seed: int) -> Pupil:
    """A pupil after so many games with somebody; each begins every other one."""
    pupil, rng, none = Pupil(game), np.random.default_rng(seed), np.zeros((1, 0), np.int16)
    for number in range(n_games):
        seats = (person, pupil) if number % 2 == 0 else (pupil, person)
        played = play_games(game, *seats, none, rng)
        lesson = Lesson([int(it) for it in played.actions[0] if it >= 0], (int(played.outcomes[0]) + 1) / 2)
        pupil = Pupil(game, (*pupil.lessons, lesson))
    return pupil


@pytest.mark.parametrize(
    ("name", "person", "n_games", "gain"), [("tictactoe", "heuristic", 40, 0.25), ("tictactoe", "random", 30, 0.05)]
)
def test_it_plays_better_after_games_with_a_person(name: str, person: str, n_games: int, gain: float) -> None:
    game = randori.game(name)
    somebody = player(person, game)
    before = score(game, Pupil(game), somebody, 400)
    after = [score(game, school(game, somebody, n_games, seed), somebody, 400) for seed in range(3)]
    assert np.mean(after) > before + gain, (before, after)


def test_it_knows_nothing_at_first_and_the_same_after_the_same_lessons() -> None:
    game = randori.game("connect4")
    states, rng = game.play(game.start(3), [0, 3, 6]), np.random.default_rng(0)
    assert not Pupil(game).evaluate(states, rng).values.any()
    lessons = (Lesson([3, 0, 3, 0, 3, 0, 3], 1.0), Lesson([0, 3, 1], 0.0))
    values = Pupil(game, lessons).evaluate(states, rng).values
    assert (values == Pupil(game, lessons).evaluate(states, rng).values).all()
    assert values[1] < values[0], "whoever faces the middle stone lost"


def test_what_is_no_lesson_and_no_game_for_it_is_refused() -> None:
    game = randori.game("tictactoe")
    for wrong in (Lesson([], 1.0), Lesson([4], 2.0)):
        with pytest.raises(UserError, match="A lesson is"):
            _ = Pupil(game, (wrong,)).values
    gomoku = randori.game("gomoku19")
    assert not has_maps(gomoku)
    with pytest.raises(UserError, match="no pupil for"):
        Pupil(gomoku)
