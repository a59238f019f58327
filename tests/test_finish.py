"""The rule `finish`: every game's way to play a position out, judged by plain play and by all orders of the last moves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numba import njit
from reference.trees import SplitMix, uniform
from scipy.stats import chi2_contingency, chisquare

import randori
from randori.core.game import ONGOING, Game, States
from randori.core.laws import finishing_is_random_play
from randori.core.positions import positions_of_random_games
from randori.errors import UserError
from randori.games import names
from randori.kernels.bits import halved, high_product, nth_bit, split
from randori.kernels.playouts import random_games
from randori.kernels.rules import Rules

# With fixed seeds, a test of chance fails by accident in this share of changes to the order of draws.
RARE = 1e-6
WITH_OWN = [name for name in names() if randori.game(name).definition.finish is not None]


@cache
def plain(name: str) -> Game:
    """The game without a loop of its own."""
    it = randori.game(name)
    return replace(it, definition=it.definition._replace(finish=None))


def finished(game: Game, states: States, seed: int) -> tuple[States, np.ndarray, np.ndarray]:
    ends = states.copy()
    outcomes, plies = np.empty(len(ends), np.int8), np.empty(len(ends), np.int16)
    seeds = np.random.default_rng(seed).integers(0, 2**64, len(ends), dtype=np.uint64)
    random_games(game.rules, ends, seeds, outcomes, plies)
    return ends, outcomes, plies


def after(game: Game, plies: int, seed: int) -> States:
    """An unfinished position, that many random plies into a game."""
    rng = np.random.default_rng(seed)
    while True:
        state = game.start(1)
        for _ in range(plies):
            if game.outcome(state)[0] != ONGOING:
                break
            state = game.play(state, game.pick(state, rng.random(1)))
        if game.outcome(state)[0] == ONGOING:
            return state


def test_games_that_gain_have_loops_of_their_own() -> None:
    assert {randori.game(name).family.name for name in WITH_OWN} == {"connect4", "othello", "gomoku", "hex"}


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "gomoku9", "hex5"])
def test_a_game_without_its_own_loop_plays_its_legal_actions_in_order(name: str) -> None:
    game = plain(name)
    states = positions_of_random_games(game, 3, np.random.default_rng(0))
    ends, outcomes, plies = finished(game, states, seed=1)
    seeds = np.random.default_rng(1).integers(0, 2**64, len(states), dtype=np.uint64).tolist()
    for i, seed in enumerate(seeds):
        stream, state, length = SplitMix(seed), states[i : i + 1], 0
        while legal := np.flatnonzero(game.legal(state)[0]).tolist():
            state, length = game.play(state, [uniform(legal, stream)]), length + 1
        np.testing.assert_array_equal(ends[i], state[0])
        assert plies[i] == length
        assert outcomes[i] == game.outcome(state)[0] * (-1) ** length


@pytest.mark.parametrize("name", ["connect4", "othello6", "othello8", "gomoku9", "gomoku15", "hex5", "hex11"])
@pytest.mark.parametrize("share", [0, 0.2, 0.5])
def test_lengths_and_outcomes_are_distributed_as_in_plain_play(name: str, share: float) -> None:
    game = randori.game(name)
    state = after(game, int(share * game.max_plies / 2), seed=7)
    starts = np.repeat(state, 4000, axis=0)
    counts = Counter[tuple[int, int, int]]()
    width = max(1, game.max_plies // 24)  # so that each length is common enough to count
    for which, it in enumerate((game, plain(name))):
        _, outcomes, plies = finished(it, starts, seed=which)
        counts.update(zip([which] * 4000, (plies // width).tolist(), outcomes.tolist(), strict=True))
    kinds = sorted({key[1:] for key in counts})
    table = np.array([[counts[which, *kind] for kind in kinds] for which in (0, 1)])
    table = table[:, table.sum(axis=0) >= 10]
    assert table.shape[1] < 2 or chi2_contingency(table).pvalue > RARE


@pytest.mark.parametrize("name", WITH_OWN)
def test_the_end_is_a_position_of_the_game_that_the_plies_lead_to(name: str) -> None:
    """Including the parts of a state that only record what happened: who has won, what is connected."""
    game = randori.game(name)
    states = positions_of_random_games(game, 30, np.random.default_rng(2))
    ends, outcomes, plies = finished(game, states, seed=3)
    found = game.outcome(ends)
    assert (found != ONGOING).all()
    np.testing.assert_array_equal(outcomes, found * (-1) ** (plies % 2))
    np.testing.assert_array_equal(game.from_cells(game.cells(ends)), ends)
    before, now = (game.cells(it) * (-1) ** length for it, length in ((states, 0), (ends, (plies % 2)[:, None, None])))
    if game.family.name == "othello":
        assert ((before == 0) | (now != 0)).all()
    else:
        np.testing.assert_array_equal((now != 0).sum((1, 2)) - (before != 0).sum((1, 2)), plies)
        np.testing.assert_array_equal(now[before != 0], before[before != 0])
    over = game.outcome(states) != ONGOING
    assert (plies[over] == 0).all()
    np.testing.assert_array_equal(ends[over], states[over])
    assert (plies[~over] > 0).all()


def chances(game: Game, state: States) -> Counter[bytes]:
    """The chance of every final position under random play, by playing all orders of the moves left."""
    found, layer = Counter[bytes](), {state.tobytes(): 1.0}
    while layer:
        following = Counter[bytes]()
        for packed, chance in layer.items():
            one = np.frombuffer(packed, np.uint64)[None].copy()
            moves = np.flatnonzero(game.legal(one)[0])
            if not len(moves):
                found[packed] += chance
            for child in game.play(np.repeat(one, len(moves), axis=0), moves):
                following[child.tobytes()] += chance / len(moves)
        layer = following
    return found


def nearly_full(game: Game, n_empty: int, rng: np.random.Generator) -> States:
    """An unfinished position with `n_empty` empty squares. Few random games get there on large boards: stones are
    scattered instead."""
    while True:
        if game.layout.passes or game.n_actions < game.n_squares:
            states = positions_of_random_games(game, 100, rng)
            found = states[(game.cells(states) == 0).sum((1, 2)) == n_empty]
        else:
            n_stones = game.n_squares - n_empty
            stones = [1] * (n_stones // 2) + [-1] * (n_stones - n_stones // 2) + [0] * n_empty
            scattered = np.stack([rng.permutation(stones) for _ in range(100)]).reshape(-1, *game.shape)
            possible = [it for it in scattered.astype(np.int8) if can_be(game, it)]
            found = game.from_cells(np.stack(possible)) if possible else game.start(0)
        found = found[game.outcome(found) == ONGOING]
        if len(found):
            return found[:1]


def can_be(game: Game, cells: np.ndarray) -> bool:
    try:
        game.from_cells(cells[None])
    except UserError:
        return False
    return True


@pytest.mark.parametrize("name", ["connect4", "othello4", "othello6", "gomoku9", "hex5", "hex11"])
def test_every_final_position_has_its_exact_chance(name: str) -> None:
    """The exact chances of all endings judge the draws themselves."""
    game = randori.game(name)
    for n_empty in (3, 4, 5):
        state = nearly_full(game, n_empty, np.random.default_rng(n_empty))
        expected = chances(game, state)
        ends, _, _ = finished(game, np.repeat(state, 6000, axis=0), seed=n_empty)
        counts = Counter(end.tobytes() for end in ends)
        assert set(counts) <= set(expected)
        order = sorted(expected)
        if len(order) > 1:
            assert chisquare([counts[it] for it in order], [6000 * expected[it] for it in order]).pvalue > RARE


def test_the_law_notices_a_loop_that_prefers_some_actions() -> None:
    it = randori.game("tictactoe")
    rules = it.definition

    def first_legal(state, stream):  # type: ignore[no-untyped-def]
        plies = 0
        while state[0] | state[1] != np.uint64(511):
            free = ~(state[0] | state[1]) & np.uint64(511)
            mine = state[0] | (free & (np.uint64(0) - free))
            state[0] = state[1]
            state[1] = mine
            plies += 1
        return plies

    biased = replace(it, definition=Rules(*rules[:7], first_legal))
    states = positions_of_random_games(it, 50, np.random.default_rng(0))
    finishing_is_random_play(it, states)
    with pytest.raises(AssertionError, match="finishing"):
        finishing_is_random_play(biased, states)


def test_bits_by_rank_agree_with_counting() -> None:
    @njit
    def both(word: int, n: int) -> tuple[int, int]:
        return nth_bit(word, n), halved(word, n)

    rng = np.random.default_rng(0)
    for word in [*rng.integers(1, 2**64, 50, dtype=np.uint64), np.uint64(2**64 - 1), np.uint64(1 << 63), np.uint64(1)]:
        places = [place for place in range(64) if int(word) >> place & 1]
        for n, place in enumerate(places):
            assert both(word, n) == (1 << place, place)


def test_a_word_is_split_into_numbers() -> None:
    @njit
    def parts(word: int, n: int) -> tuple[int, int, int]:
        first, rest = split(word, n)
        return first, rest, high_product(word, np.uint64(n))

    rng = np.random.default_rng(1)
    for word in rng.integers(0, 2**64, 200, dtype=np.uint64):
        for n in (1, 2, 7, 400):
            product = int(word) * n
            assert parts(word, n) == (product >> 64, product & (2**64 - 1), product >> 64)
