"""Candidates of a search: they leave out no move that wins or saves, and alpha-beta over them is minimax over them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from randori.core.game import ONGOING, Game, States
from randori.core.positions import positions_of_random_games
from randori.games import game, names
from randori.kernels.bits import hash_words
from randori.kernels.candidates import address_of, moves_by
from randori.kernels.compile import kernel
from randori.kernels.expanding import FORCED_PLIES
from randori.kernels.judges import Judge, judge_all, judge_with
from randori.kernels.rules import row
from randori.search.alphabeta import AlphaBeta, Limits, Scale

Cells = NDArray[np.int8]
_WORDS = types.Array(types.uint64, 2, "C")


@kernel(types.void(types.int64, _WORDS, _WORDS))
def _all_candidates(address, states, moves):
    for i in range(states.shape[0]):
        moves_by(address, row(states, i), row(moves, i))


def candidates(it: Game, states: States) -> list[set[int]]:
    moves = np.zeros((len(states), (it.n_actions + 63) // 64), np.uint64)
    assert it.knowledge.candidates is not None
    _all_candidates(address_of(it.knowledge.candidates), np.ascontiguousarray(states), moves)
    bits = np.unpackbits(moves.view(np.uint8), axis=1, bitorder="little")
    return [set(np.flatnonzero(it).tolist()) for it in bits]


def crowded_positions(it: Game, n: int, seed: int) -> States:
    """Positions of games that play a candidate nine times in ten, so that there are threats; mostly late positions."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < n:
        state = it.start(1)
        line = []
        while it.outcome(state)[0] == ONGOING and len(line) < 60:
            line.append(state)
            near = rng.random() < 0.9
            choices = sorted(candidates(it, state)[0]) if near else np.flatnonzero(it.legal(state)[0]).tolist()
            state = it.play(state, [int(rng.choice(choices))])
        found += line[-12:] if rng.random() < 0.8 else line
    return np.concatenate(found)[rng.permutation(len(found))[:n]]


def windows(size: int, length: int) -> NDArray[np.int64]:
    found = []
    for r in range(size):
        for c in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if r + (length - 1) * down < size and 0 <= c + (length - 1) * right < size:
                    found.append([(r + i * down) * size + c + i * right for i in range(length)])
    return np.array(found)


def winning(cells: Cells, five: NDArray[np.int64], side: int) -> set[int]:
    """Squares where a stone of a side makes five."""
    stones = cells[five]
    rows = ((stones == side).sum(axis=1) == 4) & ((stones == 0).sum(axis=1) == 1)
    return set(five[rows][stones[rows] == 0].tolist())


def with_stone(cells: Cells, square: int, side: int) -> Cells:
    changed = cells.copy()
    changed[square] = side
    return changed


def open_fours(cells: Cells, five: NDArray[np.int64], side: int) -> bool:
    """Whether a stone of a side leaves it two squares to win on."""
    return any(len(winning(with_stone(cells, it, side), five, side)) > 1 for it in np.flatnonzero(cells == 0))


@pytest.mark.parametrize(("name", "n"), [("gomoku9", 1500), ("gomoku15", 400), ("gomoku19", 150)])
def test_rows_leave_out_no_move_that_wins_or_saves(name: str, n: int) -> None:
    it = game(name)
    states = crowded_positions(it, n, seed=5)
    five = windows(it.shape[0], 5)
    counts = {"wins": 0, "stops": 0, "open fours": 0, "open threes": 0, "quiet": 0}
    for board, chosen, legal in zip(it.cells(states), candidates(it, states), it.legal(states), strict=True):
        cells, allowed = board.reshape(-1), set(np.flatnonzero(legal).tolist())
        assert chosen
        assert chosen <= allowed
        if not cells.any():
            continue
        wins, losses = winning(cells, five, 1), winning(cells, five, -1)
        if wins or losses:
            assert chosen == (wins or losses)
            counts["wins" if wins else "stops"] += 1
            continue
        if all(len(winning(with_stone(cells, it, 1), five, 1)) > 1 for it in chosen):
            # Two squares to win on, and the other side has none: whatever is left out, this wins.
            counts["open fours"] += 1
            continue
        near = {it for it in allowed if _is_near(board, it)}
        if near <= chosen:
            counts["quiet"] += 1
            assert chosen in (near, allowed)
            continue
        counts["open threes"] += 1
        for left_out in sorted(near - chosen)[::3]:
            # No four of its own, and the other side makes an open four.
            after = with_stone(cells, left_out, 1)
            assert not winning(after, five, 1)
            assert open_fours(after, five, -1)
    assert min(counts.values()) > n // 50, counts


