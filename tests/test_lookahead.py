"""Lookahead against plain minimax, and the players that rest on the solver."""

import numpy as np
import pytest

import randori
from randori.evaluate import Evaluation, heuristic_evaluator
from randori.game import ONGOING, Game, States
from randori.laws import random_positions
from randori.players.lookahead import Lookahead
from randori.solve import random_positions as positions_with


class Noted:
    """An evaluator that gives each position a fixed value of its own, and notes what it was asked."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.asked: list[int] = []

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        assert (self.game.outcome(states) == ONGOING).all()
        keys = self.game.keys(states)
        self.asked += keys.tolist()
        return Evaluation((keys % np.uint64(1001)).astype(np.float64) / 500.5 - 1.0)


def minimax(game: Game, evaluator: Noted, state: States, depth: int) -> float:
    """Plain minimax without any cut; an end counts more, the sooner it comes."""
    outcome = int(game.outcome(state)[0])
    if outcome != ONGOING:
        return float(outcome * (depth + 1))
    if depth == 0:
        return float(evaluator(state, np.random.default_rng(0)).values[0])
    children = game.children(state).states
    return max(-minimax(game, evaluator, children[i : i + 1], depth - 1) for i in range(len(children)))


def exact_value(game: Game, state: States) -> int:
    """Brute force: the final margin for the side to move when both sides play as well as can be."""
    if game.outcome(state)[0] != ONGOING:
        return int(game.margin(state)[0])
    children = game.children(state).states
    return max(-exact_value(game, children[i : i + 1]) for i in range(len(children)))


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_it_chooses_what_plain_minimax_chooses(name: str, depth: int) -> None:
    game = randori.game(name)
    states = random_positions(game, 3, np.random.default_rng(depth))
    states = states[game.outcome(states) == ONGOING][::3]
    player = Lookahead(game, Noted(game), depth)
    chosen = player.choose(states, np.random.default_rng(0)).actions
    for row, action in enumerate(chosen):
        children = game.children(states[row : row + 1])
        plain = Noted(game)
        scores = [-minimax(game, plain, children.states[i : i + 1], depth - 1) for i in range(len(children.actions))]
        assert scores[list(children.actions).index(action)] == max(scores)


def test_it_cuts_and_remembers() -> None:
    game = randori.game("connect4")
    evaluator, plain = Noted(game), Noted(game)
    state = game.start(1)
    Lookahead(game, evaluator, 4).choose(state, np.random.default_rng(0))
    minimax(game, plain, state, 4)
    assert len(evaluator.asked) == len(set(evaluator.asked))
    assert len(evaluator.asked) < len(plain.asked) / 2


@pytest.mark.parametrize(("name", "empty"), [("othello6", 6), ("connect4", 8), ("tictactoe", 5)])
def test_the_last_plies_are_exact(name: str, empty: int) -> None:
    game = randori.game(name)
    states = positions_with(game, 10, empty, np.random.default_rng(1))
    player = Lookahead(game, heuristic_evaluator(game), 1, exact=empty)
    chosen = player.choose(states, np.random.default_rng(0)).actions
    after = game.play(states, chosen)
    for row in range(len(states)):
        assert exact_value(game, states[row : row + 1]) == -exact_value(game, after[row : row + 1])


def test_deeper_is_stronger() -> None:
    deep, flat = "lookahead:depth=3,evaluator=margin,exact=8", "greedy"
    assert randori.match(deep, flat, "othello6", 60).score.interval[0] > 0.5


def test_perfect_never_loses_and_refuses_what_it_cannot_do() -> None:
    assert randori.match("perfect", "random", "tictactoe", 100).score.losses == 0
    drawn = randori.match("perfect", "perfect", "tictactoe", 20, opening_plies=0).score
    assert drawn.draws == 20
    # The second player wins 4x4 Othello.
    second = randori.match("random", "perfect", "othello4", 20, opening_plies=0, seats="first").score
    assert second.losses == 20
    with pytest.raises(randori.UserError, match=r"too large to be played perfectly.*lookahead:depth=4,exact="):
        randori.player("perfect", "othello8")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("lookahead:depth=0", "at least one ply"),
        ("lookahead:depth=-2", "at least one ply"),
        ("lookahead:evaluator=margn", "There is no evaluator 'margn'. Did you mean 'margin'"),
        ("lookahead:exact=-1", "0 for never, not -1"),
        ("lookahead:depth=deep", "must be a whole number, not 'deep'"),
    ],
)
def test_what_a_spec_cannot_say(spec: str, sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        randori.player(spec, "connect4")
