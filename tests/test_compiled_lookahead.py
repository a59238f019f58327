"""The lookahead of compiled evaluators against the tree in Python, which asks the same evaluators in batches."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import foreign
import numpy as np
import pytest

from randori.core.evaluation import Evaluation, Evaluator, judge_of
from randori.core.game import ONGOING, Game, States
from randori.core.positions import positions_of_random_games
from randori.games import game
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.networks import NetworkTeam, Reach
from randori.methods.evolution.player import Evolved
from randori.methods.som.atlas import Atlas
from randori.methods.som.values import PlaneValues, TableValues, table_rows
from randori.search import batched
from randori.search.alphabeta import AlphaBeta, Limits, best_actions
from randori.search.evaluators import Margin, heuristic_evaluator
from randori.search.lookahead import Lookahead, lookahead

GAMES = ("tictactoe", "connect4", "othello4", "othello6", "othello8", "gomoku9", "hex5", *foreign.FILES)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def positions(it: Game, n: int, seed: int = 0) -> States:
    rng = np.random.default_rng(seed)
    found = positions_of_random_games(it, 30, rng)
    found = found[it.outcome(found) == ONGOING]
    return found[rng.permutation(len(found))[:n]]


def evaluators(it: Game) -> Iterator[Evaluator]:
    rng = np.random.default_rng(0)
    yield Margin(it)
    thumb = heuristic_evaluator(it)
    if judge_of(thumb) is not None:
        yield thumb
    weights = rng.normal(size=(2, 20, it.n_squares)).astype(np.float32)
    thresholds = np.full((2, it.n_squares), 0.5, np.float32)
    atlas = Atlas(it, (4, 5), (it.n_squares // 2, it.n_squares), "product", weights, thresholds)
    slopes = rng.normal(0, 0.02, weights.shape).astype(np.float32)
    yield PlaneValues(atlas, np.zeros((2, 20), np.float32), slopes, 0.7)
    yield TableValues(atlas, rng.normal(size=(int(table_rows(atlas).max()) + 1, 20)).astype(np.float32))


def in_python(evaluator: Evaluator) -> Evaluator:
    """The same values from an evaluator without a judge."""

    def evaluate(states: States, rng: np.random.Generator) -> Evaluation:
        return evaluator(states, rng)

    return evaluate


def check_best(it: Game, evaluator: Evaluator, states: States, depth: int, exact: int) -> None:
    judge, limits = judge_of(evaluator), Limits(depth)
    assert judge is not None
    ours = best_actions(it, judge, states, limits, exact=exact)
    theirs = batched.best_actions(it, evaluator, states, limits, exact, np.random.default_rng(0))
    for row, (one, other) in enumerate(zip(ours.actions, theirs, strict=True)):
        assert np.flatnonzero(one).tolist() == other.tolist(), f"{it.name} depth {depth} exact {exact} row {row}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_all_the_best_moves_are_those_of_the_tree_in_python(name: str) -> None:
    it = game(name)
    wide = it.n_actions > 40
    for evaluator in evaluators(it):
        for depth, n in ((1, 60), (2, 20 if wide else 60), (3, 3 if wide else 30), (4, 1 if wide else 8)):
            check_best(it, evaluator, positions(it, n, depth), depth, exact=0)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "othello8", "snort5", "reversi4x6"])
def test_endings_inside_the_tree_are_solved(name: str) -> None:
    it, exact = game(name), 5
    states = positions(it, 2000)
    left = it.moves_left(states)
    near = states[(left > exact) & (left <= exact + 3)][:30]
    for evaluator in evaluators(it):
        for depth in (1, 2, 3):
            check_best(it, evaluator, near, depth, exact)


@pytest.mark.parametrize("name", ["othello4", "othello6", "reversi4x6"])
def test_a_depth_beyond_the_end_counts_passes(name: str) -> None:
    it = game(name)
    states = positions(it, 3000)
    near = states[it.moves_left(states) <= 4][:60]
    for depth in (5, 8):
        check_best(it, Margin(it), near, depth, exact=0)


@pytest.mark.parametrize("name", ["connect4", "othello6", "breakthrough5", "clobber5"])
@pytest.mark.parametrize("depth", [1, 3])
def test_by_the_same_seed_the_same_moves_are_drawn(name: str, depth: int) -> None:
    it = game(name)
    states = positions(it, 40)
    for exact in (0, 6) if it.fills else (0,):
        compiled, plain = (Lookahead(it, evaluator, depth, exact) for evaluator in (Margin(it), in_python(Margin(it))))
        one, other = (player.choose(states, np.random.default_rng(7)).actions for player in (compiled, plain))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("n_networks", [1, 2])
def test_evolved_players_like_what_their_own_search_likes(name: str, n_networks: int) -> None:
    it = game(name)
    if n_networks == 2 and not it.fills:
        pytest.skip("stones do not tell who began")
    names = feature_names(it, ("default",))
    networks = np.random.default_rng(1).normal(size=(n_networks, 2, len(names) + 2))
    team = NetworkTeam(Features(it, names), networks)
    for depth, n in ((1, 40), (2, 10), (3, 2 if it.n_actions > 40 else 10)):
        states = positions(it, n, depth)
        player = Evolved(it, names, networks, depth)
        scores = team.scores(states, player._owners(states), Reach(depth, 0))
        np.testing.assert_array_equal(player.liked(states), scores == scores.max(axis=1, keepdims=True))


def test_a_search_that_is_cut_into_slices_finds_the_same() -> None:
    it = game("othello6")
    evaluator = heuristic_evaluator(it)
    judge = judge_of(evaluator)
    assert judge is not None
    for state in positions(it, 10)[:, None]:
        whole = AlphaBeta(it, judge).search(state, Limits(5))
        *_, last = (found for found in AlphaBeta(it, judge).deepen(state, Limits(5, nodes=10**9)))
        assert (last.value, last.depth) == (whole.value, whole.depth)


def test_more_nodes_search_deeper_and_equal_nodes_find_the_same() -> None:
    it = game("othello8")
    judge = judge_of(heuristic_evaluator(it))
    assert judge is not None
    for state in positions(it, 10)[:, None]:
        found = [AlphaBeta(it, judge).search(state, Limits(nodes=n)) for n in (1, 300, 3000, 3000)]
        assert [it.depth for it in found] == sorted(it.depth for it in found)
        assert found[2].actions.tolist() == found[3].actions.tolist()
        assert found[2].nodes == found[3].nodes
        assert found[2].nodes < 3000 + 64


def test_a_search_cut_short_is_no_worse_than_the_one_before() -> None:
    """A move that loses at once comes first; it must not be played just because time ran out before the others."""
    it = game("othello4")
    judge = judge_of(heuristic_evaluator(it))
    assert judge is not None
    search, cut_short = AlphaBeta(it, judge), 0

    def worth(state: States, action: int) -> float:
        """The value two plies later."""
        after = it.play(state, [action])
        over = it.outcome(after)[0]
        return -2.0 * float(over) if over != ONGOING else -search.search(after, Limits(1)).value

    for state in positions(it, 200)[:, None]:
        first = AlphaBeta(it, judge).search(state, Limits(1))
        for nodes in range(first.nodes + 1, first.nodes + 20, 2):
            found = AlphaBeta(it, judge).search(state, Limits(depth=2, nodes=nodes))
            cut_short += found.depth == 2
            assert found.depth == 1 or worth(state, found.actions[0]) >= worth(state, first.actions[0])
    assert cut_short > 100


def test_limits_are_options_of_a_spec() -> None:
    it = game("othello6")
    assert lookahead(it, nodes=500).name == "lookahead:nodes=500"
    assert lookahead(it, seconds=0.5, depth=9).name == "lookahead:depth=9,seconds=0.5"


def test_choices_contain_the_values_of_the_search() -> None:
    it, rng = game("connect4"), np.random.default_rng(0)
    evaluator, states = heuristic_evaluator(it), positions(it, 40)
    judge = judge_of(evaluator)
    assert judge is not None
    values = Lookahead(it, evaluator, depth=3).choose(states, rng).values
    expected = [AlphaBeta(it, judge).search(state, Limits(3)).value for state in states[:, None]]
    np.testing.assert_array_equal(values, np.clip(expected, -1, 1))


def test_threads_search_at_the_same_time() -> None:
    it = game("othello6")
    judge, states = judge_of(heuristic_evaluator(it)), positions(it, 30)
    assert judge is not None
    alone = best_actions(it, judge, states, Limits(4))
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: best_actions(it, judge, states, Limits(4)), range(12)):
            np.testing.assert_array_equal(found.actions, alone.actions)
            np.testing.assert_array_equal(found.values, alone.values)
