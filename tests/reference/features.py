"""Features of a position by their meaning, counted on a plain board; a judge of the compiled ones."""

from __future__ import annotations

import re

from reference.rules import EMPTY, FIRST, JUDGES, SECOND, ConnectFour, Hex, InARow, Othello, Position, Square

AROUND = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def feature(game: str, name: str, position: Position) -> float:
    """The value of one feature for the side to move."""
    judge = JUDGES[game]
    if isinstance(judge, Othello):
        return of_othello(judge, name, position)
    if isinstance(judge, Hex):
        return of_any_board(judge, name, position)
    assert isinstance(judge, InARow)
    return of_lines(judge, name, position)


def stones(position: Position, squares: list[Square]) -> tuple[int, int]:
    """Mine and theirs on these squares."""
    held = [position.board[row][column] for row, column in squares]
    return held.count(position.side), held.count(-position.side)


def everywhere(position: Position) -> list[Square]:
    return [(row, column) for row in range(len(position.board)) for column in range(len(position.board[0]))]


def images(square: Square, size: int) -> list[Square]:
    """Where the eight symmetries of a square board carry a square."""
    row, column = square
    turned = set()
    for r, c in ((row, column), (column, row)):
        turned |= {(r, c), (size - 1 - r, c), (r, size - 1 - c), (size - 1 - r, size - 1 - c)}
    return sorted(turned)


def made(name: str, position: Position, values: dict[str, float]) -> float:
    """A feature that mutation made, on a square board with rows counted from the top; `values` are the game's own."""
    if "*" in name:
        first, second = name.split("*")
        return values[first] * values[second]
    kind, words = name.split(":")
    size = len(position.board)
    squares = [(int(it[1:]) - 1, ord(it[0]) - ord("a")) for it in words.split("+")]
    if kind == "region":
        mine, theirs = stones(position, sorted({it for square in squares for it in images(square, size)}))
        return (mine - theirs) / (mine + theirs) if mine + theirs else 0.0
    places = set()
    for flip in (False, True):
        shape = [(c, r) for r, c in squares] if flip else squares
        for _ in range(4):
            shape = [(c, size - 1 - r) for r, c in shape]
            places.add(frozenset(shape))
    held = [stones(position, sorted(place)) for place in places]
    return sum((mine == len(squares)) - (theirs == len(squares)) for mine, theirs in held) / len(places)


