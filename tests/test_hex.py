"""Hex: what is known of the game, its current evaluator and its winning chains."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import FIRST, SECOND, Hex

import randori
from randori.core.game import LOSS, ONGOING, WIN, Game
from randori.core.positions import positions_of_random_games
from randori.core.replay import last_position
from randori.core.symmetry import symmetries
from randori.games.hex import Currents, nearness, winning_chain
from randori.kernels.playouts import perft
from randori.search.solver import Solver

SIZES = (5, 7, 9, 11)


def after(game: Game, moves: str) -> np.ndarray:
    return last_position(game, [game.move_names.index(it) for it in moves.split()])


def resistance_by_hand(board: np.ndarray) -> float:
    """From top to bottom: 1 own stone, 0 empty, -1 not conducting; the equations written out in full."""
    size = len(board)
    worth = {1: 0.05, 0: 1.0, -1: None}
    cells = {(r, c): worth[int(board[r, c])] for r in range(size) for c in range(size)}
    wires: dict[tuple[int, int], float] = {}
    top, bottom = size * size, size * size + 1
    for (r, c), own in cells.items():
        if own is None:
            continue
        here = r * size + c
        if r == 0:
            wires[here, top] = 1 / own
        if r == size - 1:
            wires[here, bottom] = 1 / own
        for near in ((r, c + 1), (r + 1, c), (r + 1, c - 1)):
            other = cells.get(near)
            if other is not None:
                wires[here, near[0] * size + near[1]] = 1 / (own + other)
    laplacian = np.zeros((size * size + 2,) * 2)
    for (a, b), conducts in wires.items():
        laplacian[[a, b], [a, b]] += conducts
        laplacian[[a, b], [b, a]] -= conducts
    flow = np.zeros(size * size + 2)
    flow[top], flow[bottom] = 1.0, -1.0
    potentials = np.linalg.lstsq(laplacian, flow, rcond=None)[0]
    return float(potentials[top] - potentials[bottom])


@pytest.mark.parametrize("size", SIZES)
def test_no_side_connects_before_a_chain_is_long_enough(size: int) -> None:
    game = randori.game(f"hex{size}")
    for depth in (1, 2, 3):
        assert perft(game.rules, game.start(1)[0], depth) == prod(range(size**2, size**2 - depth, -1))


@pytest.mark.parametrize("size", SIZES)
@given(seed=st.integers(0, 2**32))
def test_a_full_board_has_exactly_one_winner(size: int, seed: int) -> None:
    stones = np.resize([FIRST, SECOND], size**2)
    np.random.default_rng(seed).shuffle(stones)
    board = tuple(map(tuple, stones.reshape(size, size).tolist()))
    judge, game = Hex(size), randori.game(f"hex{size}")
    winners = [judge.connects(board, side) for side in (FIRST, SECOND)]
    assert sum(winners) == 1
    # With one stone more, the first side has moved last: for the second, who moves, the board is lost or impossible.
    cells = -np.array([board], np.int8)
    if winners[0]:
        assert game.outcome(game.from_cells(cells))[0] == LOSS
    else:
        with pytest.raises(randori.UserError):
            game.from_cells(cells)


def test_the_half_turn_is_the_one_symmetry() -> None:
    game = randori.game("hex5")
    assert [it.cells.tolist() for it in symmetries(game)] == [list(range(25)), list(range(24, -1, -1))]


def test_sides_connect_different_edges_and_rows_lean() -> None:
    game = randori.game("hex5")
    assert game.outcome(after(game, "c1 a1 c2 a2 b3 b1 b4 b2 a5"))[0] == LOSS
    # c2 and d3 do not touch: the row below lies half a cell further right.
    assert game.outcome(after(game, "c1 a1 c2 a2 d3 b1 d4 b2 d5"))[0] == ONGOING
    assert game.outcome(after(game, "a1 a3 b1 b3 d1 c3 e1 d3 a5 e3"))[0] == LOSS


@pytest.mark.thorough
def test_a_first_move_in_the_centre_wins_on_five_by_five() -> None:
    game = randori.game("hex5")
    found = Solver(game, megabytes=256).approach(after(game, "c3"))
    assert next(it.value for it in found if it.value is not None) == LOSS


@pytest.mark.parametrize("size", [5, 11])
def test_currents_are_those_of_the_equations_written_out(size: int) -> None:
    game = randori.game(f"hex{size}")
    states = positions_of_random_games(game, 3, np.random.default_rng(1))
    states = states[game.outcome(states) == ONGOING][::5]
    values = Currents(game)(states, np.random.default_rng(0)).values
    for state, value in zip(states, values, strict=True):
        cells = game.cells(state[None])[0]
        down, across = (cells, -cells.T) if cells.sum() == 0 else (cells.T, -cells)
        expected = np.log(resistance_by_hand(across) / resistance_by_hand(down))
        assert value == pytest.approx(np.tanh(expected), abs=1e-3)


@pytest.mark.parametrize("size", [5, 9])
def test_currents_do_not_change_with_the_half_turn(size: int) -> None:
    game = randori.game(f"hex{size}")
    states = positions_of_random_games(game, 5, np.random.default_rng(2))
    states = states[game.outcome(states) == ONGOING]
    turned = game.from_cells(np.ascontiguousarray(game.cells(states)[:, ::-1, ::-1]))
    values = [Currents(game)(it, np.random.default_rng(0)).values for it in (states, turned)]
    np.testing.assert_allclose(*values, atol=1e-9)


def test_the_heuristic_beats_random_games_to_the_end() -> None:
    score = randori.match("heuristic", "lookahead:depth=1,evaluator=rollouts", "hex7", 40, seed=1).score
    assert score.wins >= 36


def test_preferences_favour_the_centre_and_are_symmetric() -> None:
    game = randori.game("hex7")
    liking = nearness(game)
    assert liking.argmax() == 24
    np.testing.assert_array_equal(liking, liking[::-1])


@pytest.mark.parametrize("size", SIZES)
def test_a_winning_chain_leads_from_edge_to_edge_through_the_last_stone(size: int) -> None:
    game, rng = randori.game(f"hex{size}"), np.random.default_rng(size)
    for _ in range(20):
        state, last = game.start(1), -1
        while game.outcome(state)[0] == ONGOING:
            assert last < 0 or winning_chain(game.cells(state)[0], last) == []
            last = int(game.pick(state, rng.random(1))[0])
            state = game.play(state, [last])
        cells = game.cells(state)[0]
        chain = winning_chain(cells, last)
        assert last in chain
        assert len(set(chain)) == len(chain)
        assert all(cells.reshape(-1)[it] == -1 for it in chain)
        squares = [divmod(it, size) for it in chain]
        steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(squares)}
        assert steps <= {(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)}
        # The side to move has lost; with one stone fewer it is the second.
        way = 0 if cells.sum() < 0 else 1
        assert (squares[0][way], squares[-1][way]) == (0, size - 1)


def test_a_position_is_set_up_as_it_was_played_even_when_it_is_over() -> None:
    game = randori.game("hex5")
    state = after(game, "c1 a1 c2 a2 b3 b1 b4 b2 a5")
    np.testing.assert_array_equal(game.from_cells(game.cells(state)), state)
    with pytest.raises(randori.UserError):
        # The side to move cannot have won.
        game.from_cells(-game.cells(state))
    assert WIN not in game.outcome(state)
