"""Lines of stones: what five (three, four, ...) adjacent squares hold, for games of stones in a row.

A *window* is `k` squares in a row on the board. It is open to a side while the other has no stone in it.
"""

from numba import types

from randori.kernels.compile import inner, kernel

_BOARDS = types.Array(types.int8, 3, "C")
_WEIGHTS = types.Array(types.float64, 1, "C")
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@inner
def _count(board, r, c, down, right, k):
    """Stones of (mine, theirs) in the window that begins at (r, c); (-1, -1) where it leaves the board."""
    height, width = board.shape
    last_row, last_column = r + (k - 1) * down, c + (k - 1) * right
    if r < 0 or c < 0 or c >= width or last_row >= height or last_column < 0 or last_column >= width:
        return -1, -1
    mine, theirs = 0, 0
    for step in range(k):
        stone = board[r + step * down, c + step * right]
        mine += stone == 1
        theirs += stone == -1
    return mine, theirs


@kernel(types.void(_BOARDS, types.int64, _WEIGHTS, _WEIGHTS, types.Array(types.float64, 3, "C")))
def star_scores(boards, k, attack, defence, scores):
    """Scores every empty square by the windows through it, `scores[b, r, c]`; occupied squares get -1.

    A window with n of mine that is open to me adds `attack[n]`, one with n of theirs that is open to them `defence[n]`.
    """
    for b in range(boards.shape[0]):
        board = boards[b]
        for r in range(board.shape[0]):
            for c in range(board.shape[1]):
                if board[r, c] != 0:
                    scores[b, r, c] = -1.0
                    continue
                total = 0.0
                for down, right in _DIRECTIONS:
                    for back in range(k):
                        mine, theirs = _count(board, r - back * down, c - back * right, down, right, k)
                        if theirs == 0:
                            total += attack[mine]
                        if mine == 0:
                            total += defence[theirs]
                scores[b, r, c] = total


@kernel(types.void(_BOARDS, types.int64, types.Array(types.int64, 3, "C")))
def count_windows(boards, k, counts):
    """How many windows hold n stones of one side and are open to it: `counts[b, side, n]`, side 0 mine, 1 theirs."""
    counts[:] = 0
    for b in range(boards.shape[0]):
        board = boards[b]
        for r in range(board.shape[0]):
            for c in range(board.shape[1]):
                for down, right in _DIRECTIONS:
                    mine, theirs = _count(board, r, c, down, right, k)
                    if theirs == 0:
                        counts[b, 0, mine] += 1
                    if mine == 0:
                        counts[b, 1, theirs] += 1