def of_othello(judge: Othello, name: str, position: Position) -> float:
    size, board = judge.size, position.board
    kind, _, which = name.partition("_")
    side = -position.side if name.endswith("theirs") else position.side
    if kind in ("ratio", "share"):
        squares = images((int(which[1:]) - 1, ord(which[0]) - ord("a")), size)
        mine, theirs = stones(position, squares)
        if kind == "share":
            return (mine - theirs) / len(squares)
        return (mine - theirs) / (mine + theirs) if mine + theirs else 0.0
    if name == "difference":
        return judge.margin(position) / size**2
    if name == "phase":
        return sum(stones(position, everywhere(position))) / size**2
    if kind == "moves":
        return len(judge.legal(Position(board, side))) / (size**2 // 2)
    corners = [(0, 0), (0, size - 1), (size - 1, 0), (size - 1, size - 1)]
    if kind == "corner":
        return sum(bool(judge.turned(board, side, corner)) for corner in corners) / 4
    own = [square for square in everywhere(position) if board[square[0]][square[1]] == side]
    if kind == "border":
        return sum(any(at(board, r + down, c + right) == EMPTY for down, right in AROUND) for r, c in own) / size**2
    assert kind == "anchored", name
    return len({square for square in own if is_anchored(board, square)}) / (4 * size - 4)


def of_any_board(judge: Hex, name: str, position: Position) -> float:
    """Those of a game that has none of its own; squares are alike that the half turn carries into each other."""
    squares, full = everywhere(position), judge.size**2
    kind, _, which = name.partition("_")
    if kind in ("ratio", "share"):
        last = judge.size - 1
        if which.startswith("ring"):
            alike = [(r, c) for r, c in squares if min(r, c, last - r, last - c) == int(which[4:]) - 1]
        else:
            row, column = int(which[1:]) - 1, ord(which[0]) - ord("a")
            alike = sorted({(row, column), (last - row, last - column)})
        mine, theirs = stones(position, alike)
        if kind == "share":
            return (mine - theirs) / len(alike)
        return (mine - theirs) / (mine + theirs) if mine + theirs else 0.0
    mine, theirs = stones(position, squares)
    if name == "difference":
        return (mine - theirs) / full
    if name == "phase":
        return (mine + theirs) / full
    side = -position.side if which == "theirs" else position.side
    if kind == "moves":
        if side != position.side:
            # The board with its colours exchanged; with more stones than the other, a side is never to move.
            if mine != theirs:
                return 0.0
            colours = {position.side: SECOND, -position.side: FIRST, EMPTY: EMPTY}
            position = Position(tuple(tuple(colours[stone] for stone in line) for line in position.board), FIRST)
        return len(judge.legal(position)) / (full / 2)
    assert kind == "border", name
    own = [(r, c) for r, c in squares if position.board[r][c] == side]
    return sum(any(at(position.board, r + down, c + right) == EMPTY for down, right in AROUND) for r, c in own) / full


def at(board: tuple[tuple[int, ...], ...], row: int, column: int) -> int | None:
    inside = 0 <= row < len(board) and 0 <= column < len(board[0])
    return board[row][column] if inside else None


def is_anchored(board: tuple[tuple[int, ...], ...], square: Square) -> bool:
    """Whether all squares from here to one end of an edge that it lies on have its colour."""
    row, column = square
    last_row, last_column = len(board) - 1, len(board[0]) - 1
    colour = board[row][column]
    paths = []
    if row in (0, last_row):
        paths += [board[row][: column + 1], board[row][column:]]
    if column in (0, last_column):
        edge = tuple(line[column] for line in board)
        paths += [edge[: row + 1], edge[row:]]
    return any(all(stone == colour for stone in path) for path in paths)


def of_lines(judge: InARow, name: str, position: Position) -> float:
    if name in ("corners", "edges", "centre"):
        squares = region(judge, name)
        mine, theirs = stones(position, squares)
        return (mine - theirs) / len(squares)
    if name == "phase":
        return sum(stones(position, everywhere(position))) / (judge.height * judge.width)
    side = -position.side if name.endswith("theirs") else position.side
    found = re.match(r"lines(\d+)_", name)
    if found:
        wanted = int(found[1])
        n = sum(count == wanted for count, _ in open_lines(judge, position, side))
        return n / (n + 2 ** (judge.length - 1 - wanted))
    assert isinstance(judge, ConnectFour)
    holes = [empty[0] for count, empty in open_lines(judge, position, side) if count == judge.length - 1]
    if name.startswith("threats"):
        reachable = set(judge.placements(position.board).values())
        n = sum(hole in reachable for hole in holes)
    else:
        n = sum((judge.height - row) % 2 == 1 for row, _ in holes)
    return n / (n + 1)


def region(judge: InARow, name: str) -> list[Square]:
    if judge.length == 3:
        return {
            "corners": [(0, 0), (0, 2), (2, 0), (2, 2)],
            "edges": [(0, 1), (1, 0), (1, 2), (2, 1)],
            "centre": [(1, 1)],
        }[name]
    if isinstance(judge, ConnectFour):
        return [(row, column) for row in range(6) for column in (2, 3, 4)]
    middle = [i for i in range(judge.height) if abs(2 * i - judge.height + 1) * 3 <= judge.height]
    return [(row, column) for row in middle for column in middle]


def open_lines(judge: InARow, position: Position, side: int) -> list[tuple[int, list[Square]]]:
    """For each line without a stone of the other side: how many stones it has, and its empty squares."""
    found = []
    for row, column in everywhere(position):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            squares = [(row + i * down, column + i * right) for i in range(judge.length)]
            held = [at(position.board, *square) for square in squares]
            if None not in held and -side not in held:
                found.append(
                    (held.count(side), [it for it, stone in zip(squares, held, strict=True) if stone == EMPTY])
                )
    return found
