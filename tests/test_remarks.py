"""Remarks of games on bad moves: each is true of its position, and absent where it would be false."""

import numpy as np
import pytest

from randori import games
from randori.core.game import Game, States
from randori.core.notation import action_of, parse_transcript
from randori.core.replay import last_position


def remarks(game: Game, state: States, move: str) -> list[str]:
    action = action_of(game, move)
    assert action is not None
    assert game.legal(state)[0, action], move
    assert game.knowledge.remarks is not None
    return game.knowledge.remarks(game, state, action)


def after(name: str, moves: str) -> tuple[Game, States]:
    game = games.game(name)
    return game, last_position(game, parse_transcript(game, moves))


def board(name: str, *rows: str) -> tuple[Game, States]:
    """X is to move."""
    game = games.game(name)
    cells = [[{"X": 1, "O": -1, ".": 0}[it] for it in row] for row in rows]
    return game, game.from_cells(np.array([cells], np.int8))


CORNER = ("......", ".O....", "..OX..", "..OX..", "......", "......")


def test_a_corner_is_given_away() -> None:
    """The stone on the diagonal lets the other side over it into the corner."""
    game, state = board("othello6", "......", "..O...", "..OX..", "..XO..", "......", "......")
    assert "gave the corner a1 away" not in remarks(game, state, "c1")
    game, state = board("othello6", "......", "..OX..", "..XX..", "..OX..", "......", "......")
    words = remarks(game, state, "b2")
    assert "took the X square b2 beside the empty corner a1" in words
    assert not any("away" in it for it in words), "no stone of the other side stands behind it"
    game, state = board("othello6", "......", "..OX..", "..OX..", "..XOO.", "....O.", "......")
    assert "gave the corner a1 away" in remarks(game, state, "b2")


def test_a_corner_that_was_open_before_is_not_given_away() -> None:
    game, state = board("othello6", "......", ".X....", "..OX..", "..XOO.", "....O.", "......")
    assert game.legal(game.from_cells(-game.cells(state)))[0, 0], "the other side could take the corner already"
    for action in np.flatnonzero(game.legal(state)[0]):
        assert not any("a1 away" in it for it in remarks(game, state, game.move_names[action]))


def test_a_corner_is_left() -> None:
    game, state = board("othello6", *CORNER)
    assert game.legal(state)[0, 0]
    assert remarks(game, state, "b3") == ["left the corner a1 untaken"]
    assert remarks(game, state, "a1") == []


def test_a_pass_gets_no_remark() -> None:
    game = games.game("othello8")
    assert game.pass_action is not None
    assert game.knowledge.remarks is not None
    assert game.knowledge.remarks(game, game.start(1), game.pass_action) == []


def test_a_win_is_opened_above() -> None:
    """Red threatens the square above the last one of column 4; the move below it decides who wins."""
    game, state = after("connect4", "1122332")
    assert remarks(game, state, "5") == ["left a win at 4 open"]
    assert remarks(game, state, "4") == []
    game, state = board("connect4", ".......", ".......", ".......", ".......", "OOO....", "XXO.X.X")
    assert remarks(game, state, "4") == ["opened a win above"]
    assert remarks(game, state, "7") == []


def test_a_win_is_overlooked() -> None:
    game, state = after("connect4", "112233")
    assert remarks(game, state, "7") == ["overlooked a win at 4"]
    assert remarks(game, state, "4") == []
    game, state = after("tictactoe", "a1b2c1b1")
    assert remarks(game, state, "b3") == []
    assert remarks(game, state, "a3") == ["left a win at b3 open"]


def test_an_open_three_is_left_unanswered() -> None:
    game, state = after("gomoku9", "a1e5a9f5i1g5")
    assert remarks(game, state, "i9") == ["left an open three unanswered"]
    assert remarks(game, state, "d5") == []
    assert remarks(game, state, "h5") == []


def test_a_three_that_is_blocked_or_that_a_four_outruns_is_no_mistake() -> None:
    game, state = after("gomoku9", "d5e5a9f5i1g5")
    assert remarks(game, state, "i9") == [], "it is blocked at one end"
    game, state = after("gomoku9", "a1e5b1f5c1g5")
    assert remarks(game, state, "d1") == [], "the other side has to answer first"


@pytest.mark.parametrize(
    ("moves", "move", "words"),
    [
        ("a1e5a9f5i1g5h9h5", "b1", ["left a four unanswered"]),
        ("a1e5a9f5i1g5h9h5", "d5", []),
        ("a1e5b1f5c1g5d1h5", "a9", ["overlooked a win at e1", "left a four unanswered"]),
        ("a1e5b1f5c1g5d1h5", "e1", []),
    ],
)
def test_a_four_is_left_unanswered(moves: str, move: str, words: list[str]) -> None:
    game, state = after("gomoku9", moves)
    assert remarks(game, state, move) == words


@pytest.mark.parametrize("name", [it for it in games.names() if games.game(it).knowledge.remarks is not None])
def test_every_legal_move_can_get_remarks(name: str) -> None:
    game, rng = games.game(name), np.random.default_rng(1)
    state = game.start(1)
    for _ in range(12):
        if not game.legal(state).any():
            break
        action = int(game.pick(state, rng.random(1))[0])
        words = remarks(game, state, game.move_names[action])
        assert all(it and it[0].islower() and not it.endswith(".") for it in words)
        state = game.play(state, [action])
