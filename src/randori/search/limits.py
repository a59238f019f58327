"""Limits that a search accepts; anything else is refused with a sentence that says what is possible."""

import math

from randori.core.game import ONGOING, Game, States
from randori.errors import UserError
from randori.kernels import trees

MEMORY_LIMIT = 2 * 1024**3
_MOST_A_SECOND = 2_000_000  # simulations, in the smallest games


def memory(game: Game, simulations: int) -> int:
    """Bytes that one tree of so many simulations takes at most, with what a forest keeps beside it."""
    expanded = simulations + 1
    beside = 4 * (1 + 4) * expanded  # the place in the queue, and up to four slots of the table of known positions
    return trees.n_bytes(expanded, expanded * game.n_actions, game.words) + beside


def simulations_within(game: Game, seconds: float, n_trees: int = 1) -> int:
    """More simulations than fit into this time, as far as memory has room for them."""
    room = MEMORY_LIMIT // (n_trees * memory(game, 1))
    return max(1, min(room, 1000 + int(_MOST_A_SECOND * seconds)))


def check_simulations(game: Game, simulations: int, needed: int) -> None:
    """Refuses too few simulations, and more than memory has room for; `needed` are the bytes of the tree."""
    if simulations < 1:
        raise UserError(f"A search needs at least one simulation, not {simulations}.")
    if needed > MEMORY_LIMIT:
        fit = int(simulations * (MEMORY_LIMIT / needed))
        rounded = fit - fit % 10 ** (len(str(fit)) - 2)
        raise UserError(
            f"{simulations} simulations of {game.title} could take {needed / 1024**3:.1f} GB; "
            f"ask for {rounded} or fewer, which fit into {MEMORY_LIMIT // 1024**3}."
        )


def check_depth(game: Game, depth: int, least: int = 1) -> None:
    """Refuses to look ahead further than games last."""
    if not least <= depth <= game.max_plies:
        raise UserError(f"The depth must be {least} to {game.max_plies} plies in {game.title}, not {depth}.")


def check_factor(name: str, value: float) -> None:
    if not 0 <= value < math.inf:
        raise UserError(f"The option {name} must be 0 or more, not {value}.")


def check_seconds(seconds: float | None) -> None:
    """Refuses what is not a time for a move; None is no limit."""
    if seconds is not None and not 0 < seconds < 1e6:
        raise UserError(f"The seconds for a move must be a positive number, not {seconds:g}.")


def check_ongoing(game: Game, states: States) -> None:
    """Refuses positions where the game is over."""
    over = game.outcome(states) != ONGOING
    if over.any():
        raise ValueError(f"Row {over.argmax()} is a finished game of {game.title}: there is nothing to choose.")
