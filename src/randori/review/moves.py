"""Reviews a game that is given in any notation that people use."""

from collections.abc import Sequence

from randori import games
from randori.core.game import Game
from randori.formats import parse_pasted
from randori.review.course import Review, review

__all__ = ["review_moves"]


def review_moves(moves: str | Sequence[int], game: Game | str) -> Review:
    """What every move of a game cost, beside the best one; `moves` are a transcript, SGF, GGF, or actions.

    >>> import randori
    >>> found = randori.review("a1b1a2b2a3", "tictactoe")
    >>> found.complete, len(found.moves), found.accuracy(1).overall < 1
    (True, 5, True)
    """
    rules = games.game(game) if isinstance(game, str) else game
    return review(rules, parse_pasted(rules, moves).actions if isinstance(moves, str) else moves)
