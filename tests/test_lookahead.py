"""Lookahead against plain minimax, and the players that rest on the solver."""

import numpy as np
import pytest

import randori
from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import LOSS, ONGOING, WIN, Game, States
from randori.core.notation import parse_transcript
from randori.core.positions import positions_of_random_games
from randori.core.replay import last_position
from randori.players.perfect import Perfect
from randori.players.simple import greedy
from randori.search.effort import random_endings as positions_with
from randori.search.evaluators import Margin, Rollouts, heuristic_evaluator
from randori.search.lookahead import Lookahead, lookahead
from randori.search.solver import Solver


class Noted:
    """An evaluator that gives each position a fixed value of its own, and notes what it evaluates."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.evaluated: list[int] = []

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        assert (self.game.outcome(states) == ONGOING).all()
        keys = self.game.keys(states)
        self.evaluated += keys.tolist()
        return Evaluation((keys % np.uint64(1001)).astype(np.float64) / 500.5 - 1.0)


def minimax(game: Game, evaluator: Evaluator, state: States, depth: int) -> float:
    """Plain minimax without any cut; an end counts more, the sooner it comes."""
    outcome = int(game.outcome(state)[0])
    if outcome != ONGOING:
        return float(outcome * (depth + 1))
    if depth == 0:
        return float(evaluator(state, np.random.default_rng(0)).values[0])
    children = game.children(state).states
    return max(-minimax(game, evaluator, children[i : i + 1], depth - 1) for i in range(len(children)))


def exact_value(game: Game, state: States) -> int:
    """Brute force: the final margin for the side to move with best play by both sides."""
    if game.outcome(state)[0] != ONGOING:
        return int(game.margin(state)[0])
    children = game.children(state).states
    return max(-exact_value(game, children[i : i + 1]) for i in range(len(children)))


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_it_chooses_what_plain_minimax_chooses(name: str, depth: int) -> None:
    game = randori.game(name)
    states = positions_of_random_games(game, 3, np.random.default_rng(depth))
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
    assert len(evaluator.evaluated) == len(set(evaluator.evaluated))
    assert len(evaluator.evaluated) < len(plain.evaluated) / 2


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
        ("lookahead:depth=0", "The depth must be 1 to 42 plies"),
        ("lookahead:depth=-2", "The depth must be 1 to 42 plies"),
        ("lookahead:evaluator=margn", "There is no evaluator 'margn'. Did you mean 'margin'"),
        ("lookahead:exact=-1", "0 for never, not -1"),
        ("lookahead:depth=deep", "must be a whole number, not 'deep'"),
    ],
)
def test_wrong_specs_are_refused(spec: str, sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        randori.player(spec, "connect4")


def best_actions(game: Game, evaluator: Evaluator, state: States, depth: int) -> set[int]:
    children = game.children(state)
    scores = [-minimax(game, evaluator, child[None], depth - 1) for child in children.states]
    return {int(action) for action, score in zip(children.actions, scores, strict=True) if score == max(scores)}


def chosen(player: Lookahead, state: States, n: int) -> set[int]:
    """All moves that it chooses in `n` tries."""
    return set(player.choose(np.repeat(state, n, axis=0), np.random.default_rng(0)).actions.tolist())


def after(name: str, moves: str) -> States:
    game = randori.game(name)
    return last_position(game, parse_transcript(game, moves))


@pytest.mark.parametrize(
    ("name", "depth", "empties"),
    [
        ("tictactoe", 1, [6, 7]),
        ("tictactoe", 4, [5, 6, 7]),
        ("connect4", 2, [20, 30]),
        ("connect4", 4, [8, 16]),
        ("othello4", 3, [3, 6, 9]),
        ("othello8", 1, [20, 40]),
        ("othello8", 3, [4, 10, 50]),
        ("gomoku9", 1, [40, 70]),
        ("gomoku9", 2, [8, 20]),
    ],
)
@pytest.mark.parametrize("kind", ["heuristic", "margin"])
def test_ties_of_plain_minimax_are_broken_at_random(name: str, depth: int, empties: list[int], kind: str) -> None:
    game = randori.game(name)
    evaluator = heuristic_evaluator(game) if kind == "heuristic" else Margin(game)
    rng = np.random.default_rng(0)
    for empty in empties:
        for state in positions_with(game, 3, empty, rng):
            found = chosen(Lookahead(game, evaluator, depth), state[None], 40)
            expected = best_actions(game, evaluator, state[None], depth)
            assert found <= expected
            # With so few best moves, forty random choices miss none.
            assert found == expected or len(expected) > 4


def test_depth_one_over_the_margin_is_greedy() -> None:
    game = randori.game("othello8")
    rng = np.random.default_rng(0)
    states = np.concatenate([positions_with(game, 20, empty, rng) for empty in (5, 20, 40)])
    plain, greedily = lookahead(game, depth=1, evaluator="margin"), greedy(game)
    margins = [
        game.margin(game.play(states, it.choose(states, np.random.default_rng(1)).actions)) for it in (plain, greedily)
    ]
    np.testing.assert_array_equal(*margins)


def test_within_its_depth_it_hurries_and_delays_like_the_solver() -> None:
    game = randori.game("connect4")
    player, solver, rng = lookahead(game, depth=5, evaluator="margin"), Solver(game), np.random.default_rng(0)
    n_tried = {LOSS: 0, WIN: 0}
    for state in positions_with(game, 150, 22, rng):
        solution = solver.solve(state[None])
        if solution.value and solution.plies in (3, 4, 5) and n_tried[solution.value] < 5:
            n_tried[solution.value] += 1
            assert chosen(player, state[None], 10) <= set(solution.best)
    assert min(n_tried.values()) >= 3


def test_it_wins_at_once_rather_than_later() -> None:
    # Column 1 wins at once; elsewhere it would stay won for a long time.
    assert chosen(lookahead(randori.game("connect4"), depth=4), after("connect4", "141414"), 20) == {0}


def test_it_sees_a_win_in_three_plies() -> None:
    player = lookahead(randori.game("connect4"), depth=3, evaluator="margin")
    assert chosen(player, after("connect4", "4455"), 20) == {2, 5}


@pytest.mark.parametrize(("name", "exact"), [("othello8", 8), ("othello6", 8), ("connect4", 14), ("gomoku9", 6)])
def test_it_is_exact_near_the_end(name: str, exact: int) -> None:
    game = randori.game(name)
    rng = np.random.default_rng(0)
    player = lookahead(game, depth=1, exact=exact)
    states = positions_with(game, 10, exact, rng)
    best = Solver(game).best(states)
    assert best[np.arange(len(states)), player.choose(states, rng).actions].all()
    # One square earlier it looks one ply ahead and knows who wins there, though not by how much.
    states = positions_with(game, 10, exact + 1, rng)
    outcomes = Solver(game).outcomes(states)
    children = game.play(states, player.choose(states, rng).actions)
    over = game.outcome(children)
    reached = np.where(over == ONGOING, 0, over)
    reached[over == ONGOING] = Solver(game).outcomes(children[over == ONGOING])
    np.testing.assert_array_equal(-reached, outcomes)


def test_many_positions_are_evaluated_in_one_call() -> None:
    game = randori.game("othello8")
    states = positions_with(game, 30, 40, np.random.default_rng(0))
    evaluator, sizes = Noted(game), {1: list[int](), 30: list[int]()}
    for n, batch_sizes in sizes.items():

        def noting(batch: States, rng: np.random.Generator, batch_sizes: list[int] = batch_sizes) -> Evaluation:
            batch_sizes.append(len(batch))
            return evaluator(batch, rng)

        Lookahead(game, noting, 3).choose(states[:n], np.random.default_rng(0))
    assert len(sizes[30]) < 10 * len(sizes[1])
    assert np.mean(sizes[30]) > 5 * np.mean(sizes[1])


def test_chance_comes_from_the_generator_alone() -> None:
    game = randori.game("othello6")
    states = positions_with(game, 10, 20, np.random.default_rng(0))
    player = lookahead(game, depth=2, evaluator="rollouts")
    first, again = (player.choose(states, np.random.default_rng(5)).actions for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_names_list_the_options() -> None:
    game = randori.game("othello8")
    assert lookahead(game).name == "lookahead"
    assert (
        lookahead(game, depth=2, evaluator="rollouts", exact=8).name == "lookahead:depth=2,evaluator=rollouts,exact=8"
    )
    assert Lookahead(game, Rollouts(game), 1, name="mine").name == "mine"


def test_perfect_chooses_at_random_among_the_best() -> None:
    game = randori.game("tictactoe")
    states = np.repeat(game.start(1), 200, axis=0)
    choice = Perfect(game).choose(states, np.random.default_rng(0))
    assert set(choice.actions.tolist()) == set(range(9))
    assert choice.policy is not None
    np.testing.assert_allclose(choice.policy, 1 / 9)


@pytest.mark.parametrize("name", ["othello6", "othello8", "gomoku9", "gomoku19"])
def test_perfect_refuses_what_it_cannot_play_perfectly(name: str) -> None:
    with pytest.raises(randori.UserError, match="lookahead:depth=4,exact="):
        Perfect(randori.game(name))
