"""Studies as text: what is written is read again, whatever the game, the position and the variations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randori import formats, games
from randori.core.game import Game
from randori.core.variations import Line, Variations
from randori.errors import UserError
from randori.formats import Position, Study, parse_study, parse_study_text, study_text, write_sgf_study

SOME = ("tictactoe", "connect4", "othello6", "othello8", "gomoku9", "hex5")


def moves_of(game: Game, *names: str) -> Line:
    return tuple(game.move_names.index(it) for it in names)


def random_study(game: Game, rng: np.random.Generator, start: Position | None = None) -> Study:
    """Random lines, each begun at a random place of what there is."""
    first = game.start(1) if start is None else start.state
    tree = Variations()
    for _ in range(4):
        line = ((), *tree.places())[rng.integers(len(tree) + 1)]
        state = first
        for action in line:
            state = game.play(state, [action])
        for _ in range(20):
            legal = game.legal(state)[0].nonzero()[0]
            if not len(legal):
                break
            action = int(rng.choice(legal))
            tree, line, state = tree.after(line, action), (*line, action), game.play(state, [action])
    return Study(start, tree)


def same(game: Game, one: Study, other: Study) -> bool:
    starts = [None if it.start is None else formats.position_text(game, *it.start) for it in (one, other)]
    return one.moves == other.moves and starts[0] == starts[1]


@pytest.mark.parametrize("name", SOME)
def test_text_is_read_as_it_was_written(name: str) -> None:
    game, rng = games.game(name), np.random.default_rng(7)
    for _ in range(8):
        study = random_study(game, rng)
        assert same(game, parse_study(game, study_text(game, study)), study)


@pytest.mark.parametrize("name", ["othello6", "othello8", "gomoku9", "hex5"])
def test_sgf_keeps_variations_and_the_position(name: str) -> None:
    game, rng = games.game(name), np.random.default_rng(8)
    line = game.play(game.start(1), [int(game.legal(game.start(1))[0].argmax())])
    for start in (None, Position(line, first_to_move=False)):
        for _ in range(4):
            study = random_study(game, rng, start)
            written = write_sgf_study(game, study)
            assert same(game, parse_study(game, written), study)
            if start is None:
                assert formats.parse_sgf(game, written)[0].actions == study.moves.end_of()


def test_a_bracket_holds_what_was_tried_instead() -> None:
    game = games.game("tictactoe")
    study = parse_study_text(game, "1. a1 b2 (c3 a3 (c1)) 2. a2")
    a1, b2, c3, a3, c1, a2 = moves_of(game, "a1", "b2", "c3", "a3", "c1", "a2")
    assert study.moves.end_of() == (a1, b2, a2)
    assert study.moves.at((a1,)) == (b2, c3)
    assert study.moves.at((a1, c3)) == (a3, c1)
    assert study_text(game, study) == "a1b2(c3a3(c1))a2"


def test_a_position_may_come_first() -> None:
    game = games.game("tictactoe")
    study = parse_study(game, "X-- -O- --X O  a3")
    assert study.start is not None
    assert not study.start.first_to_move
    assert study.moves.end_of() == moves_of(game, "a3")
    assert study_text(game, study) == "X---O---X O\na3"
    assert parse_study(game, "--------- X").start is None, "that is the usual one"


def test_ggf_is_read_along_its_one_line() -> None:
    game = games.game("othello8")
    record = formats.parse_pasted(game, "f5d6c3")
    study = parse_study(game, formats.write_ggf(game, [record]))
    assert study.start is None
    assert study.moves.end_of() == record.actions


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1(", "not closed"),
        ("a1)", "no opening bracket"),
        ("(;", "closing parenthesis is missing"),
        ("a1((b2))", "no move comes before it"),
        ("a1a1", "Move 2, 'a1', is not legal"),
        ("a1(z9)", "Move 2, 'z9', is not a move"),
        ("XXXOOO--- X", "no position of Tic-Tac-Toe"),
        ("XXXXXXXXX X", "no position of Tic-Tac-Toe"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_the_reason(text: str, message: str) -> None:
    game = games.game("tictactoe") if not text.startswith("(;") else games.game("othello6")
    with pytest.raises(UserError, match=message):
        parse_study(game, text)


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet="abcdef123456()[];BWGMXO- .", max_size=60), st.sampled_from(["tictactoe", "othello6", "connect4"])
)
def test_whatever_is_pasted_is_read_or_refused(text: str, name: str) -> None:
    game = games.game(name)
    for written in (text, f"(;GM[2]{text}", f"(;GM[Othello]{text};)"):
        try:
            study = parse_study(game, written)
        except UserError:
            continue
        assert same(game, parse_study(game, study_text(game, study)), study)


def test_a_study_is_not_endless() -> None:
    game = games.game("gomoku15")
    first = game.move_names[0]
    others = [it for it in game.move_names if it != first][:200]
    text = first + "".join(f"({it}{''.join(x for x in others[:5] if x != it)})" for it in others)
    with pytest.raises(UserError, match="at most 1000 moves"):
        parse_study(game, text)
