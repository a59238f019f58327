"""Which games comparison training is for."""

from randori.core.game import Game
from randori.errors import UserError


def refusal(game: Game) -> str | None:
    """Why a game is not of this kind; None where it is."""
    rows = game.knowledge.rows
    if rows is not None and rows.anywhere:
        return None
    return "its network looks for stones in a row on a square board where a stone may go anywhere"


def check_game(game: Game) -> int:
    """How many stones in a row win. Raises UserError where the game is of another kind."""
    reason, rows = refusal(game), game.knowledge.rows
    if reason is not None or rows is None:
        raise UserError(f"{game.title} is not for this player: {reason}; choose Tic-Tac-Toe or Gomoku.")
    return rows.length
