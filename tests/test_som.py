"""Self-organizing maps: the paper's equations, positions they give back, what games teach, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import minisom
import numpy as np
import pytest
from calling import from_python
from reference import som as reference

import randori
from randori.core.game import ONGOING, Game
from randori.core.positions import positions_of_random_games
from randori.core.symmetry import symmetries
from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.kernels import bits
from randori.methods.som import map_training as maps
from randori.methods.som import thresholds
from randori.methods.som.atlas import (
    SEVEN_STAGES,
    THREE_STAGES,
    Atlas,
    Span,
    Winner,
    boards_of,
    retrieved_rightly,
    stage_ends,
)
from randori.methods.som.config import PAPER, PAPER_THREE, Method, SomConfig
from randori.methods.som.kernels import maps as som
from randori.methods.som.kernels import sparring as som_sparring
from randori.methods.som.learner import SomLearner, play_chance
from randori.methods.som.player import SelfOrganized
from randori.methods.som.values import PlaneValues, TableValues, planes_of, table_rows
from randori.players.files import load_player, save_player

random_below, random_unit = from_python(bits.random_below), from_python(bits.random_unit)
MOVE_REWARD = -0.0001

both_winners = pytest.mark.parametrize("winner", ["product", "distance"])


def some_boards(n: int, n_squares: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(-1, 2, (n, n_squares)).astype(np.int8)


def some_weights(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def some_atlas(name: str, winner: Winner, shape: tuple[int, int] = (5, 6), seed: int = 0) -> Atlas:
    game = randori.game(name)
    n_squares, ends = game.shape[0] * game.shape[1], stage_ends(game, THREE_STAGES)
    weights = some_weights(len(ends), shape[0] * shape[1], n_squares, seed=seed)
    levels = np.abs(some_weights(len(ends), n_squares, seed=seed + 1)) if winner == "distance" else None
    empty = np.zeros((len(ends), n_squares), np.float32)
    return Atlas(game, shape, ends, winner, weights, empty if levels is None else levels)


def trained(weights: Any, boards: Any, shape: tuple[int, int], euclidean: bool, *how: float, seed: int = 7) -> Any:
    """Our kernel, with the boards that it drew."""
    blocks, biases = som.lay_out(weights), som.biases_of(weights, euclidean)
    n, stream = int(how[-1]), np.array([seed], np.uint64)
    drawn = [boards[random_below(stream, len(boards))] for _ in range(n)]
    stream[0] = seed
    # In two pieces, as a run that is interrupted trains.
    for done, part in ((0, n // 3), (n // 3, n - n // 3)):
        som.train(blocks, biases, euclidean, shape, boards, som.Course(*map(float, how[:3]), done, part, n), stream)
    return som.read_out(blocks, len(weights)), biases, drawn


@both_winners
def test_training_is_that_of_the_equations(winner: Winner) -> None:
    weights, boards, shape, euclidean = some_weights(30, 9), some_boards(50, 9), (5, 6), winner == "distance"
    ours, biases, drawn = trained(weights, boards, shape, euclidean, 0.3, 5.0, 2.0, 400)
    theirs = reference.train(weights, drawn, shape, euclidean, 0.3, (5.0, 2.0), 400)
    np.testing.assert_allclose(ours, theirs, atol=2e-5)
    np.testing.assert_allclose(biases[:30], som.biases_of(ours, euclidean)[:30], atol=1e-4)


def test_cutting_off_the_neighbourhood_changes_little() -> None:
    weights, boards = some_weights(144, 9), some_boards(50, 9)
    ours, _, drawn = trained(weights, boards, (12, 12), True, 0.1, 2.0, 1.0, 300)
    theirs = reference.train(weights, drawn, (12, 12), True, 0.1, (2.0, 1.0), 300)
    np.testing.assert_allclose(ours, theirs, atol=5e-3)


def test_minisom_trains_the_same_map() -> None:
    weights, boards, n = some_weights(30, 9), some_boards(50, 9), 300
    judge = minisom.MiniSom(
        5, 6, 9, sigma=4.0, learning_rate=0.2, decay_function="linear_decay_to_zero",
        sigma_decay_function="linear_decay_to_one",
    )  # fmt: skip
    judge._weights = weights.reshape(5, 6, 9).astype(float)
    ours, _, drawn = trained(weights, boards, (5, 6), True, 0.2, 4.0, 1.0, n)
    for t, board in enumerate(drawn):
        judge.update(board.astype(float), judge.winner(board.astype(float)), t, n)
    # MiniSom cuts nothing off, so maps agree up to what we cut off.
    np.testing.assert_allclose(ours, judge.get_weights().reshape(30, 9), atol=5e-3)


def test_training_by_batches_brings_the_neurons_to_the_boards() -> None:
    game = randori.game("tictactoe")
    data = maps.Data(maps.Stage(game, Span(3, 5), "mover"), maps.BY_CHANCE, 500, 1)
    start = maps.Map(some_weights(36, 9) / 10, (6, 6), "distance")
    by_batches = maps.train_batch(start, data, np.geomspace(3.0, 1.0, 10))
    online = maps.train_online(start, data, maps.parts(500, 5000, 0, 1), 3)

    def error(weights: Any) -> float:
        boards = data.boards().astype(float)
        return float(np.mean([np.min(np.linalg.norm(weights - board, axis=1)) for board in boards]))

    assert error(by_batches) < 1.05 * error(online) < 0.98 * error(start.weights)


def test_rounds_share_the_iterations_out() -> None:
    done = [part for round in range(7) for part in maps.parts(100, 1000, round, 7)]
    for phase, total in ((maps.ROUGH, 100), (maps.FINE, 1000)):
        parts = [it for it in done if it.phase == phase]
        assert sum(it.n for it in parts) == total
        assert [it.done for it in parts] == [sum(it.n for it in parts[:place]) for place in range(len(parts))]


@pytest.mark.parametrize("view", ["first", "mover"])
def test_boards_are_of_whole_games_and_of_their_stage(view: maps.View) -> None:
    stage = maps.Stage(randori.game("othello6"), Span(5, 20), view)
    boards = maps.some_boards(stage, maps.BY_CHANCE, 1000, np.random.default_rng(0))
    moves = np.count_nonzero(boards, axis=1) - 4
    assert boards.shape == (1000, 36)
    assert (moves.min(), moves.max()) == (5, 20)
    counts = np.bincount(moves)[5:]
    assert counts.max() < 1.2 * counts.min()
    mean = boards.sum() / np.abs(boards).sum()
    # The side that has just moved has more stones; the side that began has not.
    assert mean > 0.1 if view == "mover" else abs(mean) < 0.05


def test_a_stage_that_no_game_reaches_leaves_its_map_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("gomoku19")
    monkeypatch.setattr(maps, "GAMES_AT_LEAST", 3)
    data = maps.Data(maps.Stage(game, Span(359, 361), "mover"), maps.BY_CHANCE, 10, 1)
    start = maps.Map(some_weights(4, 361), (2, 2), "distance")
    assert data.boards().shape == (0, 361)
    np.testing.assert_array_equal(maps.train_online(start, data, maps.parts(9, 9, 0, 1), 3), start.weights)
    np.testing.assert_array_equal(maps.train_batch(start, data, np.ones(2)), start.weights)


def seen_in(name: str, source: maps.Source, n_games: int) -> list[maps.Seen]:
    game = randori.game(name)
    stage = maps.Stage(game, Span(0, game.shape[0] * game.shape[1]), "mover")
    return list(maps.boards_of_games(stage, source, n_games, np.random.default_rng(3)))


def test_boards_are_of_the_games_of_their_source() -> None:
    game, n = randori.game("othello6"), 40
    for ply in seen_in("othello6", maps.Source("heuristic", 0.0), n)[1:2]:
        replies = randori.player("heuristic", game).choose(game.start(n), np.random.default_rng(0)).actions
        expected = boards_of(game, game.play(game.start(n), replies))
        assert {it.tobytes() for it in ply.boards} <= {
            it[s.cells].tobytes() for it in expected for s in symmetries(game)
        }
    distinct = [
        len(
            np.unique(
                np.concatenate([it.boards for it in seen_in("othello6", maps.Source("heuristic", chance), n)]), axis=0
            )
        )
        for chance in (0.0, 0.1, 0.5, 1.0)
    ]
    # The more random moves, the less alike the games; with random moves alone they are games by chance.
    assert sorted(set(distinct)) == distinct
    by_lot = len(np.unique(np.concatenate([it.boards for it in seen_in("othello6", maps.BY_CHANCE, n)]), axis=0))
    assert abs(distinct[-1] - by_lot) < 0.03 * by_lot


def test_stages_divide_other_games_in_proportion() -> None:
    assert stage_ends(randori.game("othello8"), SEVEN_STAGES) == SEVEN_STAGES
    assert stage_ends(randori.game("tictactoe"), THREE_STAGES) == (4, 7, 9)
    assert stage_ends(randori.game("connect4"), SEVEN_STAGES)[-1] == 42
    atlas = some_atlas("othello4", "product")
    # 4 stones at the start, and moves 1 to 5, 6 to 9 and 10 to 12 after it.
    assert atlas.ends == (5, 9, 12)
    assert atlas.stages[4:].tolist() == [0] * 6 + [1] * 4 + [2] * 3


@both_winners
@pytest.mark.parametrize("name", ["tictactoe", "othello4"])
def test_places_are_those_of_section_four(name: str, winner: Winner) -> None:
    atlas = some_atlas(name, winner, (3, 4))
    game = atlas.game
    # Half the neurons stand for positions that occur, so that some boards come back as they are.
    boards = boards_of(game, positions_of_random_games(game, 20, np.random.default_rng(0)))
    by_stage = atlas.stages[np.count_nonzero(boards, axis=1)]
    for stage in range(len(atlas.ends)):
        some = boards[by_stage == stage][:6]
        atlas.weights[stage, : len(some)] = 0.9 * some + some_weights(*some.shape) / 50
    atlas.thresholds[:] /= 2
    found = atlas.find(boards)
    expected = [
        reference.place(atlas.weights[stage], atlas.thresholds[stage], board.reshape(game.shape), winner == "distance")
        for stage, board in zip(by_stage, boards, strict=True)
    ]
    assert found.neurons.tolist() == expected
    assert len(np.unique(found.turns)) > 3
    turned = atlas.turned(boards, found)
    cells = [it.cells for it in symmetries(game)]
    for board, turned_board, turn in zip(boards, turned, found.turns, strict=True):
        np.testing.assert_array_equal(turned_board, board[cells[turn]])


def test_squares_that_come_back_are_counted() -> None:
    atlas = some_atlas("tictactoe", "distance", (1, 2))
    board = np.array([[1, -1, 1, 0, 0, 0, 0, 0, 0]], np.int8)
    stage = atlas.stages[3]
    atlas.weights[stage] = np.array([[0.9, 0.6, 0.9, 0, 0.9, 0, 0, 0, 0], [-3] * 9])
    atlas.thresholds[:] = 0.5
    right, right_stones = retrieved_rightly(atlas, board)
    # The middle stone has the wrong colour, and one stone is too many; turning it cannot help.
    assert (right.tolist(), right_stones.tolist()) == ([7], [2])


def test_fixed_and_statistical_thresholds() -> None:
    assert thresholds.fixed(4, 0.5).tolist() == [0.5] * 4
    rng = np.random.default_rng(0)
    weights = (rng.normal(size=(20_000, 3)) * [1.0, 2.0, 0.5]).astype(np.float32)
    boards = np.zeros((1000, 3), np.int8)
    boards[:317, 0] = 1  # 68.3 % empty: one standard deviation, the paper's own example
    boards[:, 1] = -1
    found = thresholds.statistical(weights, boards)
    assert found[0] == pytest.approx(1.0, abs=0.02)
    assert found[1] == 0
    assert np.mean(np.abs(weights[:, 2]) > found[2]) == 0, "a square that is always empty has no stone"


def test_the_genetic_algorithm_finds_what_keeps_most_stones() -> None:
    rng = np.random.default_rng(0)
    weights, boards = some_weights(20, 9), some_boards(300, 9)
    found = thresholds.genetic(weights, boards, rng)
    statistical = thresholds.statistical(weights, boards)
    winners = [reference.winner(weights, board, True) for board in boards]

    def kept(levels: Any) -> int:
        return int(np.sum((reference.retrieve(weights[winners], levels) == boards) & (boards != 0)))

    assert kept(found) > kept(statistical)
    assert kept(found) == kept(np.zeros(9))
    assert thresholds.genetic(weights, boards, np.random.default_rng(0)).tolist() == found.tolist()


class SlowAgent:
    """The paper's agent in plain Python; it draws from the same stream as the kernel."""

    def __init__(self, atlas: Atlas, config: SomConfig, seed: int) -> None:
        self.atlas, self.game, self.config, self.stream = atlas, atlas.game, config, np.array([seed], np.uint64)
        self.values: dict[tuple[int, int], float] = {}

    def key(self, state: Any) -> tuple[int, int]:
        board = boards_of(self.game, state)[0]
        stage = self.atlas.stages[np.count_nonzero(board)]
        parts = self.atlas.weights[stage], self.atlas.thresholds[stage], board.reshape(self.game.shape)
        row = table_rows(self.atlas)[np.count_nonzero(board)]
        return int(row), reference.place(*parts, self.atlas.winner == "distance")

    def margin_after(self, state: Any) -> int:
        game = self.game
        return -reference.best_margin(
            lambda it: [] if game.outcome(it)[0] != ONGOING else list(game.children(it).states[:, None]),
            lambda it: int(game.margin(it)[0]),
            state,
        )

    def choose(self, children: Any) -> int:
        empty = np.sum(self.game.cells(children)[0] == 0) + 1
        if empty <= self.config.exact:
            return int(np.argmax([self.margin_after(it[None]) for it in children]))
        if random_unit(self.stream) < self.config.exploring:
            return int(random_below(self.stream, len(children)))
        best, pick, equals = -np.inf, 0, 0
        for place, child in enumerate(children):
            value = self.values.get(self.key(child[None]), 0.0)
            if value > best:
                best, pick, equals = value, place, 1
            elif value == best:
                equals += 1
                pick = place if random_below(self.stream, equals) == 0 else pick
        return pick

    def play(self) -> int:
        """One game; returns its outcome for the agent, who begins."""
        game, state, visited, ply = self.game, self.game.start(1), list[tuple[int, int]](), 0
        td = reference.TdLambda(self.values, self.config.rate, self.config.discount, self.config.trace_decay)
        while (outcome := game.outcome(state)[0]) == ONGOING:
            children = game.children(state).states
            before = np.count_nonzero(game.cells(state))
            if ply % 2:
                state = children[random_below(self.stream, len(children))][None]
            elif np.count_nonzero(game.cells(children[:1])) == before:
                state = children[:1]
            else:
                state = children[self.choose(children)][None]
                if self.config.method == "td" and visited:
                    td.step(visited[-1], MOVE_REWARD, self.values.get(self.key(state), 0.0))
                visited.append(self.key(state))
            ply += 1
        result = int(outcome) if ply % 2 == 0 else -int(outcome)
        last_reward = 1000.0 * result + MOVE_REWARD
        if self.config.method == "td":
            td.step(visited[-1], last_reward, 0.0)
        else:
            split = self.config.monte_carlo == "split-equally"
            learn = reference.monte_carlo_split if split else reference.monte_carlo
            learn(self.values, visited, [MOVE_REWARD] * (len(visited) - 1) + [last_reward])
        return result


