"""What the page's board receives: enough to show a person's move before the server has made it."""

from typing import Any

import numpy as np
import pytest

from randori import games
from randori.app.page.board import view_of
from randori.app.page.how_to import example
from randori.app.page.opponents import levels
from randori.app.service.menu import Entry, Strength, offered
from randori.app.service.room import PERSON, Room
from randori.core.game_so_far import GameSoFar
from randori.core.layout import Columns


def painted(view: dict[str, Any], move: str, square: int) -> list[list[int]]:
    """The cells as the browser paints them after a click on a square."""
    cells = [list(row) for row in view["cells"]]
    for place, side in view["changes"].get(move, [(square, view["ply"] % 2 + 1)]):
        cells[place // view["columns"]][place % view["columns"]] = side
    return cells


@pytest.mark.parametrize("name", offered())
def test_a_move_is_painted_as_the_rules_make_it(name: str) -> None:
    game, rng = games.game(name), np.random.default_rng(1)
    room = Room("room", 1, GameSoFar(game), (PERSON, PERSON))
    n_compared = 0
    while not room.is_over and room.ply < 24:
        view = view_of(room)
        for action in room.board.legal.nonzero()[0][:6]:
            move, after = game.move_names[action], view_of(room.after(int(action)))
            clicks = [
                it for it in range(game.n_squares) if view["moves"][it // game.shape[1]][it % game.shape[1]] == move
            ]
            for click in clicks:
                assert painted(view, move, click) == after["cells"]
                first = view["changes"].get(move, [(click, 0)])[0][0]
                assert [divmod(first, game.shape[1])] == after["last"]
                n_compared += 1
        room = room.after(int(rng.choice(room.board.legal.nonzero()[0])))
    assert n_compared > 5


def test_no_changes_are_sent_where_the_click_is_the_whole_change() -> None:
    """A view of a large board is sent with every move."""
    for name in offered():
        game = games.game(name)
        if game.knowledge.places and not isinstance(game.layout, Columns):
            assert view_of(Room("room", 1, GameSoFar(game), (PERSON, PERSON)))["changes"] == {}


@pytest.mark.parametrize("name", offered())
def test_the_picture_beside_the_rules_matches_its_caption(name: str) -> None:
    game = games.game(name)
    rules = game.knowledge.how_to_play
    assert rules is not None
    view = example(game)
    assert view["ply"] == len(rules.example) > 0
    n_legal = sum(move is not None for row in view["moves"] for move in row)
    assert ("wins" in rules.caption) == bool(view["line"]) == (n_legal == 0)


def entry(spec: str, elo: float | None, family: str = "search") -> Entry:
    return Entry(spec, spec, "", family, None if elo is None else Strength(elo, elo, elo))


def test_levels_are_few_and_rise() -> None:
    entries = [entry("random", 0.0, "chance"), entry("new", None), *(entry(f"at{elo}", float(elo)) for elo in range(9))]
    found = levels({it.spec: it for it in entries})
    assert [it.spec for it in found.values()] == ["at0", "at2", "at4", "at6", "at8"]
    assert list(found) == ["Beginner", "Easy", "Medium", "Hard", "Strongest"]
    two = levels({it.spec: it for it in (entry("weak", 100.0), entry("strong", 900.0))})
    assert [(level, it.spec) for level, it in two.items()] == [("Medium", "weak"), ("Strongest", "strong")]
    assert levels({"new": entry("new", None)}) == {}
