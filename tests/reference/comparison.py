"""Freisleben's network and threats, slowly and in plain Python: written from the paper, for tests to compare with."""

from __future__ import annotations

from itertools import product

Square = tuple[int, int]
Board = dict[Square, int]
"""Stones of the side in question 1, the other's -1, empty squares 0; squares that are missing are off the board."""

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


def code(board: Board, square: Square, side: int) -> float:
    if square not in board or board[square] == -side:
        return 0.0
    return 1.0 if board[square] == side else 0.25


def chains_of(window: set[Square], k: int) -> set[frozenset[Square]]:
    """All chains of k squares within a set of squares."""
    found = set()
    for (r, c), (down, right) in product(window, LINES):
        chain = frozenset((r + i * down, c + i * right) for i in range(k))
        if chain <= window:
            found.add(chain)
    return found


def star_chains(k: int) -> set[frozenset[Square]]:
    """The chains through the square."""
    squares = {(r, c) for r in range(1 - k, k) for c in range(1 - k, k)}
    return {chain for chain in chains_of(squares, k) if (0, 0) in chain}


def turned(square: Square, symmetry: int) -> Square:
    """A square under one of the eight symmetries of the board."""
    r, c = square
    if symmetry >= 4:
        r, c = r, -c
    for _ in range(symmetry % 4):
        r, c = c, -r
    return r, c


def chain_activation(board: Board, chain: frozenset[Square], at: Square, side: int) -> float:
    """The product of the chain's squares around `at`, which is no input itself."""
    activation = 1.0
    for r, c in chain:
        if (r, c) != (0, 0):
            activation *= code(board, (at[0] + r, at[1] + c), side)
    return activation


def output(
    board: Board,
    at: Square,
    k: int,
    units: list[tuple[frozenset[Square], ...]],
    factors: list[float],
    weights: list[list[float]],
    balance: list[float],
) -> float:
    """The network's output for one empty square, seen by side 1."""
    total = 0.0
    for role, side in enumerate((1, -1)):
        view = sum(chain_activation(board, chain, at, side) for chain in star_chains(k))
        for unit, factor, weight in zip(units, factors, weights[role], strict=True):
            activation = factor
            for chain in unit:
                activation *= chain_activation(board, chain, at, side)
            view += weight * activation
        total += balance[role] * view
    return total


def makes_row(board: Board, at: Square, side: int, k: int) -> bool:
    """Whether a stone at an empty square completes k in a row."""
    for down, right in LINES:
        run = 1
        for sign in (1, -1):
            r, c = at[0] + sign * down, at[1] + sign * right
            while board.get((r, c)) == side:
                run, r, c = run + 1, r + sign * down, c + sign * right
        if run >= k:
            return True
    return False


def winning_squares(board: Board, side: int, k: int) -> list[Square]:
    return [square for square, stone in board.items() if stone == 0 and makes_row(board, square, side, k)]


def wins_against_everything(board: Board, side: int, k: int, first: Square, depth: int) -> bool:
    """Whether `first`, and then some stones that make rows or threaten to, win against every reply whatever it is.

    Only stones with an immediate threat are tried after the first, to a depth of so many of them.
    """
    if makes_row(board, first, side, k):
        return True
    if depth == 0:
        return False
    after = {**board, first: side}
    if winning_squares(after, -side, k):
        return False
    for reply in [square for square, stone in after.items() if stone == 0]:
        answered = {**after, reply: -side}
        if not has_win(answered, side, k, depth - 1):
            return False
    return True


def has_win(board: Board, side: int, k: int, depth: int) -> bool:
    """Whether a side to move wins at once or by stones that each threaten to."""
    if winning_squares(board, side, k):
        return True
    must = winning_squares(board, -side, k)
    if len(must) > 1 or depth == 0:
        return False
    threats = [
        square for square, stone in board.items() if stone == 0 and winning_squares({**board, square: side}, side, k)
    ]
    tried = [square for square in threats if not must or square in must]
    return any(wins_against_everything(board, side, k, square, depth) for square in tried)