EQUATIONS: list[dict[str, Any]] = [
    {"method": "td", "trace_decay": 0.0},
    {"method": "td", "trace_decay": 0.8},
    {"method": "monte-carlo", "monte_carlo": "divided-by-time"},
    {"method": "monte-carlo", "monte_carlo": "split-equally"},
]


@both_winners
@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("name", ["tictactoe", "othello4"])
def test_games_teach_what_the_equations_say(name: str, equation: dict[str, Any], winner: Winner) -> None:
    """Places, choices, ends and updates: the whole agent against an independent one."""
    atlas = some_atlas(name, winner, (9, 10))
    if winner == "distance":
        # Few stones come back, and few neurons win: a game then visits a place twice.
        atlas.weights[:, 5:] *= 3
    config = SomConfig(winner=winner, rate=0.4, exploring=0.2, exact=3, **equation)
    slow = SlowAgent(atlas, config, 11)
    expected = [slow.play() for _ in range(40)]
    table = np.zeros((int(table_rows(atlas).max()) + 1, 90))
    outcomes = np.empty(40, np.int8)
    play_chance(atlas, table, config, np.array([11], np.uint64), outcomes)
    assert outcomes.tolist() == expected
    expected_table = np.zeros_like(table)
    for (row, neuron), value in slow.values.items():
        expected_table[row, neuron] = value
    np.testing.assert_allclose(table, expected_table, rtol=1e-9, atol=1e-9)
    assert np.count_nonzero(table) > 10


