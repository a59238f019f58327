"""The simple players and the strings that name them."""

import numpy as np
import pytest

import randori
from randori.core.game import LOSS, ONGOING, Bools, Game, States
from randori.core.notation import parse_transcript
from randori.core.positions import positions_of_random_games
from randori.core.replay import last_position
from randori.games import names
from randori.players import kinds

SIMPLE = ["random", "greedy", "heuristic"]


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("spec", SIMPLE)
def test_choices_are_legal_and_depend_on_the_generator_alone(name: str, spec: str) -> None:
    game = randori.game(name)
    player = randori.player(spec, game)
    states = positions_of_random_games(game, 10, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING]
    copy = states.copy()
    chosen = player.choose(states, np.random.default_rng(7)).actions
    assert chosen.dtype == np.int16
    assert game.legal(states)[np.arange(len(states)), chosen].all()
    np.testing.assert_array_equal(chosen, player.choose(states, np.random.default_rng(7)).actions)
    np.testing.assert_array_equal(states, copy)
    assert player.name == spec


def test_random_is_uniform() -> None:
    game = randori.game("othello8")
    states = game.start(4000)
    chosen = randori.player("random", game).choose(states, np.random.default_rng(0)).actions
    assert sorted(np.unique(chosen)) == [19, 26, 37, 44]
    assert np.bincount(chosen)[[19, 26, 37, 44]].min() > 900


def test_greedy_takes_most_discs() -> None:
    game = randori.game("othello8")
    states = positions_of_random_games(game, 30, np.random.default_rng(3))
    states = states[game.outcome(states) == ONGOING]
    chosen = randori.player("greedy", game).choose(states, np.random.default_rng(0)).actions
    for state, action in zip(states, chosen, strict=True):
        children = game.children(state[None])
        # A child that ends the game is worth what it ends in, not its discs.
        if (game.outcome(children.states) == ONGOING).all():
            margins = -game.margin(children.states)
            assert margins[list(children.actions).index(action)] == margins.max()


def moves_that_lose(game: Game, states: States) -> Bools:
    """`[B, A]`: the actions after which the other side can win at once; a few states at a time, since replies are many."""
    found = np.zeros((len(states), game.n_actions), np.bool_)
    for first in range(0, len(states), 20):
        children = game.children(states[first : first + 20])
        replies = game.children(children.states)
        lost = replies.parents[game.outcome(replies.states) == LOSS]
        found[first + children.parents[lost], children.actions[lost]] = True
    return found


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku9", "gomoku15"])
def test_heuristic_takes_a_win_and_blocks_one(name: str) -> None:
    """On positions of random games: a win at once is taken, else a single threat is met."""
    game = randori.game(name)
    states = positions_of_random_games(game, 60, np.random.default_rng(5))
    states = states[game.outcome(states) == ONGOING][:: 1 + game.n_actions // 20]
    children = game.children(states)
    wins = game.outcome(children.states) == LOSS
    chosen = randori.player("heuristic", game).choose(states, np.random.default_rng(0)).actions
    after = game.play(states, chosen)
    can_win = np.isin(np.arange(len(states)), children.parents[wins])
    assert can_win.sum() > 20
    assert (game.outcome(after[can_win]) == LOSS).all()

    legal, loses = game.legal(states), moves_that_lose(game, states)
    blockable = np.flatnonzero(loses.any(axis=1) & (legal & ~loses).any(axis=1) & ~can_win)
    assert len(blockable) > 20
    for row in blockable:
        found = game.children(after[row][None])
        assert not (game.outcome(found.states) == LOSS).any()


def test_heuristic_knows_corners() -> None:
    """White can take the corner a1 and does."""
    game = randori.game("othello8")
    cells = np.zeros((1, 8, 8), np.int8)
    cells[0, 0, 1], cells[0, 0, 2], cells[0, 4, 4], cells[0, 4, 5] = -1, 1, -1, 1
    chosen = randori.player("heuristic", game).choose(game.from_cells(cells), np.random.default_rng(0))
    assert game.move_names[chosen.actions[0]] == "a1"


def test_heuristic_opens_in_the_centre() -> None:
    for name, move in [("connect4", "4"), ("tictactoe", "b2")]:
        game = randori.game(name)
        chosen = randori.player("heuristic", game).choose(game.start(1), np.random.default_rng(0))
        assert game.move_names[chosen.actions[0]] == move


@pytest.mark.parametrize("name", ["connect4", "othello8", "gomoku9"])
def test_the_ladder_of_simple_players(name: str) -> None:
    for better, worse in [("greedy", "random"), ("heuristic", "greedy")]:
        assert randori.match(better, worse, name, 400).score.interval[0] > 0.5


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("radnom", "There is no player 'radnom'. Did you mean 'random'"),
        ("random:x=1", "There is no option 'x' of player 'random'. It takes none"),
        ("random:x", "Write options of player 'random' as key=value"),
    ],
)
def test_wrong_specs_are_refused(spec: str, sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        randori.player(spec, "tictactoe")


def test_every_kind_is_described() -> None:
    for name, kind in kinds().items():
        assert kind.spec().startswith(name)
        assert kind.summary


def test_greedy_wins_at_once_in_games_without_discs() -> None:
    game = randori.game("connect4")
    state = last_position(game, parse_transcript(game, "414141"))
    assert randori.player("greedy", game).choose(state, np.random.default_rng(0)).actions[0] == 3
