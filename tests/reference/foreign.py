"""The rules of the games outside the package, plain enough to be checked by eye and written apart from them."""

from __future__ import annotations

from reference.rules import EMPTY, FIRST, SECOND, Board, Judge, Othello, Position, Square, painted

_ORTHOGONAL = ((0, 1), (0, -1), (1, 0), (-1, 0))


def at(board: Board, square: Square) -> int | None:
    """The colour on a square; None outside the board."""
    row, column = square
    return board[row][column] if 0 <= row < len(board) and 0 <= column < len(board[0]) else None


def neighbours(square: Square) -> list[Square]:
    return [(square[0] + down, square[1] + right) for down, right in _ORTHOGONAL]


def name(square: Square, size: int, from_bottom: bool = False) -> str:
    row, column = square
    return f"{'abcdefgh'[column]}{size - row if from_bottom else row + 1}"


class LastMover:
    """A game in which nobody draws, and who has no move, or has lost already, has lost."""

    def legal(self, position: Position) -> list[int]:
        raise NotImplementedError

    def cells(self, position: Position) -> Board:
        return position.board

    def result(self, position: Position) -> int | None:
        return None if self.legal(position) else -1

    def margin(self, position: Position) -> int:
        return self.result(position) or 0


class Snort(LastMover):
    """Put a stone on an empty square that touches no enemy stone."""

    def __init__(self, size: int) -> None:
        self.size = size

    def start(self) -> Position:
        return Position(((EMPTY,) * self.size,) * self.size, FIRST)

    def legal(self, position: Position) -> list[int]:
        board, side = position
        return [
            row * self.size + column
            for row in range(self.size)
            for column in range(self.size)
            if board[row][column] == EMPTY and all(at(board, it) != -side for it in neighbours((row, column)))
        ]

    def play(self, position: Position, action: int) -> Position:
        assert action in self.legal(position)
        return Position(painted(position.board, [divmod(action, self.size)], position.side), -position.side)


class Stepping(LastMover):
    """A game of steps. An action is known by its name, such as `a1b1`; `names` are those of the game on trial."""

    size: int
    from_bottom = False

    def __init__(self, names: tuple[str, ...]) -> None:
        self.numbers = {name: action for action, name in enumerate(names)}
        self.names = names

    def steps(self, position: Position) -> list[tuple[Square, Square]]:
        raise NotImplementedError

    def step_name(self, step: tuple[Square, Square]) -> str:
        return "".join(name(square, self.size, self.from_bottom) for square in step)

    def legal(self, position: Position) -> list[int]:
        return sorted(self.numbers[self.step_name(step)] for step in self.steps(position))

    def play(self, position: Position, action: int) -> Position:
        begin, end = next(it for it in self.steps(position) if self.step_name(it) == self.names[action])
        board = painted(painted(position.board, [begin], EMPTY), [end], position.side)
        return Position(board, -position.side)

    def squares(self) -> list[Square]:
        return [(row, column) for row in range(self.size) for column in range(self.size)]


class Clobber(Stepping):
    """Move a stone onto an enemy stone beside it, which is taken."""

    size = 5

    def start(self) -> Position:
        rows = [[FIRST if (row + column) % 2 == 0 else SECOND for column in range(5)] for row in range(5)]
        return Position(tuple(map(tuple, rows)), FIRST)

    def steps(self, position: Position) -> list[tuple[Square, Square]]:
        board, side = position
        own = [it for it in self.squares() if at(board, it) == side]
        return [(begin, end) for begin in own for end in neighbours(begin) if at(board, end) == -side]


class Breakthrough(Stepping):
    """One row forward: straight to an empty square, diagonally to an empty one or onto an enemy piece."""

    size, from_bottom = 5, True

    def start(self) -> Position:
        rows = [(SECOND,) * 5, (SECOND,) * 5, (EMPTY,) * 5, (FIRST,) * 5, (FIRST,) * 5]
        return Position(tuple(rows), FIRST)

    def steps(self, position: Position) -> list[tuple[Square, Square]]:
        board, side = position
        far_row = 4 if side == FIRST else 0  # where the other side wants to go
        if -side in board[far_row] or not any(side in row for row in board):
            return []
        found = []
        for row, column in self.squares():
            for right in (-1, 0, 1):
                end = (row - side, column + right)
                free = (EMPTY,) if right == 0 else (EMPTY, -side)
                if board[row][column] == side and at(board, end) in free:
                    found.append(((row, column), end))
        return found


class Reversi46:
    """Othello's rules in the middle of a larger board, whose other squares are a wall without discs."""

    pass_action = 24

    def __init__(self) -> None:
        self.wide = Othello(6)

    def start(self) -> Position:
        board = ((EMPTY,) * 6,) * 4
        second = painted(board, [(1, 2), (2, 3)], SECOND)
        return Position(painted(second, [(1, 3), (2, 2)], FIRST), FIRST)

    def turned(self, board: Board, side: int, square: Square) -> list[Square]:
        """A run that leaves the four rows meets an empty one, which turns nothing."""
        walled = ((EMPTY,) * 6, *board, (EMPTY,) * 6)
        return [(row - 1, column) for row, column in self.wide.turned(walled, side, (square[0] + 1, square[1]))]

    def placements(self, board: Board, side: int) -> list[int]:
        return [row * 6 + column for row in range(4) for column in range(6) if self.turned(board, side, (row, column))]

    def legal(self, position: Position) -> list[int]:
        own = self.placements(position.board, position.side)
        if own:
            return own
        return [self.pass_action] if self.placements(position.board, -position.side) else []

    def play(self, position: Position, action: int) -> Position:
        board, side = position
        if action == self.pass_action:
            return Position(board, -side)
        square = divmod(action, 6)
        return Position(painted(board, [square, *self.turned(board, side, square)], side), -side)

    def cells(self, position: Position) -> Board:
        return position.board

    def margin(self, position: Position) -> int:
        return position.side * sum(map(sum, position.board))

    def result(self, position: Position) -> int | None:
        if self.legal(position):
            return None
        margin = self.margin(position)
        return (margin > 0) - (margin < 0)


def judge(game: str, move_names: tuple[str, ...]) -> Judge:
    """The judge of a game of `tests/foreign`."""
    if game == "snort5":
        return Snort(5)
    if game == "reversi4x6":
        return Reversi46()
    return {"clobber5": Clobber, "breakthrough5": Breakthrough}[game](move_names)