@pytest.mark.parametrize("name", ["connect4", "othello8", "gomoku9"])
def test_places_near_the_position_before_are_those_found_from_nothing(name: str) -> None:
    """The kernel that plays keeps scores from move to move and passes most neurons over; `Atlas.find` does not."""
    atlas = some_atlas(name, "product", (20, 21))
    config = SomConfig(method="td", rate=1.0, discount=0.0, trace_decay=0.0, exploring=1.0, exact=0)
    table = np.zeros((int(table_rows(atlas).max()) + 1, 420))
    play_chance(atlas, table, config, np.array([3], np.uint64), np.empty(1, np.int8))
    # The same game again by the same stream; with this rate every visited entry now holds its reward.
    stream, game, ply = np.array([3], np.uint64), atlas.game, 0
    state, visited = atlas.game.start(1), set()
    while game.outcome(state)[0] == ONGOING:
        children = game.children(state).states
        if ply % 2 == 0:
            random_unit(stream)
        state = children[random_below(stream, len(children))][None]
        if ply % 2 == 0:
            board = boards_of(game, state)
            visited.add((int(np.count_nonzero(board)), int(atlas.find(board).neurons[0])))
        ply += 1
    assert {(int(row), int(neuron)) for row, neuron in np.argwhere(table)} == visited


