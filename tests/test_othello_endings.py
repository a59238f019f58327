"""Othello's discs on words, its last squares, its stable discs and its endings, against play square by square."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray
from reference.discs import Cells, keep_what_stays, turn, worth

import randori
from randori.core.game import ONGOING, Game
from randori.experiments.make_endings import FFO, state_of
from randori.games.othello.craft import craft
from randori.games.othello.discs import (
    below_by_count,
    below_by_shifts,
    flips,
    placements,
    rays,
    turned_with,
)
from randori.games.othello.last_squares import last_1, last_2, last_3, last_4, last_5
from randori.games.othello.stability import stable_discs
from randori.kernels.bits import lowest
from randori.kernels.compile import kernel
from randori.kernels.rules import row
from randori.search.solver import Solver

SIZES = (4, 6, 8)
_WORDS = types.Array(types.uint64, 1, "C")
_LINES = types.Array(types.uint64, 2, "C")
_BY_COUNT, _BY_SHIFTS = turned_with(lambda _: below_by_count), turned_with(lambda _: below_by_shifts)


def boards(size: int, n: int, seed: int, most_empty: int) -> list[Cells]:
    """Boards of any discs, such as no game may reach; on some of them one side has hardly any."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        share = rng.choice([0.02, 0.2, 0.5, 0.8, 0.98])
        cells = np.where(rng.random(size * size) < share, 1, -1).astype(np.int8)
        cells[rng.choice(size * size, rng.integers(0, most_empty + 1), replace=False)] = 0
        found.append(cells.reshape(size, size))
    return found


def word(marks: NDArray[np.bool_]) -> np.uint64:
    return np.uint64(sum(1 << int(square) for square in np.flatnonzero(marks)))


@kernel(types.void(types.uint64, types.uint64, types.int64, _LINES, _WORDS))
def turned_from_all(mine, theirs, square, lines, found):  # type: ignore[no-untyped-def]
    found[0] = flips(mine, theirs, square, lines)
    found[1] = _BY_COUNT(mine, theirs, row(lines, square))
    found[2] = _BY_SHIFTS(mine, theirs, row(lines, square))


@kernel(types.uint64(types.uint64, types.uint64, types.int64, types.uint64, types.uint64))
def placed(mine, theirs, size, inside, board):  # type: ignore[no-untyped-def]
    return placements(mine, theirs, size, inside, board)


@pytest.mark.parametrize("size", SIZES)
def test_discs_turn_and_are_placed_as_square_by_square(size: int) -> None:
    lines, columns = rays(size), np.arange(size * size) % size
    inside, board = word((columns > 0) & (columns < size - 1)), word(columns >= 0)
    found = np.zeros(3, np.uint64)
    for cells in boards(size, 300, seed=size, most_empty=size * size):
        mine, theirs = word(cells == 1), word(cells == -1)
        playable = np.zeros((size, size), np.bool_)
        for square in np.flatnonzero(cells == 0):
            after = cells.copy()
            r, c = divmod(int(square), size)
            playable[r, c] = turn(after, r, c, 1) > 0
            turned_from_all(mine, theirs, int(square), lines, found)
            assert (found == word((after == 1) & (cells == -1))).all()
        assert np.uint64(placed(mine, theirs, size, inside, board)) == word(playable)


@kernel(types.int64(types.uint64, types.uint64, types.uint64, types.int64, types.int64))
def last(mine, theirs, empties, n, alpha):  # type: ignore[no-untyped-def]
    if n == 5:
        return last_5(mine, theirs, empties, alpha)
    if n == 4:
        return last_4(mine, theirs, empties, alpha)
    if n == 3:
        return last_3(mine, theirs, empties, alpha)
    a = lowest(empties)
    return (
        last_1(mine, theirs, a)
        if n == 1
        else last_2(mine, theirs, alpha, a, lowest(empties & (empties - np.uint64(1))))
    )


