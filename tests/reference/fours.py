"""Wins by fours alone, the plain way: every window of five squares is looked at anew in every position."""

from functools import cache

Cells = dict[int, int]
"""Stones by square: 1 of the side that attacks, -1 of the other."""


@cache
def windows(size: int) -> tuple[tuple[int, ...], ...]:
    found = []
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + i * down, column + i * right) for i in range(5)]
                if all(0 <= r < size and 0 <= c < size for r, c in line):
                    found.append(tuple(r * size + c for r, c in line))
    return tuple(found)


def completions(cells: Cells, size: int, side: int, stones: int) -> set[int]:
    """Empty squares of windows that have so many stones of a side and none of the other."""
    found: set[int] = set()
    for window in windows(size):
        held = [cells.get(square, 0) for square in window]
        if held.count(side) == stones and held.count(-side) == 0:
            found |= {square for square, stone in zip(window, held, strict=True) if stone == 0}
    return found


def first_fours(cells: Cells, size: int, most: int) -> set[int]:
    """The first moves of wins by up to `most` fours, each of which leaves one reply."""
    fives = completions(cells, size, 1, 4)
    if fives:
        return fives
    must = completions(cells, size, -1, 4)
    tried = completions(cells, size, 1, 3)
    return {move for move in (tried & must if must else tried) if most and _four_wins(cells, size, move, most)}


def _four_wins(cells: Cells, size: int, move: int, most: int) -> bool:
    after = {**cells, move: 1}
    replies = completions(after, size, 1, 4)
    if completions(after, size, -1, 4):
        return False
    if len(replies) > 1:
        return True
    return bool(first_fours({**after, replies.pop(): -1}, size, most - 1))
