"""The games outside the package: each against an independent slow judge, counts by hand, and the laws."""

from __future__ import annotations

from collections.abc import Iterator

import foreign
import numpy as np
import pytest
from reference.brute import solve
from reference.foreign import judge
from reference.rules import FIRST, SECOND

import randori
from randori.core.game import LOSS, ONGOING, WIN, Game
from randori.core.laws import LAWS
from randori.core.positions import positions_of_random_games
from randori.core.replay import last_position
from randori.kernels.playouts import perft
from randori.search.solver import Solver

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
    """The judge draws the actions, so that the compiled rules can neither choose nor skip what is checked."""
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


def late_positions(game: Game, n: int) -> list[list[int]]:
    """The actions that lead to positions of random games from which trying everything is quick."""
    rng, found = np.random.default_rng(2), []
    while len(found) < n:
        state, actions = game.start(1), []
        while game.outcome(state)[0] == ONGOING:
            actions.append(int(game.pick(state, rng.random(1))[0]))
            state = game.play(state, actions[-1:])
        if game.legal(last_position(game, actions[:-6])).sum() <= 4:
            found.append(actions[:-6])
    return found


@pytest.mark.parametrize("name", ["snort5", "clobber5", "reversi4x6"])
def test_the_solver_finds_what_trying_everything_finds(name: str) -> None:
    game = randori.game(name)
    referee, cache = judge(name, game.move_names), {}
    counts = game.counts is not None
    for actions in late_positions(game, 12):
        position = referee.start()
        for action in actions:
            position = referee.play(position, action)
        truth = solve(referee, position, counts, cache)
        found = Solver(game).solve(last_position(game, actions))
        assert found.complete
        assert (found.value, set(found.best)) == (truth.value, set(truth.best))
        assert counts or found.plies == truth.plies


def test_the_solver_breaks_through_at_once() -> None:
    """Endings of Breakthrough are too long to try everything, but a piece in front of the far row has won."""
    game = randori.game("breakthrough5")
    states = positions_of_random_games(game, 20, np.random.default_rng(3))
    children = game.children(states)
    winning = game.outcome(children.states) == LOSS
    for row in np.unique(children.parents[winning])[:10]:
        found = Solver(game).solve(states[row : row + 1])
        assert (found.value, found.plies) == (WIN, 1)
        assert set(found.best) == set(children.actions[winning & (children.parents == row)].tolist())