@pytest.mark.parametrize("size", SIZES)
def test_the_last_squares_answer_every_question(size: int) -> None:
    """For bounds on both sides of the value and far from it, each answer is a bound on the side that it claims."""
    known = craft(randori.game(f"othello{size}"))
    for cells in boards(size, 1000, seed=10 + size, most_empty=5):
        empty = int((cells == 0).sum())
        if empty == 0:
            continue
        flat = cells.reshape(-1)
        mine, theirs, empties = (np.bitwise_or.reduce(known.bits[flat == it], initial=0) for it in (1, -1, 0))
        value = worth(cells, 1, False)
        for alpha in (value - 1, value, value - 7, value + 7):
            answer = last(mine, theirs, empties, empty, alpha)
            assert alpha < answer <= value if value > alpha else value <= answer <= alpha


def best_by_trying(cells: Cells) -> tuple[int, set[int]]:
    """The value and the squares that keep it, where there is a move."""
    size, values = len(cells), {}
    for square in np.flatnonzero(cells == 0):
        after = cells.copy()
        if turn(after, *divmod(int(square), size), 1) > 0:
            values[int(square)] = -worth(after, -1, False)
    if not values:
        return worth(cells, 1, False), {size * size}
    best = max(values.values())
    return best, {square for square, value in values.items() if value == best}


@pytest.mark.parametrize("size", SIZES)
def test_endings_set_up_by_hand(size: int) -> None:
    """Wipe-outs, passes and boards that no game reaches: the value and all best moves."""
    game = randori.game(f"othello{size}")
    solver, n_passes, n_wiped_out = Solver(game, megabytes=1), 0, 0
    for cells in boards(size, 1000, seed=20 + size, most_empty=7):
        state = game.from_cells(cells[None])
        if game.outcome(state)[0] != ONGOING:
            continue
        value, best = best_by_trying(cells)
        solution = solver.solve(state)
        assert (solution.value, set(solution.best)) == (value, best)
        n_passes += best == {size * size}
        n_wiped_out += abs(value) == size * size
    assert n_passes > 20
    assert n_wiped_out > 0


@kernel(types.uint64(types.uint64, types.uint64, types.uint64))
def stable(side, empties, board):  # type: ignore[no-untyped-def]
    return stable_discs(side, empties, board)


@pytest.mark.parametrize("size", SIZES)
def test_stable_discs_turn_in_no_line_of_play(size: int) -> None:
    game = randori.game(f"othello{size}")
    known, n_stable = craft(game), 0
    for cells in boards(size, 300, seed=30 + size, most_empty=6):
        flat = cells.reshape(-1)
        mine, empties, board = (
            np.bitwise_or.reduce(known.bits[it], initial=0) for it in (flat == 1, flat == 0, flat < 2)
        )
        is_stable = (np.uint64(stable(mine, empties, board)) & known.bits) != 0
        for side in (1, -1):
            stays = np.ones((size, size), np.bool_)
            keep_what_stays(cells, side, False, stays, cells)
            assert not (is_stable & ~stays.reshape(-1)).any()
        assert (flat[is_stable] == 1).all()
        corners = np.array([0, size - 1, -size, -1])
        assert is_stable[corners[flat[corners] == 1]].all()
        n_stable += int(is_stable.sum())
    assert n_stable > 300


def solved(game: Game, number: int) -> tuple[int | None, set[str]]:
    solution = Solver(game, megabytes=64).solve(state_of(game, FFO[number]))
    return solution.value, {game.move_names[action] for action in solution.best}


def test_the_first_of_the_known_endings() -> None:
    assert solved(randori.game("othello8"), 40) == (38, {"a2"})


@pytest.mark.thorough
@pytest.mark.parametrize(("number", "best"), [(41, {"h4"}), (42, {"g2"}), (43, {"c7", "g3"}), (44, {"b8", "d2"})])
def test_known_endings(number: int, best: set[str]) -> None:
    assert solved(randori.game("othello8"), number) == (FFO[number].margin, best)
