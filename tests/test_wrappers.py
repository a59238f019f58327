"""Players around players: what is certain is played, the rest is left to the player inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import randori
from randori.arena import play_games
from randori.core.game import ONGOING, Actions, Game, States
from randori.core.player import Choice
from randori.core.positions import positions_of_random_games
from randori.core.record import Forfeit
from randori.search.solver import Solver
from randori.search.threats import find_wins
from randori.search.wrappers import ExactEndings, ForcedWins


@dataclass(frozen=True)
class Last:
    """Plays the last legal action, and counts on being asked only where nothing is certain."""

    game: Game
    name: str = "last"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        legal = self.game.legal(states)
        return Choice((self.game.n_actions - 1 - legal[:, ::-1].argmax(axis=1)).astype(np.int16))


def open_states(name: str, n: int = 12, seed: int = 0) -> tuple[Game, States]:
    game = randori.game(name)
    states = positions_of_random_games(game, n, np.random.default_rng(seed))
    return game, states[game.outcome(states) == ONGOING]


@pytest.mark.parametrize("name", ["othello6", "connect4"])
@pytest.mark.parametrize("keeping", [False, True])
def test_endings_are_exact_and_the_rest_is_the_players(name: str, keeping: bool) -> None:
    game, states = open_states(name)
    left = game.moves_left(states)
    states = states[(left <= 8) | (left > 20)]
    chosen = ExactEndings(game, Last(game), 8, keeping=keeping).choose(states, np.random.default_rng(0))
    ending = game.moves_left(states) <= 8
    assert ending.any()
    assert not ending.all()
    solver = Solver(game)
    sound = solver.keeping(states[ending]) if keeping else solver.best(states[ending])
    assert sound[np.arange(len(sound)), chosen.actions[ending]].all()
    assert chosen.policy is not None
    np.testing.assert_array_equal(chosen.policy[ending] > 0, sound)
    inside = Last(game).choose(states[~ending], np.random.default_rng(0)).actions
    np.testing.assert_array_equal(chosen.actions[~ending], inside)
    np.testing.assert_allclose(chosen.policy.sum(axis=1), 1.0)


def test_forced_wins_are_played_and_known_to_be_won() -> None:
    game, states = open_states("gomoku9", 40)
    wins = find_wins(game, states, 200)
    assert (wins >= 0).any()
    chosen = ForcedWins(game, Last(game), 200).choose(states, np.random.default_rng(0))
    assert chosen.values is not None
    np.testing.assert_array_equal(chosen.actions[wins >= 0], wins[wins >= 0])
    assert (chosen.values[wins >= 0] == 1.0).all()
    assert np.isnan(chosen.values[wins < 0]).all()


@dataclass(frozen=True)
class Follower:
    """Needs the moves of each game; refuses to play without them, and forfeits one row after four plies."""

    game: Game
    name: str = "follower"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        raise randori.UserError("needs the moves")

    def choose_after(self, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
        assert (self.game.moves_left(states) == self.game.n_squares - actions.shape[1]).all()
        chosen = Last(self.game).choose(states, rng)
        return Choice(chosen.actions, None, (Forfeit(0, "tired."),) if actions.shape[1] == 4 else ())


def test_a_player_that_follows_games_gets_the_moves_and_its_forfeits_keep_their_rows() -> None:
    game = randori.game("tictactoe")
    wrapped = ForcedWins(game, ExactEndings(game, Follower(game), 2), 50)
    with pytest.raises(randori.UserError, match="needs the moves"):
        ExactEndings(game, Follower(game), 2).choose(game.start(1), np.random.default_rng(0))
    openings = np.array([[0, 4], [1, 8], [4, 0]], np.int16)
    games = play_games(game, wrapped, randori.player("random", game), openings, np.random.default_rng(3))
    assert len(games) == 3


def test_games_keep_what_players_thought() -> None:
    game = randori.game("connect4")
    search, anyone = randori.player("uct:simulations=20", game), randori.player("random", game)
    openings = np.full((4, 3), -1, np.int16)
    openings[1, :2], openings[2, :3] = (3, 3), (0, 1, 2)
    games = play_games(game, search, anyone, openings, np.random.default_rng(0), thoughts=True)
    assert games.thoughts is not None
    for row, n_opening in enumerate((0, 2, 3, 0)):
        for ply in range(n_opening, int(games.lengths[row])):
            policy = games.thoughts.policies[row, ply]
            assert policy.sum() == pytest.approx(1.0)
            if ply % 2:  # a player without a policy is sure of what it played
                assert policy[games.actions[row, ply]] == 1.0
    np.testing.assert_array_equal(games.actions[2, :3], (0, 1, 2))