def some_planes(name: str, winner: Winner = "product", seed: int = 0) -> PlaneValues:
    atlas = some_atlas(name, winner, (5, 7), seed)
    levels, slopes = some_weights(len(atlas.ends), 35, seed=5), some_weights(*atlas.weights.shape, seed=6) / 20
    return PlaneValues(atlas, levels / 4, slopes, 0.7)


def slow_value(values: PlaneValues, board: Any) -> float:
    atlas, stage = values.atlas, values.atlas.stages[np.count_nonzero(board)]
    weights = atlas.weights[stage].astype(float)
    biases = -0.5 * (weights**2).sum(axis=1) if atlas.winner == "distance" else np.zeros(len(weights))
    parts = weights, biases, values.levels[stage], values.slopes[stage]
    return reference.plane_value(*parts, board.astype(float), values.temperature)


@both_winners
@pytest.mark.parametrize("name", ["connect4", "othello8"])
def test_soft_values_are_weighted_means_of_planes(name: str, winner: Winner) -> None:
    values = some_planes(name, winner)
    game = values.atlas.game
    states = positions_of_random_games(game, 2, np.random.default_rng(1))
    boards = boards_of(game, states)
    found = values(states, np.random.default_rng(0)).values
    np.testing.assert_allclose(found, [-slow_value(values, board) for board in boards], atol=1e-5)
    both = PlaneValues(values.atlas, values.levels, values.slopes, values.temperature, turns=2)
    mirrored = boards[:, symmetries(game)[1].cells]
    mean = [
        -(slow_value(values, one) + slow_value(values, other)) / 2 for one, other in zip(boards, mirrored, strict=True)
    ]
    np.testing.assert_allclose(both(states, np.random.default_rng(0)).values, mean, atol=1e-5)


