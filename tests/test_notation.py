"""Move names, transcripts and boards of letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import randori
from randori.arena import play_games
from randori.core.notation import board_text, parse_transcript, transcript
from randori.core.replay import last_position
from randori.games import names


def test_names_follow_the_customs_of_each_game() -> None:
    assert randori.game("othello8").move_names[37] == "f5"
    assert randori.game("othello8").move_names[64] == "pass"
    assert randori.game("connect4").move_names == ("1", "2", "3", "4", "5", "6", "7")
    # Gomoku players count rows from the bottom.
    assert randori.game("gomoku15").move_names[0] == "a15"
    assert randori.game("gomoku15").move_names[112] == "h8"
    assert randori.game("tictactoe").move_names[4] == "b2"


@pytest.mark.parametrize("name", names())
@given(seed=st.integers(0, 2**32))
def test_a_transcript_read_back_is_the_game(name: str, seed: int) -> None:
    game = randori.game(name)
    rng = np.random.default_rng(seed)
    anyone = randori.player("random", game)
    games = play_games(game, anyone, anyone, np.empty((3, 0), np.int16), rng)
    for actions in games.actions:
        text = transcript(game, actions)
        assert "pass" not in text
        np.testing.assert_array_equal(parse_transcript(game, text), actions[actions >= 0])


def test_spellings_that_people_use() -> None:
    othello, connect4 = randori.game("othello8"), randori.game("connect4")
    expected = parse_transcript(othello, "f5d6c3")
    for text in ("F5D6C3", "f5 d6 c3", "1. f5 d6 2. c3"):
        np.testing.assert_array_equal(parse_transcript(othello, text), expected)
    np.testing.assert_array_equal(parse_transcript(connect4, "4 4 5 3"), [3, 3, 4, 2])
    assert len(parse_transcript(connect4, "")) == 0


@pytest.mark.parametrize("written", ["pass", "pa", "PS", "--", ""])
def test_a_forced_pass_may_be_written_or_left_out(written: str) -> None:
    """In a random game that has a pass."""
    game = randori.game("othello4")
    anyone = randori.player("random", game)
    games = play_games(game, anyone, anyone, np.empty((50, 0), np.int16), np.random.default_rng(1))
    row = int(np.argmax((games.actions == 16).any(axis=1)))
    actions = games.actions[row][games.actions[row] >= 0]
    text = " ".join(written if action == 16 else game.move_names[action] for action in actions)
    np.testing.assert_array_equal(parse_transcript(game, text), actions)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("othello8", "f5f5", "Move 2, 'f5', is not legal there"),
        ("othello8", "f5z9", "Move 2, 'z9', is not a move"),
        ("connect4", "448", "Move 3, '8', is not a move"),
        ("connect4", "1212121" + "2", "Move 8, '2', comes after the game is over"),
        ("tictactoe", "b2!", "Move 2, '!', is not a move"),
        ("gomoku15", "h8pass", "Move 2, 'pass', is not a move"),
    ],
)
def test_a_wrong_move_is_named(name: str, text: str, sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        parse_transcript(randori.game(name), text)


def test_boards_show_who_began_as_x() -> None:
    othello = randori.game("othello4")
    assert board_text(othello, othello.start(1)[0], 0).splitlines()[2] == " 2 . O X ."
    connect4 = randori.game("connect4")
    state = last_position(connect4, parse_transcript(connect4, "443"))
    lines = board_text(connect4, state[0], 3).splitlines()
    assert lines[0] == "   1 2 3 4 5 6 7"
    assert lines[-2:] == ["   . . . O . . .", "   . . X X . . ."]
