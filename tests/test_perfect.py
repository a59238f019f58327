"""`perfect` on Connect Four: it never gets less than its seat is worth, answers soon, and hurries where it can."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest

import randori
from randori.core.game import ONGOING
from randori.players.perfect import Perfect
from randori.search.effort import random_endings
from randori.search.solver import Solver

CONNECT4 = randori.game("connect4")


def test_the_side_that_begins_wins() -> None:
    score = randori.match("perfect", "perfect", CONNECT4, 2, opening_plies=0, seats="first").score
    assert score.wins == 2


def check_seats(opponent: str, n_games: int) -> None:
    """The side that begins wins. The other seat loses against good play, so it promises nothing."""
    score = randori.match("perfect", opponent, CONNECT4, n_games, opening_plies=0, seats="first").score
    assert score.wins == n_games


@pytest.mark.parametrize("opponent", ["random", "heuristic", "uct:simulations=100"])
def test_it_gets_what_its_seat_is_worth(opponent: str) -> None:
    check_seats(opponent, 6)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", "heuristic", "uct:simulations=1000", "lookahead:depth=6"])
def test_it_gets_what_its_seat_is_worth_in_many_games(opponent: str) -> None:
    check_seats(opponent, 200)


def check_moves(n_games: int, plies: int, seconds: float) -> None:
    """From random openings every move keeps the outcome and takes less than so many seconds."""
    player, rng = Perfect(CONNECT4), np.random.default_rng(0)
    for state in random_endings(CONNECT4, n_games, CONNECT4.max_plies - plies, rng):
        state, judge = state[None], Solver(CONNECT4, 64)
        while CONNECT4.outcome(state)[0] == ONGOING:
            began = process_time()
            action = player.choose(state, rng).actions
            assert process_time() - began < seconds
            assert judge.keeping(state)[0, action[0]]
            mover = action if rng.random() < 0.5 else CONNECT4.pick(state, rng.random(1))
            state = CONNECT4.play(state, mover)


def test_no_move_gives_anything_away() -> None:
    check_moves(3, plies=12, seconds=5.0)


@pytest.mark.slow
def test_no_move_after_an_opening_takes_long() -> None:
    check_moves(200, plies=8, seconds=5.0)


def test_it_hurries_outside_the_repertoire() -> None:
    states = random_endings(CONNECT4, 20, 20, np.random.default_rng(1))
    choice = Perfect(CONNECT4).choose(states, np.random.default_rng(0))
    assert choice.policy is not None
    best = Solver(CONNECT4).best(states)
    np.testing.assert_array_equal(choice.policy > 0, best)


def test_it_plays_the_stored_move_and_its_mirror_image() -> None:
    player, rng = Perfect(CONNECT4), np.random.default_rng(0)
    assert player.choose(CONNECT4.start(3), rng).actions.tolist() == [3, 3, 3]
    left, right = (CONNECT4.play(CONNECT4.start(1), [column]) for column in (1, 5))
    answers = [int(player.choose(state, rng).actions[0]) for state in (left, right)]
    assert answers[0] == 6 - answers[1]