def slow_sparring(values: PlaneValues, how: som_sparring.Sparring, seed: int) -> tuple[int, Any, Any]:
    """One game of sparring in plain Python: the beginner's outcome, and the planes after it."""
    atlas, game, stream = values.atlas, values.atlas.game, np.array([seed], np.uint64)
    path, n_random = [game.start(1)], random_below(stream, how.opening + 1)
    while game.outcome(path[-1])[0] == ONGOING and np.sum(game.cells(path[-1]) == 0) > how.exact:
        children = game.children(path[-1]).states
        if len(path) <= n_random or random_unit(stream) < how.exploring:
            pick = random_below(stream, len(children))
        elif len(children) == 1:
            pick = 0
        else:
            ends = game.outcome(children)
            worth = [
                slow_value(values, board) if end == ONGOING else -float(end)
                for end, board in zip(ends, boards_of(game, children), strict=True)
            ]
            pick = int(np.argmax(worth))
        path.append(children[pick][None])
    result = np.sign(SlowAgent(atlas, SomConfig(), 0).margin_after(path[-1])) * -1
    levels, slopes = values.levels.astype(float), values.slopes.astype(float)
    planes = PlaneValues(atlas, levels, slopes, values.temperature)
    reached = after = -result
    for state in reversed(path[1:-1]):
        board = boards_of(game, state)[0][symmetries(game)[random_below(stream, len(symmetries(game)))].cells]
        value = slow_value(planes, board)
        reached = -((1 - how.trace_decay) * after + how.trace_decay * reached)
        stage = atlas.stages[np.count_nonzero(board)]
        parts = atlas.weights[stage].astype(float), np.zeros(35), levels[stage], slopes[stage]
        reference.correct_planes(*parts, board.astype(float), values.temperature, how.rate * (reached - value))
        after = value
    outcome = result if len(path) % 2 == 1 else -result
    return int(outcome), levels, slopes


