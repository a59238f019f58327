"""N-tuple networks: indices, values and learning steps against slow, independent code; and learning to play well."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import foreign
import numpy as np
import pytest

import randori
from randori.app.commands.map import draw
from randori.core.game import ONGOING, Game, States
from randori.core.positions import positions_of_random_games
from randori.core.symmetry import symmetries, transform
from randori.core.tuples import windows
from randori.errors import UserError
from randori.games import game
from randori.kernels.records import allocate
from randori.kernels.searches import PHASES
from randori.methods.ntuple.config import NtupleConfig
from randori.methods.ntuple.kernels.learning import Learned, learn_all
from randori.methods.ntuple.kernels.selfplay import Lessons, Schooling, play_games, trace_back
from randori.methods.ntuple.learner import NtupleLearner, _play
from randori.methods.ntuple.network import Network
from randori.methods.ntuple.pictures import PICTURES
from randori.methods.ntuple.player import Patterns
from randori.methods.ntuple.tuples import Tuples
from randori.players.files import load_player, save_player
from randori.search.alphabeta import AlphaBeta, Limits
from randori.search.threats import find_wins
from randori.workers import Workers

GAMES = ["tictactoe", "connect4", "othello6", "othello8", "gomoku9", "hex5", *foreign.FILES]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def positions(it: Game, n: int = 40) -> States:
    rng = np.random.default_rng(3)
    found = positions_of_random_games(it, 12, rng)
    found = found[it.outcome(found) == ONGOING]
    return found[rng.permutation(len(found))[:n]]


def drawn(it: Game, n_stages: int = 3) -> Network:
    """A network with random weights, equal for patterns that are twins."""
    blank = Network.blank(it, n_stages)
    n = blank.tuples.n_patterns
    weights = np.random.default_rng(1).normal(size=(blank.n_stages, n + 1)).astype(np.float32)
    weights[:, :n] = weights[:, blank.tuples.twins]
    weights[:, n] = 0
    return blank.with_weights(weights.ravel())


def patterns(network: Network, cells: np.ndarray) -> list[int]:
    """Where each placed tuple finds its weight within a stage: the slow way, one cell after the other."""
    found = []
    for number, squares in network.tuples.placed:
        index = 0
        for power, square in enumerate(squares):
            index += 3**power * {0: 0, 1: 1, -1: 2}[int(cells.flat[square])]
        found.append(int(network.tuples.starts[number]) + index)
    return found


def slow_value(network: Network, cells: np.ndarray) -> float:
    stage = int(network.stages[np.count_nonzero(cells)])
    table = network.weights.reshape(network.n_stages, -1)[stage].astype(np.float64)
    return float(sum(table[it] for it in patterns(network, cells)))


@pytest.mark.parametrize("name", GAMES)
def test_values_are_sums_over_the_patterns_of_a_position(name: str) -> None:
    it = game(name)
    network, states = drawn(it), positions(game(name))
    expected = [slow_value(network, cells) for cells in it.cells(states)]
    assert network.values(states) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "othello8", "gomoku9", "hex5", "reversi4x6"])
def test_turned_positions_are_worth_the_same(name: str) -> None:
    it = game(name)
    network, states = drawn(it), positions(game(name))
    values = network.values(states)
    for symmetry in symmetries(it):
        assert network.values(transform(it, states, symmetry)) == pytest.approx(values, abs=1e-3)


@pytest.mark.parametrize("name", ["gomoku9", "gomoku15", "hex5", "hex9"])
def test_moves_are_judged_as_the_positions_after_them(name: str) -> None:
    it = game(name)
    network = drawn(it)
    assert network.judge.of_moves
    search = AlphaBeta(it, network.judge, network.scale)
    for state in positions(it, 8)[:, None]:
        children = it.children(state)
        ongoing = it.outcome(children.states) == ONGOING
        cells = it.cells(children.states[ongoing])
        expected = dict(zip(children.actions[ongoing], (-slow_value(network, it) for it in cells), strict=True))
        search.search(state, Limits(depth=1))
        for action, score in enumerate(search.scores):
            if np.isfinite(score) and action in expected:
                assert score == pytest.approx(expected[action], abs=1e-3)


@pytest.mark.parametrize(("name", "length"), [("gomoku9", 5), ("gomoku15", 7)])
def test_shifted_tuples_lie_on_every_line(name: str, length: int) -> None:
    """And a line read from its other end is the same."""
    it = game(name)
    size = it.shape[0]
    tuples = Tuples(it, windows(it, length), shifted=True)
    expected = {
        frozenset((r + i * down) * size + c + i * right for i in range(length))
        for r in range(size)
        for c in range(size)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if r + (length - 1) * down < size and 0 <= c + (length - 1) * right < size
    }
    assert {frozenset(squares) for _, squares in tuples.placed} == expected
    assert len(tuples.placed) == len(expected)
    digits = np.random.default_rng(0).integers(0, 3, (50, length))
    one, other = (rows @ 3 ** np.arange(length) for rows in (digits, digits[:, ::-1]))
    for start in tuples.starts[:-1]:
        assert (tuples.twins[start + one] == tuples.twins[start + other]).all()


def test_a_step_where_each_different_pattern_takes_the_same_share() -> None:
    """One stone of theirs in the middle: it is once in each place of a window, in two or four windows each."""
    it = game("gomoku9")
    tuples = Tuples(it, windows(it, 5), shifted=True)
    n = tuples.n_patterns + 1
    network = Network(tuples, np.zeros(82, np.int64), np.zeros(n, np.float32))
    learned = Learned(*(np.zeros(n, np.float32) for _ in range(3)), np.append(tuples.twins, n - 1).astype(np.int32))
    states = it.play(it.start(1), [40])
    assert network.plan.learn(network.judge, learned, states, np.array([0.6], np.float32), 1.0) == pytest.approx(0.6)
    # Straight and aslant: at an end (4 windows), next to it (4), in the middle (2).
    share = 0.6 / 6
    for start in tuples.starts[:-1]:
        for power, times in ((0, 4), (1, 4), (2, 2)):
            assert learned.weights[start + 2 * 3**power] == pytest.approx(share / times)
    assert np.count_nonzero(learned.weights) == 6
    assert learned.sums.max() == pytest.approx(0.6)
    taught = network.with_weights(learned.weights[learned.twins])
    assert taught.values(states)[0] == pytest.approx(0.6)


def test_twins_are_the_patterns_that_a_turned_tuple_cannot_tell_apart() -> None:
    it = game("othello8")
    edge = Tuples(it, (tuple(range(8)),))
    for digits in np.random.default_rng(0).integers(0, 3, (50, 8)):
        one, other = (int(row @ 3 ** np.arange(8)) for row in (digits, digits[::-1]))
        assert edge.twins[one] == edge.twins[other] == min(one, other)


def test_a_step_of_temporal_coherence_by_hand() -> None:
    """Two tuples of one square each, on Tic-Tac-Toe: w += error / 2 * |E| / A, then E += error, A += |error|."""
    it = game("tictactoe")
    tuples = Tuples(it, ((0,), (4,)))  # a corner, which is on four squares, and the middle: five placed tuples
    network = Network(tuples, np.zeros(10, np.int64), np.zeros(7, np.float32))
    learned = Learned(*(np.zeros(7, np.float32) for _ in range(3)), np.append(tuples.twins, 6).astype(np.int32))
    states = it.play(it.start(1), [4])  # theirs in the middle: the corners are empty (0), the middle is pattern 3 + 2
    targets = np.array([1.0], np.float32)

    def step() -> float:
        return learn_all(network.judge.table[1:], learned, states, targets, 5, True, 1.0)

    assert step() == 1.0
    # The corners' weight takes four steps of 1/5 in turn, each at full speed since its errors agree.
    assert learned.weights == pytest.approx([0.8, 0, 0, 0, 0, 0.2, 0])
    assert learned.sums == pytest.approx([4, 0, 0, 0, 0, 1, 0])
    value = np.tanh(4 * 0.8 + 0.2)
    error = 1 - value
    assert step() == pytest.approx(error, rel=1e-4)
    assert learned.weights[5] == pytest.approx(0.2 + error / 5, rel=1e-4)
    targets[0] = -1.0
    before, sums, sizes = learned.weights[5], learned.sums[5], learned.sizes[5]
    error = -1 - np.tanh(4 * learned.weights[0] + before)
    step()
    assert learned.weights[5] == pytest.approx(before + error / 5 * sums / sizes, rel=1e-4)
    assert learned.sums[5] == pytest.approx(sums + error, rel=1e-4)
    assert learned.sizes[5] == pytest.approx(sizes - error, rel=1e-4)


@pytest.mark.parametrize("name", ["othello6", "connect4", "tictactoe"])
def test_targets_are_those_of_td_lambda(name: str) -> None:
    """Replays each game from its lessons, with separate searches."""
    it, network = game(name), drawn(game(name))
    schooling = Schooling(depth=2, exact=4, random_plies=3, exploration=0.3, trace=0.7)
    lessons = allocate(Lessons, np.empty, n_positions=2000, n_words=it.words)
    n = play_games(
        it.rules, network.judge.table, network.search(1024), schooling, np.arange(20, dtype=np.uint64), lessons
    )
    trace_back(lessons, n)
    states, targets = lessons.states[:n], lessons.targets[:n]
    search = AlphaBeta(it, network.judge, network.scale, exact=it.n_squares, all_best=True)
    shallow = AlphaBeta(it, network.judge, network.scale, all_best=True)
    checked = {"traced": 0, "cut": 0, "solved": 0}
    left = it.moves_left(states)
    for i in range(n):
        solved = left[i] <= schooling.exact
        found = (search if solved else shallow).search(states[i : i + 1], Limits(depth=2))
        value = (
            found.value
            if network.by_margin
            else 1.0 * np.sign(found.value)
            if abs(found.value) >= 1e6
            else np.tanh(found.value)
        )
        after = {
            it.play(states[i : i + 1], [action]).tobytes(): action
            for action in np.flatnonzero(it.legal(states[i : i + 1])[0])
        }
        following = after.get(states[i + 1].tobytes()) if i + 1 < n else None
        if solved or following is None:
            checked["solved"] += solved
            assert targets[i] == pytest.approx(value, abs=1e-3)
        elif following in found.actions:
            # It was the best move, or a random one that happened to be as good.
            traced = 0.3 * value - 0.7 * targets[i + 1]
            assert targets[i] == pytest.approx(traced, abs=1e-3) or targets[i] == pytest.approx(value, abs=1e-3)
            checked["traced"] += targets[i] == pytest.approx(traced, abs=1e-3)
        else:
            checked["cut"] += 1
            assert targets[i] == pytest.approx(value, abs=1e-3)
    assert checked["traced"] > 5
    assert checked["cut"] > 5


def test_a_short_training_beats_heuristic(tmp_path: Path) -> None:
    """Some seconds of training from nothing; the player read back from its file is hardly different."""
    it = game("othello6")
    learner = NtupleLearner(it, NtupleConfig(games=500, first_rounds=20, exact=6), np.random.default_rng(0), Workers(1))
    for _ in range(24):
        learner.learn([])
    player = learner.player()
    path = tmp_path / "player.safetensors"
    save_player(path, player, it, learner="ntuple", config={}, training={}, rating=None)
    kept = load_player(path, it, name="kept")
    states = positions(it, 200)
    rng = np.random.default_rng(0)
    assert kept.evaluate(states, rng).values == pytest.approx(player.evaluate(states, rng).values, abs=0.01)
    match = randori.match(replace(kept, depth=3), "heuristic", game="othello6", n_games=40, workers=1)
    assert match.score.mean > 0.8


@pytest.mark.parametrize("name", ["othello6", "connect4"])
def test_the_best_patterns_are_drawn(name: str) -> None:
    player = Patterns(drawn(game(name)), np.zeros((PHASES, 4)))
    captions = PICTURES.captions(player)
    assert PICTURES.draw(player, len(captions), "it").startswith("<svg")
    with pytest.raises(UserError, match="has the tuples 1 to"):
        PICTURES.draw(player, len(captions) + 1, "it")
    assert "polyline" in PICTURES.draw_game(player, np.array([], np.int16), "it")


def test_tuples_of_othello_have_names_and_are_drawn_at_three_times_of_a_game(tmp_path: Path) -> None:
    it = game("othello6")
    player = Patterns(drawn(it, n_stages=4), np.zeros((PHASES, 4)))
    assert PICTURES.captions(player)[:2] == ["edge and X squares", "corner, 3x3"]
    save_player(tmp_path / "p.safetensors", player, it, learner="ntuple", config={}, training={}, rating=None)
    draw(str(tmp_path / "p.safetensors"), tmp_path / "edge.svg")
    picture = (tmp_path / "edge.svg").read_text()
    assert "edge and X squares" in picture
    assert "with 8, 18 and 26 pieces on the board" in picture
    # The numbers beside the best pattern are its weights at these times.
    weights = player.network.weights.reshape(4, -1)
    first = [float(it) for it in re.findall(r'y="-5">([-+\d.]+)<', picture)[:3]]
    stages = player.network.stages[[8, 18, 26]]
    edge = weights[stages, : 3**8]
    assert (np.abs(edge.T - first).max(axis=1) < 0.06).any()
    draw(str(tmp_path / "p.safetensors"), tmp_path / "game.svg", against="random")
    assert "polyline" in (tmp_path / "game.svg").read_text()


def test_limits_are_kept() -> None:
    player = Patterns(drawn(game("othello8")), np.ones((PHASES, 4)))
    states, rng = positions(game("othello8"), 5), np.random.default_rng(0)
    for options in ({"depth": 2}, {"nodes": 5000}, {"seconds": 0.02}, {"nodes": 5000, "selective": 2.0}):
        actions = replace(player, **options).choose(states, rng).actions
        assert game("othello8").legal(states)[np.arange(len(states)), actions].all()
    with pytest.raises(UserError):
        replace(player, seconds=-1.0)


def _fresh(it: Game, **options: object) -> Patterns:
    """A player that only counts the stones of each side in windows of five."""
    network = Network.blank(it, 1)
    weights = np.zeros((network.n_stages, network.tuples.n_patterns + 1), np.float32)
    for number, squares in enumerate(network.tuples.given):
        if len(squares) == 5:
            digits = np.arange(3**5)[:, None] // 3 ** np.arange(5) % 3
            mine, theirs = (digits == 1).sum(axis=1), (digits == 2).sum(axis=1)
            worth = 0.01 * (np.where(theirs == 0, 4.0**mine, 0) - np.where(mine == 0, 4.0**theirs, 0))
            weights[:, network.tuples.starts[number] : network.tuples.starts[number + 1]] = worth
    return Patterns(network.with_weights(weights.ravel()), np.zeros((PHASES, 4)), **options)


def test_threats_are_played_and_stopped() -> None:
    """Two open threes in one move win; the player must stop what the other side could force."""
    it = game("gomoku15")
    player, rng = _fresh(it, nodes=3000), np.random.default_rng(0)
    own = it.start(1)
    # A cross that lacks its middle, h8: h6 h7 and f8 g8 are mine, theirs are far away.
    for square in ("h6", "a1", "h7", "o15", "f8", "a15", "g8", "o1"):
        own = it.play(own, [it.square_names.index(square)])
    action = int(player.choose(own, rng).actions[0])
    assert find_wins(it, own, 2000)[0] >= 0
    after = it.play(own, [action])
    for _ in range(9):
        if it.outcome(after)[0] != ONGOING:
            break
        after = it.play(after, player.choose(after, rng).actions)
    assert it.outcome(after)[0] != ONGOING
    theirs = it.start(1)
    for square in ("h5", "h6", "e8", "h7", "a15", "f8", "o1", "g8"):
        theirs = it.play(theirs, [it.square_names.index(square)])
    after_reply = it.play(theirs, player.choose(theirs, rng).actions)
    assert find_wins(it, it.play(theirs, [it.square_names.index("c3")]), 2000)[0] >= 0
    assert find_wins(it, after_reply, 2000)[0] < 0


@pytest.mark.parametrize(("name", "seconds"), [("othello8", 0.1), ("gomoku15", 0.3)])
def test_most_of_the_time_is_used(name: str, seconds: float) -> None:
    it, rng = game(name), np.random.default_rng(0)
    player = Patterns(drawn(it), np.zeros((PHASES, 4))) if it.counts is not None else _fresh(it)
    state = it.start(1)
    for _ in range(2):
        state = it.play(state, player.choose(state, rng).actions)  # compiles, or loads from disk
    began = time.perf_counter()
    replace(player, seconds=seconds).choose(state, rng)
    assert time.perf_counter() - began > 0.7 * seconds


def test_the_search_says_what_a_position_is_worth() -> None:
    """At one ply it is the value of the best move; a win by threats counts as won."""
    it, rng = game("gomoku15"), np.random.default_rng(0)
    player = _fresh(it, depth=1, threats=0)
    states = positions(it, 5)
    choice = player.choose(states, rng)
    after = it.play(states, choice.actions)
    ongoing = it.outcome(after) == ONGOING
    assert choice.values is not None
    np.testing.assert_allclose(choice.values[ongoing], -player.evaluate(after[ongoing], rng).values, atol=1e-6)
    assert (np.abs(choice.values) <= 1).all()
    own = it.start(1)
    for square in ("h6", "a1", "h7", "o15", "f8", "a15", "g8", "o1"):
        own = it.play(own, [it.square_names.index(square)])
    assert _fresh(it, nodes=3000).choose(own, rng).values == pytest.approx([1.0])


def test_players_with_shifted_tuples_come_back_from_their_contents() -> None:
    it = game("gomoku9")
    player = _fresh(it)
    back = Patterns.from_contents(it, player.contents())
    states = positions(it)
    assert back.network.tuples.placed == player.network.tuples.placed
    assert back.network.values(states) == pytest.approx(player.network.values(states), rel=1e-2, abs=1e-2)


def test_wins_that_threats_force_are_learned_as_wins() -> None:
    it = game("gomoku9")
    schooling = Schooling(depth=1, exact=0, random_plies=12, exploration=0.3, trace=0.9)
    states, targets = _play(_fresh(it).network, schooling, 100, np.arange(10, dtype=np.uint64))
    won = find_wins(it, states, 100) >= 0
    assert 5 < won.sum() < len(states)
    assert (targets[won] == 1).all()
    plain_states, plain = _play(_fresh(it).network, schooling, 0, np.arange(10, dtype=np.uint64))
    assert (states == plain_states).all()
    assert (plain[won] < 1).any()
