"""How a game ended, as the page puts it."""

from dataclasses import replace
from functools import reduce

from randori import games
from randori.app.page.in_words import pieces, standing
from randori.app.service.room import PERSON, Room
from randori.core.game_so_far import GameSoFar


def test_the_end_says_result_and_rating() -> None:
    start = Room("room", 1, GameSoFar(games.game("tictactoe")), (PERSON, "companion"))
    room = reduce(Room.after, (0, 1, 4, 2, 8), start)
    assert standing(room, "Companion") == "You won."
    assert standing(replace(room, ratings=(511.6, 528.4)), "Companion") == "You won. Your rating: 512 → 528."
    first = replace(room, ratings=(None, 528.4))
    assert standing(first, "Companion") == "You won. Your first rating in Tic-Tac-Toe: 528."
    assert first.until(2).ratings is None


def test_discs_are_counted_where_the_game_counts_them() -> None:
    game = games.game("othello8")
    room = Room("room", 1, GameSoFar(game), (PERSON, "companion")).after(game.move_names.index("f5"))
    assert (pieces(room, 0), pieces(room, 1)) == (4, 1)
    assert pieces(Room("room", 1, GameSoFar(games.game("hex5")), (PERSON, PERSON)), 0) is None