def _is_near(board: Cells, square: int) -> bool:
    r, c = divmod(square, len(board))
    return bool(board[max(0, r - 2) : r + 3, max(0, c - 2) : c + 3].any())


def test_candidates_on_an_empty_board_and_near_a_corner() -> None:
    it = game("gomoku15")
    assert candidates(it, it.start(1)) == [{112}]
    near = candidates(it, it.play(it.start(1), [0]))[0]
    assert near == {r * 15 + c for r in range(3) for c in range(3)} - {0}


def _opinion(state, facts):
    return np.float64(np.int64(hash_words(state, facts[0]) >> np.uint64(40)) % 7)


class Plain:
    """Minimax over all candidates, where a single one costs no depth."""

    def __init__(self, it: Game, judge: Judge, scale: Scale) -> None:
        self.game, self.judge, self.scale = it, judge, scale

    def opinion(self, state: States) -> float:
        found = np.empty(1)
        judge_all(self.judge.table, state, found)
        return float(found[0])

    def value(self, state: States, depth: int, ply: int) -> float:
        return self.opinion(state) if depth == 0 else max(self.scores(state, depth, ply).values())

    def scores(self, state: States, depth: int, ply: int = 0) -> dict[int, float]:
        chosen = candidates(self.game, state)[0]
        below = depth if len(chosen) == 1 and 0 < ply < FORCED_PLIES else depth - 1
        found = {}
        for action in sorted(chosen):
            child = self.game.play(state, [action])
            outcome = int(self.game.outcome(child)[0])
            if outcome != ONGOING:
                found[action] = -outcome * (self.scale.certain + self.scale.end * depth)
            else:
                found[action] = -self.value(child, below, ply + 1)
        return found


@pytest.mark.parametrize("scale", [Scale(), Scale(certain=1e6)], ids=["sooner", "certain"])
def test_alphabeta_over_candidates_is_minimax_over_them(scale: Scale) -> None:
    it = game("gomoku9")
    judge = judge_with(_opinion, it.words)
    search, plain = AlphaBeta(it, judge, scale, all_best=True, candidates=True), Plain(it, judge, scale)
    for i, state in enumerate(crowded_positions(it, 36, seed=2)[:, None]):
        depth = 1 + i % 2
        scores = plain.scores(state, depth)
        found = search.search(state, Limits(depth=depth))
        best = max(scores.values())
        assert found.value == best
        assert found.actions.tolist() == [action for action, score in scores.items() if score == best]


def test_refused_moves_are_not_made_unless_there_is_no_other() -> None:
    it = game("gomoku9")
    search = AlphaBeta(it, judge_with(_opinion, it.words), candidates=True)
    state = it.play(it.start(1), [40])
    refused: list[int] = []
    for _ in range(24):
        refused.append(int(search.search(state, Limits(depth=2)).actions[0]))
        search.refuse(refused)
    assert len(set(refused)) == 24
    assert int(search.search(state, Limits(depth=1)).actions[0]) in refused


@pytest.mark.parametrize("name", [it for it in names() if game(it).knowledge.places])
def test_moves_of_games_that_place_stones_do_nothing_else(name: str) -> None:
    it = game(name)
    states = positions_of_random_games(it, 3, np.random.default_rng(0))
    states = states[it.outcome(states) == ONGOING][:60]
    for state, cells in zip(states[:, None], it.cells(states), strict=True):
        for action in np.flatnonzero(it.legal(state)[0])[::7]:
            after = -cells.reshape(-1)
            after[action] = -1
            assert (it.cells(it.play(state, [action])).reshape(-1) == after).all()


def test_a_search_that_is_cut_short_still_has_a_value() -> None:
    it = game("gomoku9")
    judge = judge_with(_opinion, it.words)
    state = crowded_positions(it, 1, seed=4)
    for nodes in range(200, 3000, 200):
        found = AlphaBeta(it, judge, candidates=True).search(state, Limits(nodes=nodes))
        assert np.isfinite(found.value)