@pytest.mark.parametrize("name", ["connect4", "othello4", "tictactoe"])
def test_sparring_is_td_lambda_back_from_the_end(name: str) -> None:
    values = some_planes(name)
    how = som_sparring.Sparring(0.3, 0.7, 0.2, 4, 3, True)
    places = np.stack([np.argsort(it.cells) for it in symmetries(values.atlas.game)])
    for seed in range(5):
        planes = PlaneValues(values.atlas, values.levels, values.slopes, values.temperature).planes
        outcomes = np.empty(1, np.int8)
        room, stream = som_sparring.room_for(planes), np.array([seed], np.uint64)
        som_sparring.spar(values.atlas.game.rules, planes, room, places, how, stream, outcomes)
        outcome, levels, slopes = slow_sparring(values, how, seed)
        learned = planes_of(values.atlas, planes, values.temperature)
        assert outcomes[0] == outcome
        np.testing.assert_allclose(learned.levels, levels, atol=1e-4)
        np.testing.assert_allclose(learned.slopes, slopes, atol=1e-4)


TINY = SomConfig(height=4, width=5, data=(300,), rough=(400,), fine=(600,), map_rounds=1, games=50)


def tiny_learner(game: Game, config: SomConfig, rounds: int, staff: CountingWorkers, seed: int = 0) -> SomLearner:
    learner = SomLearner(game, config, np.random.default_rng(seed), staff)
    for _ in range(rounds):
        learner.learn([])
    return learner


