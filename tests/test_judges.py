"""Compiled evaluators against independent evaluations."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import foreign
import numpy as np
import pytest
from reference import evaluators as slow

from randori.core.evaluation import judge_of, values_by
from randori.core.game import ONGOING, Game, States
from randori.core.positions import positions_of_random_games
from randori.core.symmetry import canonical_keys, symmetries
from randori.games import game
from randori.games.othello.knowledge import Territory
from randori.games.rows.knowledge import OpenLines, rows_of
from randori.kernels.judges import Judge
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.networks import LAST_MOVED, NetworkTeam
from randori.methods.evolution.player import Evolved
from randori.methods.som.atlas import Atlas, boards_of
from randori.methods.som.values import PlaneValues, TableValues, table_rows
from randori.methods.table.player import Table
from randori.search.evaluators import Margin, Rollouts, heuristic_evaluator

GAMES = ("tictactoe", "connect4", "othello6", "othello8", "gomoku9", "hex5", *foreign.FILES)
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def open_positions(it: Game, n_games: int = 20, seed: int = 0) -> States:
    states = positions_of_random_games(it, n_games, np.random.default_rng(seed))
    return states[it.outcome(states) == ONGOING]


@pytest.mark.parametrize("name", GAMES)
def test_margin(name: str) -> None:
    it = game(name)
    states = open_positions(it)
    np.testing.assert_array_equal(values_by(Margin(it).judge, states), it.margin(states) / it.n_squares)


@pytest.mark.parametrize("name", ["othello4", "othello6", "othello8"])
def test_territory(name: str) -> None:
    it = game(name)
    states = open_positions(it, 60)
    np.testing.assert_allclose(Territory(it)(states, RNG).values, slow.territory(it, states), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku9", "gomoku15"])
@pytest.mark.parametrize("tells_bits", [True, False])
def test_open_lines(name: str, tells_bits: bool) -> None:
    it = game(name)
    if not tells_bits:
        it = replace(it, knowledge=replace(it.knowledge, bits=None))
    states = open_positions(it, 10)[::3]
    expected = [slow.open_lines(it, rows_of(it).length, cells) for cells in it.cells(states)]
    np.testing.assert_allclose(OpenLines(it)(states, RNG).values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("n_networks", [1, 2])
def test_evolved_networks_judge_as_a_team_does(name: str, n_networks: int) -> None:
    it, rng = game(name), np.random.default_rng(1)
    if n_networks == 2 and not it.fills:
        pytest.skip("stones do not tell who began")
    names = feature_names(it, ("default",))
    networks = rng.normal(size=(n_networks, 3, len(names) + 2))
    team, states = NetworkTeam(Features(it, names), networks), open_positions(it)
    for owner in range(n_networks):
        # Compared after the hyperbolic tangent, which cannot be undone for large scores.
        values = np.tanh(values_by(team.judge(owner), states))
        np.testing.assert_allclose(values, team.evaluate(states, np.full(len(states), owner)), rtol=0, atol=1e-12)
    placed = it.moves_left(it.start(1)) - it.moves_left(states)
    owners = n_networks - 1 - placed % n_networks
    evolved = Evolved(it, names, networks)
    np.testing.assert_allclose(evolved.evaluate(states, rng).values, team.evaluate(states, owners), rtol=0, atol=1e-12)


def some_atlas(it: Game, winner: str, seed: int = 0) -> Atlas:
    rng, n_stages = np.random.default_rng(seed), 2
    weights = rng.normal(size=(n_stages, 35, it.n_squares)).astype(np.float32)
    thresholds = rng.uniform(0.2, 0.8, (n_stages, it.n_squares)).astype(np.float32)
    return Atlas(it, (5, 7), (it.n_squares // 3, it.n_squares), winner, weights, thresholds)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("winner", ["product", "distance"])
def test_tables_of_maps(name: str, winner: str) -> None:
    it = game(name)
    atlas, states = some_atlas(it, winner), open_positions(it)
    shape = int(table_rows(atlas).max()) + 1, 35
    values = TableValues(atlas, np.random.default_rng(2).normal(size=shape).astype(np.float32))
    np.testing.assert_array_equal(values_by(values.judge, states), values(states, RNG).values)


def plane_values(planes: PlaneValues, boards: Any) -> Any:
    """In double precision, plane by plane."""
    atlas, found = planes.atlas, []
    for board in boards:
        stage = atlas.stages[np.count_nonzero(board)]
        total = 0.0
        for symmetry in symmetries(atlas.game)[: planes.turns]:
            x = board[symmetry.cells].astype(float)
            weights = atlas.weights[stage].astype(float)
            scores = weights @ x - (0.5 * (weights**2).sum(axis=1) if atlas.winner == "distance" else 0.0)
            closeness = np.maximum(0.0, 1 - (scores.max() - scores) / (16 * planes.temperature)) ** 16
            heights = planes.levels[stage] + planes.slopes[stage].astype(float) @ x
            total += closeness @ heights / closeness.sum()
        found.append(np.clip(-total / planes.turns, -1, 1))
    return np.array(found)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("winner", ["product", "distance"])
@pytest.mark.parametrize("all_turns", [False, True])
def test_planes_of_maps(name: str, winner: str, all_turns: bool) -> None:
    it, rng = game(name), np.random.default_rng(3)
    atlas, states = some_atlas(it, winner), open_positions(it, 5)
    levels, slopes = rng.normal(0, 0.1, (2, 35)), rng.normal(0, 0.02, atlas.weights.shape)
    turns = len(symmetries(it)) if all_turns else 1
    planes = PlaneValues(atlas, levels.astype(np.float32), slopes.astype(np.float32), 0.7, turns)
    expected = plane_values(planes, boards_of(it, states))
    np.testing.assert_allclose(planes(states, rng).values, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", GAMES)
def test_tables(name: str) -> None:
    it, rng = game(name), np.random.default_rng(4)
    states = open_positions(it)
    known = np.unique(canonical_keys(it, states[::2]))
    values = rng.uniform(-1, 1, len(known))
    table = Table(it, known, values)
    expected = slow.known_value(it, known, values, canonical_keys(it, states))
    np.testing.assert_array_equal(table.evaluate(states, rng).values, expected)
    assert len(np.unique(expected)) > 3


def test_a_table_that_knows_nothing() -> None:
    it = game("connect4")
    assert Table(it, np.zeros(0, np.uint64), np.zeros(0)).evaluate(it.start(2), RNG).values.tolist() == [0.0, 0.0]


def judges(name: str) -> Iterator[Judge]:
    it, rng = game(name), np.random.default_rng(5)
    yield Margin(it).judge
    thumb = judge_of(heuristic_evaluator(it))
    if thumb is not None:
        yield thumb
    atlas = some_atlas(it, "product")
    yield PlaneValues(
        atlas, np.zeros((2, 35), np.float32), rng.normal(0, 0.02, atlas.weights.shape).astype("f4"), 0.7
    ).judge
    yield TableValues(atlas, rng.normal(size=(int(table_rows(atlas).max()) + 1, 35)).astype(np.float32)).judge
    names = feature_names(it, ("default",))
    yield NetworkTeam(Features(it, names), rng.normal(size=(2, 3, len(names) + 2))).judge(LAST_MOVED)
    known = np.unique(canonical_keys(it, open_positions(it)))
    yield Table(it, known, rng.uniform(-1, 1, len(known))).judge


@pytest.mark.parametrize("name", ["othello6", "connect4", "hex5"])
def test_threads_share_a_judge(name: str) -> None:
    states = open_positions(game(name), 40)
    for judge in judges(name):
        alone = values_by(judge, states)
        with ThreadPoolExecutor(4) as threads:
            for together in threads.map(lambda _, judge=judge: values_by(judge, states), range(8)):
                np.testing.assert_array_equal(together, alone)


def test_evaluators_say_whether_they_are_compiled() -> None:
    for name in ("tictactoe", "connect4", "othello8", "gomoku9", "hex7"):
        assert judge_of(heuristic_evaluator(game(name))) is not None
    assert judge_of(Rollouts(game("connect4"))) is None
