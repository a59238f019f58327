"""What can be said of a bad move where stones in a row win: wins that were overlooked, left open or opened."""

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States
from randori.games.rows.knowledge import rows_of

Cells = NDArray[np.int8]
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
_FIVE = 5
"""Where threes and fours have their names."""


def remarks(game: Game, state: States, action: int) -> list[str]:
    """All that is true of a move, in words to follow "it"."""
    before = game.cells(state)[0]
    square = game.layout.landing(action, before)
    if square is None:
        return []
    after = before.copy()
    after.flat[square] = 1
    mine = _wins(game, before, 1)
    if action in mine:
        return []
    phrases = [f"overlooked {_wins_at(game, mine)}"] if mine else []
    were_there, theirs = _wins(game, before, -1), _wins(game, after, -1)
    left = [it for it in theirs if it in were_there]
    if left and rows_of(game).length != _FIVE:
        phrases.append(f"left {_wins_at(game, left)} open")
    elif left and action not in were_there:
        phrases.append("left a four unanswered")
    if len(theirs) > len(left):  # a stone in a column is what the next one stands on
        phrases.append("opened a win above")
    if not mine and not theirs and _leaves_open_three(game, before, after):
        phrases.append("left an open three unanswered")
    return phrases


def _wins_at(game: Game, actions: list[int]) -> str:
    names = [game.move_names[it] for it in actions]
    return f"a win at {names[0]}" if len(names) == 1 else f"wins at {', '.join(names[:-1])} and {names[-1]}"


def _wins(game: Game, cells: Cells, side: int) -> list[int]:
    """The actions by which a side would win at once, were it to move."""
    length = rows_of(game).length
    landings = [(action, game.layout.landing(action, cells)) for action in range(game.n_actions)]
    free = [(action, square) for action, square in landings if square is not None and cells.flat[square] == 0]
    return [action for action, square in free if _longest(cells, square, side) >= length]


def _longest(cells: Cells, square: int, side: int) -> int:
    """The longest row that a stone of a side on a square is part of."""
    return max(sum(_arms(cells, square, side, direction)) + 1 for direction in _DIRECTIONS)


def _arms(cells: Cells, square: int, side: int, direction: tuple[int, int]) -> tuple[int, int]:
    """How many stones of a side follow a square without a gap, back and forth in a direction."""
    return _arm(cells, square, side, direction, -1), _arm(cells, square, side, direction, 1)


def _arm(cells: Cells, square: int, side: int, direction: tuple[int, int], sign: int) -> int:
    height, width = cells.shape
    (row, column), (down, right), length = divmod(square, width), direction, 0
    while True:
        row, column = row + sign * down, column + sign * right
        if not (0 <= row < height and 0 <= column < width and cells[row, column] == side):
            return length
        length += 1


def _leaves_open_three(game: Game, before: Cells, after: Cells) -> bool:
    """Whether the other side could make an open four already and still can, while the move threatens to win by none."""
    rows = rows_of(game)
    if rows.length != _FIVE or not rows.anywhere or _wins(game, after, 1):
        return False
    still = np.flatnonzero(after == 0)
    return any(_makes_open_four(before, it, -1) and _makes_open_four(after, it, -1) for it in map(int, still))


def _makes_open_four(cells: Cells, square: int, side: int) -> bool:
    """Whether a stone there makes four in a row that can become five at both ends."""
    for direction in _DIRECTIONS:
        back, forth = _arms(cells, square, side, direction)
        if back + forth + 1 == _FIVE - 1 and all(
            _is_empty(cells, square, direction, steps) for steps in (-back - 1, forth + 1)
        ):
            return True
    return False


def _is_empty(cells: Cells, square: int, direction: tuple[int, int], steps: int) -> bool:
    height, width = cells.shape
    row, column = divmod(square, width)
    row, column = row + steps * direction[0], column + steps * direction[1]
    return 0 <= row < height and 0 <= column < width and bool(cells[row, column] == 0)