@pytest.mark.parametrize("method", ["sparring", "td", "monte-carlo"])
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "gomoku9"])
def test_every_game_is_learned_and_the_player_kept(name: str, method: Method, tmp_path: Path) -> None:
    game = randori.game(name)
    with CountingWorkers(1) as staff:
        learner = tiny_learner(game, replace(TINY, method=method, games=5, exact=2), 2, staff)
    player = learner.player()
    assert np.any(player.contents()[0]["levels" if method == "sparring" else "values"] != 0)
    path = tmp_path / "player.safetensors"
    save_player(path, player, game, learner="som", config={}, training={})
    again = load_player(path, game)
    states = positions_of_random_games(game, 2, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING][::12]
    rngs = [np.random.default_rng(1) for _ in range(2)]
    np.testing.assert_array_equal(player.choose(states, rngs[0]).actions, again.choose(states, rngs[1]).actions)
    assert again.name == str(path)


def test_sparring_learns_tictactoe() -> None:
    game = randori.game("tictactoe")
    with CountingWorkers(1) as staff:
        learner = tiny_learner(game, replace(TINY, games=1500, exact=0), 4, staff)
    score = randori.match(learner.player(), randori.player("random", game), game, 200).score
    assert score.mean > 0.75


def test_each_side_can_have_maps_of_its_own(tmp_path: Path) -> None:
    game = randori.game("hex5")
    with CountingWorkers(1) as staff:
        learner = tiny_learner(game, replace(TINY, by_side=True, stages=(30, 60), data=(40,), games=5), 2, staff)
    atlas = learner.atlas
    assert atlas.spans == [Span(0, 12, False), Span(0, 12, True), Span(13, 25, False), Span(13, 25, True)]
    assert atlas.stages.tolist() == [n % 2 + 2 * (n > 12) for n in range(26)]
    for place, data in enumerate(learner.data()):
        stones = np.count_nonzero(data.boards(), axis=1)
        assert set(atlas.stages[stones]) == {place}
    path = tmp_path / "player.safetensors"
    save_player(path, learner.player(), game, learner="som", config={}, training={})
    again = load_player(path, game)
    states = positions_of_random_games(game, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(
        again.evaluate(states, np.random.default_rng(0)).values,
        learner.player().evaluate(states, np.random.default_rng(0)).values,
    )


@pytest.mark.parametrize(
    ("winner", "kind"), [("product", "zero"), ("distance", "statistical"), ("distance", "genetic")]
)
def test_thresholds_come_with_the_last_round_of_the_maps(winner: Winner, kind: Any) -> None:
    config = replace(TINY, winner=winner, thresholds=kind, map_rounds=2)
    with CountingWorkers(1) as staff:
        halfway = tiny_learner(randori.game("othello4"), config, 1, staff)
        done = tiny_learner(randori.game("othello4"), config, 2, staff)
    assert not halfway.atlas.thresholds.any()
    assert done.atlas.thresholds.any() == (kind != "zero")


def test_the_source_of_the_maps_data_is_a_setting() -> None:
    game = randori.game("othello4")
    with CountingWorkers(1) as staff:
        by_chance, by_rule = (
            tiny_learner(game, replace(TINY, source=source, source_chance=0.1), 1, staff)
            for source in ("random", "heuristic")
        )
        assert [it.source for it in by_rule.data()] == [maps.Source("heuristic", 0.1)] * len(by_rule.atlas.ends)
        assert not np.array_equal(by_chance.atlas.weights, by_rule.atlas.weights)
        with pytest.raises(UserError, match="heuristic"):
            tiny_learner(game, replace(TINY, source="heuristik"), 0, staff)


def test_maps_can_be_taken_over(tmp_path: Path) -> None:
    game = randori.game("othello4")
    path = tmp_path / "maps.safetensors"
    with CountingWorkers(1) as staff:
        first = tiny_learner(game, TINY, 1, staff)
        save_player(path, first.player(), game, learner="som", config={}, training={})
        second = tiny_learner(game, replace(TINY, maps=str(path)), 1, staff, seed=9)
        np.testing.assert_array_equal(second.atlas.weights, first.atlas.weights)
        assert second.n_games == 50
        with pytest.raises(UserError, match="another size"):
            tiny_learner(game, replace(TINY, maps=str(path), height=7), 0, staff)
        with pytest.raises(UserError, match="plays othello4"):
            tiny_learner(randori.game("othello6"), replace(TINY, maps=str(path)), 0, staff)
        with pytest.raises(UserError, match="has no maps"):
            tiny_learner(randori.game("tictactoe"), replace(TINY, maps="zoo/tictactoe-evolution"), 0, staff)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"height": 0}, "at least one row"),
        ({"width": -1}, "at least one row"),
        ({"stages": ()}, "rising numbers"),
        ({"stages": (30, 20, 60)}, "rising numbers"),
        ({"data": (1, 2)}, "'data' must be one number for all maps"),
        ({"fine": (0,)}, "'fine'"),
        ({"thresholds": "statistical"}, "no thresholds"),
        ({"thresholds": "genetic"}, "no thresholds"),
        ({"games": 0}, "'games'"),
        ({"rate": 1.5}, "'rate'"),
        ({"exact": 20}, "at most 12"),
        ({"source_chance": 1.5}, "'source_chance'"),
        ({"temperature": 0.0}, "temperature"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        replace(SomConfig(), **changes)


def test_maps_and_boards_of_another_size_are_refused() -> None:
    atlas = some_atlas("othello4", "product")
    with pytest.raises(UserError, match="16 squares"):
        atlas.find(some_boards(3, 9))
    with pytest.raises(UserError, match="train the maps on Othello 6x6"):
        Atlas(randori.game("othello6"), atlas.shape, atlas.ends, "product", atlas.weights, atlas.thresholds)
    with pytest.raises(UserError, match="at least one row"):
        Atlas(atlas.game, (0, 5), atlas.ends, "product", atlas.weights[:, :0], atlas.thresholds)
    with pytest.raises(UserError, match="0 or more"):
        thresholds.fixed(9, -0.1)
    values = some_planes("othello4")
    for changes, sentence in (({"temperature": 0.0}, "from 0.000001"), ({"turns": 9}, "1 to 8 ways")):
        with pytest.raises(UserError, match=sentence):
            replace(values, **changes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="table of values"):
        TableValues(atlas, np.zeros((3, 30), np.float32))
    with pytest.raises(UserError, match="depth"):
        SelfOrganized(atlas.game, values, depth=0)


def test_recipes_are_as_published() -> None:
    assert (sum(PAPER.fine), sum(PAPER.rough)) == (302_500_000, 30_250_000)
    assert (sum(PAPER_THREE.fine), sum(PAPER_THREE.data)) == (2_200_000, 42_124)
    for it in (PAPER, PAPER_THREE):
        assert (it.height, it.width, it.winner) == (50, 50, "product")
        assert (it.rate, it.discount, it.trace_decay, it.exploring) == (0.4, 0.9998, 0.8, 0.1)
    assert (PAPER.exact, PAPER_THREE.exact) == (4, 0)
    assert (PAPER.stages, PAPER_THREE.stages) == ((18, 30, 40, 46, 52, 56, 60), (25, 45, 60))
    assert (maps.ROUGH, maps.FINE) == ((0.1, None, 3.0), (0.01, 3.0, 1.0))


@pytest.mark.parametrize("name", ["tictactoe", "connect4"])
def test_nodes_limit_a_search_in_games_shorter_than_it_could_look(name: str) -> None:
    game = randori.game(name)
    player = randori.load(f"zoo/{name}-som", "nodes=50")
    assert game.legal(game.start(1))[0, player.choose(game.start(1), np.random.default_rng(0)).actions[0]]
