"""What the page's board is told: enough to show a person's move before the server has made it."""

from typing import Any

import numpy as np
import pytest

from randori import games
from randori.app.page.board import view_of
from randori.app.service.menu import offered
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
    while not room.is_over and room.ply < 40:
        view = view_of(room)
        for action in room.board.legal.nonzero()[0][:12]:
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


def test_where_a_click_is_the_whole_change_nothing_is_sent() -> None:
    """A view of a large board is sent with every move."""
    for name in offered():
        game = games.game(name)
        if game.knowledge.places and not isinstance(game.layout, Columns):
            assert view_of(Room("room", 1, GameSoFar(game), (PERSON, PERSON)))["changes"] == {}
