"""The rules of every game, plain enough to be checked by eye.

A board holds colours, never views: the side to move is named beside it, so a wrong sign cannot cancel out.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

FIRST, EMPTY, SECOND = 1, 0, -1

Board = tuple[tuple[int, ...], ...]  # rows from the top, squares from the left
Square = tuple[int, int]


class Position(NamedTuple):
    board: Board
    side: int  # FIRST or SECOND: whose turn it is


class Judge(Protocol):
    """What a referee knows. `result` and `margin` are for the side to move; `result` is None while the game lasts."""

    def start(self) -> Position: ...
    def legal(self, position: Position) -> list[int]: ...
    def play(self, position: Position, action: int) -> Position: ...
    def result(self, position: Position) -> int | None: ...
    def margin(self, position: Position) -> int: ...
    def cells(self, position: Position) -> Board: ...


def painted(board: Board, squares: list[Square], colour: int) -> Board:
    return tuple(
        tuple(colour if (row, column) in squares else old for column, old in enumerate(line))
        for row, line in enumerate(board)
    )


class InARow:
    """Put a stone on any empty square; `length` or more of one colour in a line win; a full board is a draw."""

    def __init__(self, height: int, width: int, length: int) -> None:
        self.height, self.width, self.length = height, width, length

    def start(self) -> Position:
        return Position(((EMPTY,) * self.width,) * self.height, FIRST)

    def cells(self, position: Position) -> Board:
        return position.board

    def placements(self, board: Board) -> dict[int, Square]:
        """The square that each action fills, whether or not the game is over."""
        return {
            row * self.width + column: (row, column)
            for row in range(self.height)
            for column in range(self.width)
            if board[row][column] == EMPTY
        }

    def legal(self, position: Position) -> list[int]:
        return [] if self.result(position) is not None else sorted(self.placements(position.board))

    def play(self, position: Position, action: int) -> Position:
        square = self.placements(position.board)[action]
        return Position(painted(position.board, [square], position.side), -position.side)

    def winner(self, board: Board) -> int:
        for row in range(self.height):
            for column in range(self.width):
                if board[row][column] == EMPTY:
                    continue
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    last_row, last_column = row + down * (self.length - 1), column + right * (self.length - 1)
                    if not (0 <= last_row < self.height and 0 <= last_column < self.width):
                        continue
                    if all(board[row + down * i][column + right * i] == board[row][column] for i in range(self.length)):
                        return board[row][column]
        return EMPTY

    def result(self, position: Position) -> int | None:
        winner = self.winner(position.board)
        if winner != EMPTY:
            return 1 if winner == position.side else -1
        return None if any(EMPTY in line for line in position.board) else 0

    def margin(self, position: Position) -> int:
        return self.result(position) or 0


class ConnectFour(InARow):
    """Stones fall to the lowest empty square of a column; the action is the column."""

    def __init__(self) -> None:
        super().__init__(height=6, width=7, length=4)

    def placements(self, board: Board) -> dict[int, Square]:
        return {
            column: (max(row for row in range(self.height) if board[row][column] == EMPTY), column)
            for column in range(self.width)
            if board[0][column] == EMPTY
        }


class Othello:
    """A disc must turn at least one; who cannot, passes (action size * size); it ends when neither can."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pass_action = size * size

    def start(self) -> Position:
        high, low = self.size // 2 - 1, self.size // 2
        empty = ((EMPTY,) * self.size,) * self.size
        falling = painted(empty, [(high, high), (low, low)], SECOND)
        return Position(painted(falling, [(high, low), (low, high)], FIRST), FIRST)

    def cells(self, position: Position) -> Board:
        return position.board

    def turned(self, board: Board, side: int, square: Square) -> list[Square]:
        """The discs that `side` turns by a disc on `square`; none where it may not be put."""
        if board[square[0]][square[1]] != EMPTY:
            return []
        turned: list[Square] = []
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if (down, right) == (0, 0):
                    continue
                between: list[Square] = []
                row, column = square[0] + down, square[1] + right
                while 0 <= row < self.size and 0 <= column < self.size and board[row][column] == -side:
                    between.append((row, column))
                    row, column = row + down, column + right
                if 0 <= row < self.size and 0 <= column < self.size and board[row][column] == side:
                    turned += between
        return turned

    def placements(self, board: Board, side: int) -> list[int]:
        return [
            row * self.size + column
            for row in range(self.size)
            for column in range(self.size)
            if self.turned(board, side, (row, column))
        ]

    def legal(self, position: Position) -> list[int]:
        own = self.placements(position.board, position.side)
        if own:
            return own
        return [self.pass_action] if self.placements(position.board, -position.side) else []

    def play(self, position: Position, action: int) -> Position:
        board, side = position
        if action == self.pass_action:
            return Position(board, -side)
        square = divmod(action, self.size)
        turned = self.turned(board, side, square)
        assert turned, f"{action} turns no disc"
        return Position(painted(board, [square, *turned], side), -side)

    def margin(self, position: Position) -> int:
        return position.side * sum(sum(line) for line in position.board)

    def result(self, position: Position) -> int | None:
        if self.legal(position):
            return None
        margin = self.margin(position)
        return (margin > 0) - (margin < 0)


class Hex:
    """Put a stone on any empty cell; the first side connects the top with the bottom, the second left with right."""

    def __init__(self, size: int) -> None:
        self.size = size

    def start(self) -> Position:
        return Position(((EMPTY,) * self.size,) * self.size, FIRST)

    def cells(self, position: Position) -> Board:
        return position.board

    def connects(self, board: Board, side: int) -> bool:
        """Whether a flood from the side's first edge, over its stones alone, reaches the edge opposite."""
        stones = {(r, c) for r, line in enumerate(board) for c, stone in enumerate(line) if stone == side}
        way = 0 if side == FIRST else 1
        flood = [square for square in stones if square[way] == 0]
        while flood:
            row, column = flood.pop()
            if (row, column)[way] == self.size - 1:
                return True
            stones.discard((row, column))
            beside = {(row, column - 1), (row, column + 1)}
            # Each row begins half a cell further right, so a cell lies between two of the row below: left and own.
            below, above = {(row + 1, column - 1), (row + 1, column)}, {(row - 1, column), (row - 1, column + 1)}
            flood += stones & (beside | below | above)
        return False

    def legal(self, position: Position) -> list[int]:
        if self.result(position) is not None:
            return []
        return [
            row * self.size + column
            for row, line in enumerate(position.board)
            for column, stone in enumerate(line)
            if stone == EMPTY
        ]

    def play(self, position: Position, action: int) -> Position:
        return Position(painted(position.board, [divmod(action, self.size)], position.side), -position.side)

    def result(self, position: Position) -> int | None:
        winner = next((side for side in (FIRST, SECOND) if self.connects(position.board, side)), EMPTY)
        return None if winner == EMPTY else 1 if winner == position.side else -1

    def margin(self, position: Position) -> int:
        return self.result(position) or 0


JUDGES: dict[str, Judge] = {
    "tictactoe": InARow(3, 3, 3),
    "connect4": ConnectFour(),
    **{f"othello{size}": Othello(size) for size in (4, 6, 8)},
    **{f"gomoku{size}": InARow(size, size, 5) for size in (9, 13, 15, 19, 20)},
    **{f"hex{size}": Hex(size) for size in (5, 7, 9, 11)},
}
