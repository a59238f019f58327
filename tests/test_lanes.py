"""Games in lanes against the rules, one position after the other, and lanes of words against numpy."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from scipy.stats import chi2_contingency

import randori
from randori.core.game import ONGOING, Actions, Game, States
from randori.core.positions import positions_of_random_games
from randori.games.connect4 import lanes as connect4
from randori.games.othello import lanes as othello
from randori.kernels import playouts
from randori.kernels.lane_games import FINISH, address_of, finish_all, finish_with
from randori.kernels.lanes import access, bits_of, count_bits, random_bit, where
from randori.kernels.rules import row

IN_LANES = [name for name in randori.games.names() if randori.game(name).knowledge.lanes is not None]
WORDS = types.Array(types.uint64, 1, "C")
WIDTH = 8
load, store, mask_of = access(WIDTH)

Words = np.ndarray[Any, np.dtype[np.uint64]]


def splitmix(seeds: Words, n: int) -> Words:
    """The upper 32 bits of the n-th number of each stream, from 1; as its author wrote it, with Python's integers."""
    numbers = []
    for seed in seeds.tolist():
        z = (seed + n * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        numbers.append((z ^ (z >> 31)) >> 32)
    return np.array(numbers, np.uint64)


def drawn(game: Game, states: States, numbers: Words) -> Actions:
    """The legal action of the rank that 32 random bits give; every state must have one."""
    legal = game.legal(states)
    ranks = (numbers * legal.sum(axis=1).astype(np.uint64)) >> np.uint64(32)
    return np.asarray((legal & (legal.cumsum(axis=1) == ranks[:, None].astype(np.int64) + 1)).argmax(axis=1), np.int16)


def played_by_rules(game: Game, states: States, seeds: Words) -> tuple[States, Any, Any]:
    ends, plies = states.copy(), np.zeros(len(states), np.int16)
    going = np.flatnonzero(game.outcome(ends) == ONGOING)
    while going.size:
        n = int(plies[going[0]]) + 1
        ends[going] = game.play(ends[going], drawn(game, ends[going], splitmix(seeds[going], n)))
        plies[going] += 1
        going = going[game.outcome(ends[going]) == ONGOING]
    return ends, np.where(plies % 2 == 0, 1, -1) * game.outcome(ends), plies


def lanes_of(game: Game) -> int:
    assert game.knowledge.lanes is not None
    return address_of(game.knowledge.lanes)


def played_in_lanes(address: int, states: States, seeds: Words) -> tuple[States, Any, Any]:
    ends, outcomes, plies = states.copy(), np.full(len(states), 9, np.int8), np.full(len(states), -9, np.int16)
    streams = seeds.copy()
    finish_all(address, ends, streams, outcomes, plies)
    np.testing.assert_array_equal(streams, seeds + plies.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return ends, outcomes, plies


def some(game: Game, n_games: int, seed: int = 0) -> tuple[States, Words]:
    """Positions of every stage, including finished ones, in random order, with seeds."""
    rng = np.random.default_rng(seed)
    states = rng.permutation(positions_of_random_games(game, n_games, rng))
    return states, rng.integers(0, 2**64, len(states), dtype=np.uint64)


def assert_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def stepping(name: str) -> Callable[..., None]:
    """A kernel that takes one step with `WIDTH` positions at a time: `(states, numbers, after, stuck)`."""
    step = connect4.step if name == "connect4" else othello.step
    facts = 0 if name == "connect4" else othello.facts(int(name[-1]))

    @numba.njit
    def take_steps(states: Any, numbers: Any, after: Any, stuck: Any) -> None:
        for i in range(0, states.shape[1], WIDTH):
            mine, theirs = load(row(states[0], i)), load(row(states[1], i))
            next_mine, next_theirs, none = step(mine, theirs, load(row(numbers, i)), facts)
            store(row(after[0], i), next_mine)
            store(row(after[1], i), next_theirs)
            for lane in range(WIDTH):
                stuck[i + lane] = (bits_of(none) >> np.uint64(lane)) & np.uint64(1)

    return take_steps  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", IN_LANES)
def test_a_step_is_a_legal_action_played(name: str) -> None:
    """On more than 100,000 transitions, including passes and finished games."""
    game = randori.game(name)
    states, seeds = some(game, {"othello8": 1800, "othello6": 3300, "othello4": 8500, "connect4": 5200}[name])
    states, numbers = states[: len(states) // WIDTH * WIDTH], seeds[: len(seeds) // WIDTH * WIDTH] >> np.uint64(32)
    after, stuck = np.empty((2, len(states)), np.uint64), np.empty(len(states), np.bool_)
    stepping(name)(np.ascontiguousarray(states.T), numbers, after, stuck)
    going = game.outcome(states) == ONGOING
    assert going.sum() > 100_000
    actions = drawn(game, states[going], numbers[going])
    np.testing.assert_array_equal(after.T[going], game.play(states[going], actions))
    passing = np.zeros(len(states), np.bool_)
    if game.pass_action is not None:
        passing[going] = actions == game.pass_action
        assert passing.sum() > 100
        np.testing.assert_array_equal(after.T[~going], states[~going][:, ::-1])
    np.testing.assert_array_equal(stuck, ~going | passing)


@pytest.mark.parametrize("name", IN_LANES)
def test_games_in_lanes_are_the_games_that_the_rules_give(name: str) -> None:
    game = randori.game(name)
    states, seeds = some(game, 40)
    assert_same(played_in_lanes(lanes_of(game), states, seeds), played_by_rules(game, states, seeds))


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 35, 65])
@pytest.mark.parametrize("name", ["connect4", "othello6"])
def test_any_number_of_games(name: str, n: int) -> None:
    """Fewer than there are lanes, as many, and some more, so that lanes are used again or never."""
    game = randori.game(name)
    states, seeds = game.start(n), np.arange(n, dtype=np.uint64)
    assert_same(played_in_lanes(lanes_of(game), states, seeds), played_by_rules(game, states, seeds))


@pytest.mark.parametrize("width", [1, 4, 8, pytest.param(64, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", ["connect4", pytest.param("othello8", marks=pytest.mark.thorough)])
def test_the_number_of_lanes_changes_no_game(name: str, width: int) -> None:
    game = randori.game(name)
    module, facts = (connect4, 0) if name == "connect4" else (othello, othello.facts(8))
    finish = finish_with(module.step, module.margin, passes=game.layout.passes, width=width)

    @numba.cfunc(FINISH)
    def narrower(states: Any, n: int, streams: Any, outcomes: Any, plies: Any) -> None:
        finish(states, n, streams, outcomes, plies, facts)

    states, seeds = some(game, 30)
    assert_same(played_in_lanes(narrower.address, states, seeds), played_in_lanes(lanes_of(game), states, seeds))


_DIGEST = """
import hashlib, numpy as np, randori
for name in ("connect4", "othello8"):
    game = randori.game(name)
    print(*(hashlib.sha256(it).hexdigest() for it in game.finish(game.start(500), np.random.default_rng(0))))
"""


def digest(environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _DIGEST], env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def own_digest() -> str:
    process = digest(os.environ)
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.thorough
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the processors named are of this kind")
@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_the_processor_changes_no_game(processor: str, own_digest: str) -> None:
    """Vectors of 128, 256 and 512 bits; what this machine cannot run is left out."""
    process = digest({**os.environ, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""})
    if process.returncode < 0:
        pytest.skip("this machine has no such instructions")
    assert process.stdout == own_digest, process.stderr


@pytest.mark.parametrize("name", IN_LANES)
def test_outcomes_and_lengths_are_distributed_as_in_single_games(name: str) -> None:
    """With different seeds; chance alone makes so great a difference once in a million times."""
    game, n = randori.game(name), 20_000
    finished = game.finish(game.start(n), np.random.default_rng(1))
    outcomes, plies = np.empty(n, np.int8), np.empty(n, np.int16)
    seeds = np.random.default_rng(2).integers(0, 2**63, n, dtype=np.uint64)
    playouts.random_games(game.rules, game.start(n), seeds, outcomes, plies)
    for one, other in ((finished.outcomes, outcomes), (finished.plies, plies)):
        values = np.unique(np.concatenate([one, other]))
        counts = np.array([[(it == value).sum() for value in values] for it in (one, other)])
        common = counts.sum(axis=0) > 20
        assert chi2_contingency(counts[:, common]).pvalue > 1e-6


@pytest.mark.parametrize("name", ["connect4", "othello4", "tictactoe"])
def test_finishing_leaves_the_positions_alone_and_ends_all_games(name: str) -> None:
    game = randori.game(name)
    states, _ = some(game, 20)
    before = states.copy()
    finished = game.finish(states, np.random.default_rng(0))
    np.testing.assert_array_equal(states, before)
    assert (game.outcome(finished.states) != ONGOING).all()
    sides = np.where(finished.plies % 2 == 0, 1, -1)
    np.testing.assert_array_equal(finished.outcomes, sides * game.outcome(finished.states))
    over = game.outcome(states) != ONGOING
    np.testing.assert_array_equal(finished.states[over], states[over])
    assert not finished.plies[over].any()
    assert finished.plies[~over].all()


@numba.njit(types.void(WORDS, WORDS, WORDS))
def choose_bits(words: Any, numbers: Any, chosen: Any) -> None:
    for i in range(0, len(words), WIDTH):
        store(row(chosen, i), random_bit(load(row(words, i)), load(row(numbers, i))))


def test_every_bit_is_chosen_by_the_numbers_of_its_rank() -> None:
    """Words of all densities; the bit of rank `r` of `n` belongs to the numbers from r / n up to (r + 1) / n."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**64, (4, 6000), dtype=np.uint64)
    words = np.concatenate(
        [words[0], words[0] & words[1], words[0] & words[1] & words[2] & words[3], ~words[0] | words[1]]
    )
    words[:6] = 0, 1, 2**63, 2**64 - 1, 2**63 + 1, 0xFF00
    numbers = rng.integers(0, 2**32, len(words), dtype=np.uint64)
    numbers[:3000:2], numbers[1:3000:2] = 0, 2**32 - 1
    chosen = np.empty_like(words)
    choose_bits(words, numbers, chosen)
    for word, number, bit in zip(words.tolist(), numbers.tolist(), chosen.tolist(), strict=True):
        bits = [place for place in range(64) if word >> place & 1]
        assert bit == (1 << bits[number * len(bits) >> 32] if bits else 0)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "left": lambda a, b: a << np.uint64(7),
    "right by lanes": lambda a, b: a >> (b & np.uint64(63)),
    "plus": lambda a, b: a + b,
    "number minus": lambda a, b: np.uint64(5) - a,
    "times": lambda a, b: a * b,
    "not": lambda a, b: ~a,
    "equal": lambda a, b: where(a == (a & b), a, b),
    "unequal": lambda a, b: where(a != (a & b), a, b),
    "not less": lambda a, b: where(a >= b, a, b),
    "both": lambda a, b: where((a != b) & (a >= np.uint64(2**62)), a, b),
    "either": lambda a, b: where((a == b) | (a >= np.uint64(2**62)), a, b),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_mean_what_they_mean_in_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 2**64, (2, 64), dtype=np.uint64)
    other[:8] = one[:8]
    operate, result = numba.njit(OPERATORS[name]), np.empty_like(one)

    @numba.njit
    def in_lanes(one: Any, other: Any, result: Any) -> None:
        for i in range(0, len(one), WIDTH):
            store(row(result, i), operate(load(row(one, i)), load(row(other, i))))

    in_lanes(one, other, result)
    monkeypatch.setitem(globals(), "where", np.where)
    np.testing.assert_array_equal(result, OPERATORS[name](one, other))


def test_bits_are_counted_and_masks_are_words() -> None:
    @numba.njit
    def counted(words: Any, counts: Any) -> Any:
        lanes = load(row(words, 0))
        store(row(counts, 0), count_bits(lanes))
        return bits_of(lanes != np.uint64(0)), bits_of(mask_of(np.uint64(0b10110010)))

    words, counts = np.array([0, 1, 3, 2**64 - 1, 0, 2**63, 0, 5], np.uint64), np.empty(8, np.uint64)
    assert counted(words, counts) == (0b10101110, 0b10110010)
    assert counts.tolist() == [0, 1, 2, 64, 0, 1, 0, 2]
