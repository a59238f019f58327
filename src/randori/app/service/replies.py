"""Replies of a player to everybody who waits for one: chosen in one batch, kept in one transaction."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.exc import IntegrityError

from randori.app.service.store import KeptMove, Store
from randori.app.service.thinking import choose_all
from randori.core.game_so_far import GameSoFar
from randori.players import Player


class Turn(NamedTuple):
    """A game that waits for a reply."""

    id: str
    board: GameSoFar
    n_unkept: int
    """How many of the board's last moves are to be kept together with the reply."""

    def moves(self, reply: int) -> list[KeptMove]:
        """What is to be kept."""
        played = [*self.board.history, reply]
        first = len(played) - 1 - self.n_unkept
        return [KeptMove(self.id, ply, played[ply]) for ply in range(first, len(played))]


def reply_to_all(store: Store, player: Player, turns: Sequence[Turn]) -> list[int | Exception]:
    """The replies, kept; in place of one that could not be kept, why."""
    replies = choose_all(player, [turn.board for turn in turns])
    moves = [turn.moves(reply) for turn, reply in zip(turns, replies, strict=True)]
    try:
        store.add_moves([move for of_one_game in moves for move in of_one_game])
    except IntegrityError:
        # Somebody's game has gone on elsewhere; the others shall not suffer from it.
        problems = [_problem_of_keeping(store, of_one_game) for of_one_game in moves]
        return [problem or reply for problem, reply in zip(problems, replies, strict=True)]
    return list(replies)


def _problem_of_keeping(store: Store, moves: list[KeptMove]) -> Exception | None:
    try:
        store.add_moves(moves)
    except IntegrityError as error:
        return error
    return None
