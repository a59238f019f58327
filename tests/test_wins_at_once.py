"""A search guided by a network knows where a single move wins, however little the network thinks of that move."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reference import JUDGES, Judge, Position
from test_alphazero import network_for

import randori
from randori import players
from randori.core.evaluation import Evaluation
from randori.core.game import LOSS, WIN, Floats, Game, States
from randori.core.notation import parse_transcript
from randori.core.replay import final_states
from randori.methods.alphazero.config import HONGCHAROEN
from randori.methods.alphazero.player import AlphaZero
from randori.players.files import load_player, save_player
from randori.search.guided import GuidedSearch
from randori.search.informed import WinsAtOnce, informed

BEFORE_THE_LAST_DISC = "d3c5f6f3b6c2e3b5d2d1g3h3c6b7c3c4e2f2b4g7d6b3"
"""Played by an AlphaZero player against `greedy`; it chose e6, and e7 took its last disc."""


class Doubting:
    """Every position is even, and the first legal action has nearly all of the policy."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        legal = self.game.legal(states)
        policy = np.where(legal, 1e-6, 0.0)
        policy[np.arange(len(states)), legal.argmax(axis=1)] = 1.0
        return Evaluation(np.zeros(len(states)), policy)


def positions_with_wins(name: str, n_games: int) -> tuple[States, list[set[int]]]:
    """The positions of random games, by rules written apart, and the moves of each that win at once."""
    game, judge, rng = randori.game(name), JUDGES[name], np.random.default_rng(7)
    states, wins = [], []
    for _ in range(n_games):
        position, state = judge.start(), game.start(1)
        while judge.result(position) is None:
            legal = judge.legal(position)
            states.append(state)
            wins.append({it for it in legal if _is_lost(judge, judge.play(position, it))})
            action = int(rng.choice(legal))
            position, state = judge.play(position, action), game.play(state, [action])
    return np.concatenate(states), wins


def _is_lost(judge: Judge, position: Position) -> bool:
    return judge.result(position) == LOSS


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "othello6", "gomoku9", "hex5"])
def test_moves_that_win_at_once_are_found(name: str) -> None:
    """The value is that of a win and the policy is such a move; elsewhere nothing changes."""
    game, rng = randori.game(name), np.random.default_rng(0)
    states, wins = positions_with_wins(name, 20)
    won = np.array([bool(it) for it in wins])
    assert 5 < won.sum() < len(states) - 5
    plain = Doubting(game)
    knowing, doubting = WinsAtOnce(plain, game)(states, rng), plain(states, rng)
    assert knowing.policy is not None
    assert doubting.policy is not None
    assert (knowing.values[won] == WIN).all()
    for row in np.flatnonzero(won):
        (liked,) = np.flatnonzero(knowing.policy[row])
        assert liked in wins[row]
    np.testing.assert_array_equal(knowing.values[~won], doubting.values[~won])
    np.testing.assert_array_equal(knowing.policy[~won], doubting.policy[~won])


def test_values_without_a_policy_stay_without_one() -> None:
    class Even:
        def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
            values: Floats = np.zeros(len(states))
            return Evaluation(values)

    game = randori.game("tictactoe")
    states = final_states(
        game, np.array([parse_transcript(game, "a1 b1 a2 b2"), parse_transcript(game, "a1 b1 b2 a2")])
    )
    found = WinsAtOnce(Even(), game)(states, np.random.default_rng(0))
    assert found.values.tolist() == [WIN, WIN]
    assert found.policy is None


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "hex5"])
def test_a_search_wins_at_once_where_it_can(name: str, kind: str) -> None:
    game, rng = randori.game(name), np.random.default_rng(0)
    states, wins = positions_with_wins(name, 20)
    won = np.flatnonzero([bool(it) for it in wins])
    search = GuidedSearch(game, informed(Doubting(game), game, None, 0, 0, winning_moves=True), 8, kind, considered=2)
    chosen = search.choose(states[won], rng).actions
    assert all(action in wins[row] for row, action in zip(won, chosen, strict=True))


def test_a_search_does_not_let_its_last_disc_be_taken() -> None:
    """The reply that takes it has no chance by the network, but the search sees it before it moves."""
    game = randori.game("othello8")
    state = final_states(game, parse_transcript(game, BEFORE_THE_LAST_DISC)[None])
    legal = np.flatnonzero(game.legal(state)[0])
    replies = [game.children(game.play(state, [action])) for action in legal]
    safe = [action for action, it in zip(legal, replies, strict=True) if not (game.outcome(it.states) == LOSS).any()]
    assert 0 < len(safe) < len(legal)
    search = GuidedSearch(game, informed(Doubting(game), game, None, 0, 0, winning_moves=True), 64, "gumbel")
    assert all(search.choose(state, np.random.default_rng(seed)).actions[0] in safe for seed in range(5))


def test_a_player_without_it_stays_so_in_its_file(tmp_path: Path) -> None:
    """As the thesis's players, whose search knew nothing but the rules."""
    game = randori.game("tictactoe")
    player = AlphaZero(game, network_for(game), 8)
    path = tmp_path / "mine.safetensors"
    for it in (player, replace(player, winning_moves=False)):
        save_player(path, it, game, learner="alphazero", config={}, training={})
        loaded = load_player(path, game)
        assert isinstance(loaded, AlphaZero)
        assert loaded.winning_moves == it.winning_moves
    assert not HONGCHAROEN.winning_moves
    again = players.player(f"{path}:winning_moves=true", game)
    assert isinstance(again, AlphaZero)
    assert again.winning_moves
