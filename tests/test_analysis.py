"""An analysis keeps variations beside the game, and its address holds all of it."""

from urllib.parse import parse_qs, urlsplit

import pytest

from randori import games
from randori.app.service.analysis import Analysis
from randori.app.service.refusals import Refusal
from randori.errors import UserError
from randori.formats import parse_study

GAME = games.game("tictactoe")


def analysis(moves: str) -> Analysis:
    study = parse_study(GAME, moves)
    return Analysis(GAME, study, study.moves.end_of())


def names(it: Analysis) -> list[str]:
    return [GAME.move_names[action] for action in it.line]


def test_another_move_is_a_variation_and_the_game_stays() -> None:
    back = analysis("a1b2c3").walked("ArrowLeft").walked("ArrowLeft")
    variation = back.played("c1").played("a3")
    assert names(variation) == ["a1", "c1", "a3"]
    assert names(variation.at(3)) == ["a1", "b2", "c3"]
    assert names(variation.at(5)) == ["a1", "c1", "a3"]
    assert variation.address() == "/analysis?game=tictactoe&moves=a1b2(c1a3)c3&at=5"
    assert names(back.played("b2")) == ["a1", "b2"], "an existing move is not a variation"


def test_keys_walk_along_lines_and_between_them() -> None:
    current = analysis("a1b2(c1a3)c3").at(5)
    assert names(current.walked("ArrowLeft")) == ["a1", "c1"]
    assert names(current.walked("ArrowLeft").walked("ArrowUp")) == ["a1", "b2"]
    assert names(current.walked("ArrowLeft").walked("ArrowUp").walked("End")) == ["a1", "b2", "c3"]
    assert names(current.walked("Home").walked("ArrowRight").walked("ArrowRight").walked("ArrowDown")) == ["a1", "c1"]
    assert names(current.walked("ArrowRight")) == ["a1", "c1", "a3"], "the line ends there"
    assert names(current.walked("x")) == names(current)


def test_a_variation_is_deleted_or_becomes_the_main_line() -> None:
    current = analysis("a1b2(c1a3)c3").at(4)
    assert not current.is_main
    assert current.with_main().address() == "/analysis?game=tictactoe&moves=a1c1(b2c3)a3&at=2"
    assert current.without().address() == "/analysis?game=tictactoe&moves=a1b2c3&at=1"
    with pytest.raises(Refusal, match="no move here"):
        current.at(0).without()


def test_an_address_is_read_back() -> None:
    current = analysis("X---O---X O a3(b1)").played("b3").at(3)
    query = parse_qs(urlsplit(current.address(room="abc")).query)
    again = Analysis(GAME, parse_study(GAME, query["moves"][0])).at(int(query["at"][0]))
    assert again.line == current.line
    assert again.moves == current.moves
    assert query["room"] == ["abc"]
    assert again.room(1).to_move == current.room(1).to_move == 0
    assert Analysis.of_game(GAME, [0, 4], 1).address() == "/analysis?game=tictactoe&moves=a1b2&at=1"


def test_the_list_has_variations_below_the_moves_that_they_replace() -> None:
    listing = analysis("a1b2(c1a3(b3)c3)c3").at(0).listed(("cross", "nought"))
    assert listing["moves"] == ["a1", "b2", "c3"]
    assert [(it["replaces"], it["depth"]) for it in listing["variations"]] == [(2, 1), (2, 2)]
    first, second = (it["moves"] for it in listing["variations"])
    assert [(it["number"], it["text"]) for it in first] == [(4, "1… c1"), (5, "2. a3"), (6, "c3")]
    assert second == [{"number": 7, "text": "2. b3", "label": "variation, 3, cross b3"}]


def test_moves_are_numbered_from_the_side_that_begins() -> None:
    listing = analysis("X--O----X O b2(c1)").listed(("cross", "nought"))
    assert listing["offset"] == 1
    assert listing["variations"][0]["moves"][0] == {"number": 2, "text": "1… c1", "label": "variation, 1, nought c1"}


def test_illegal_moves_and_positions_are_refused() -> None:
    with pytest.raises(Refusal, match="not legal"):
        analysis("a1").played("a1")
    with pytest.raises(UserError, match="no position"):
        analysis("XXXXXXXXX O")
