"""What players of stones in a row share: which games they play, and how they choose by scores."""

import numpy as np

from randori.errors import UserError
from randori.game import Actions, Floats, Game
from randori.threats import has_threats


def refusal(game: Game) -> str | None:
    """Why a game is not of this kind; None where it is."""
    if has_threats(game):
        return None
    return "its network looks for stones in a row on a square board where a stone may go anywhere"


def check_game(game: Game) -> int:
    """How many stones in a row win. Raises UserError where the game is of another kind."""
    reason = refusal(game)
    if reason is not None or game.in_a_row is None:
        raise UserError(f"{game.title} is not for this player: {reason}; choose Tic-Tac-Toe or Gomoku.")
    return game.in_a_row


def pick_highest(scores: Floats, rng: np.random.Generator) -> Actions:
    """The action with the highest of `scores[b, a]`; equals are drawn by lot."""
    best = scores == scores.max(axis=1, keepdims=True)
    return np.argmax(best * (rng.random(best.shape) + 1e-9), axis=1).astype(np.int16)
