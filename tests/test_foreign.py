"""The games outside the package: each against a slow judge written apart, counts made by hand, and the laws."""

from __future__ import annotations

from collections.abc import Iterator

import foreign
import numpy as np
import pytest
from reference.foreign import judge
from reference.rules import FIRST, SECOND

import randori
from randori.core.game import ONGOING, Game
from randori.core.laws import LAWS
from randori.core.positions import positions_of_random_games
from randori.kernels.playouts import perft

# Snort: 25 squares; then all but the first stone's square and its neighbours, 25 * 24 - 80 pairs of neighbours.
# Clobber: 40 pairs of neighbours; a step from a to b spoils those of a and of b: 40 * 41 - the sum of all degrees squared.
# Reversi: as on any board, 4 first moves that are all alike, and 3 replies to each.
# Breakthrough: 5 straight steps and 8 diagonal ones of the front row; the first step blocks one straight reply.
BY_HAND = {
    "snort5": [25, 25 * 24 - 80],
    "clobber5": [40, 40 * 41 - (4 * 2**2 + 12 * 3**2 + 9 * 4**2)],
    "reversi4x6": [4, 12],
    "breakthrough5": [13, 13 * 12],
}


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


@pytest.fixture(params=foreign.FILES)
def game(request: pytest.FixtureRequest) -> Game:
    return randori.game(request.param)


def test_a_file_is_enough_to_be_known(game: Game) -> None:
    assert game.name in randori.games.names()
    assert game.name in foreign.FILES


def test_the_first_plies_are_as_many_as_counted_by_hand(game: Game) -> None:
    assert [perft(game.rules, game.start(1)[0], depth) for depth in (1, 2)] == BY_HAND[game.name]


def test_every_law_is_kept(game: Game) -> None:
    states = positions_of_random_games(game, 100, np.random.default_rng(0))
    for law in LAWS:
        law(game, states)


def test_a_slow_judge_agrees_in_whole_games(game: Game) -> None:
    """The judge draws the actions, so that the compiled rules can neither choose nor skip what they are asked."""
    referee, rng = judge(game.name, game.move_names), np.random.default_rng(1)
    for _ in range(40):
        position, state, ply = referee.start(), game.start(1), 0
        while True:
            allowed = referee.legal(position)
            assert np.flatnonzero(game.legal(state)[0]).tolist() == sorted(allowed)
            assert position.side == (FIRST if ply % 2 == 0 else SECOND)
            assert np.array_equal(game.cells(state)[0], position.side * np.array(referee.cells(position)))
            result = referee.result(position)
            assert game.outcome(state)[0] == (ONGOING if result is None else result)
            assert game.margin(state)[0] == referee.margin(position)
            if result is not None:
                break
            action = int(rng.choice(allowed))
            position, state, ply = referee.play(position, action), game.play(state, [action]), ply + 1
        assert ply <= game.max_plies
