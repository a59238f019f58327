"""An analysis: what is tried is kept beside the game, and an address holds all of it."""

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
    tried = back.played("c1").played("a3")
    assert names(tried) == ["a1", "c1", "a3"]
    assert names(tried.at(3)) == ["a1", "b2", "c3"]
    assert names(tried.at(5)) == ["a1", "c1", "a3"]
    assert tried.address() == "/analysis?game=tictactoe&moves=a1b2(c1a3)c3&at=5"
    assert names(back.played("b2")) == ["a1", "b2"], "a move that is there is no other"


def test_keys_walk_along_lines_and_between_them() -> None:
    it = analysis("a1b2(c1a3)c3").at(5)
    assert names(it.walked("ArrowLeft")) == ["a1", "c1"]
    assert names(it.walked("ArrowLeft").walked("ArrowUp")) == ["a1", "b2"]
    assert names(it.walked("ArrowLeft").walked("ArrowUp").walked("End")) == ["a1", "b2", "c3"]
    assert names(it.walked("Home").walked("ArrowRight").walked("ArrowRight").walked("ArrowDown")) == ["a1", "c1"]
    assert names(it.walked("ArrowRight")) == ["a1", "c1", "a3"], "there is nothing further on"
    assert names(it.walked("x")) == names(it)


def test_a_variation_is_deleted_or_becomes_the_main_line() -> None:
    it = analysis("a1b2(c1a3)c3").at(4)
    assert not it.is_main
    assert it.with_main().address() == "/analysis?game=tictactoe&moves=a1c1(b2c3)a3&at=2"
    assert it.without().address() == "/analysis?game=tictactoe&moves=a1b2c3&at=1"
    with pytest.raises(Refusal, match="no move here"):
        it.at(0).without()


def test_an_address_is_read_back() -> None:
    it = analysis("X---O---X O a3(b1)").played("b3").at(3)
    asked = parse_qs(urlsplit(it.address(room="abc")).query)
    again = Analysis(GAME, parse_study(GAME, asked["moves"][0])).at(int(asked["at"][0]))
    assert again.line == it.line
    assert again.moves == it.moves
    assert asked["room"] == ["abc"]
    assert again.room(1).to_move == it.room(1).to_move == 0
    assert Analysis.of_game(GAME, [0, 4], 1).address() == "/analysis?game=tictactoe&moves=a1b2&at=1"


def test_the_list_has_variations_below_the_moves_that_they_replace() -> None:
    listed = analysis("a1b2(c1a3(b3)c3)c3").at(0).listed(("cross", "nought"))
    assert listed["moves"] == ["a1", "b2", "c3"]
    assert [(it["replaces"], it["depth"]) for it in listed["variations"]] == [(2, 1), (2, 2)]
    first, second = (it["moves"] for it in listed["variations"])
    assert [(it["number"], it["text"]) for it in first] == [(4, "1… c1"), (5, "2. a3"), (6, "c3")]
    assert second == [{"number": 7, "text": "2. b3", "told": "variation, 3, cross b3"}]


def test_where_the_other_side_begins_moves_are_counted_so() -> None:
    listed = analysis("X--O----X O b2(c1)").listed(("cross", "nought"))
    assert listed["offset"] == 1
    assert listed["variations"][0]["moves"][0] == {"number": 2, "text": "1… c1", "told": "variation, 1, nought c1"}


def test_what_is_not_legal_is_refused() -> None:
    with pytest.raises(Refusal, match="not legal"):
        analysis("a1").played("a1")
    with pytest.raises(UserError, match="no position"):
        analysis("XXXXXXXXX O")
