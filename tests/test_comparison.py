"""Comparison training: the paper's network against a plain one, threats against every reply, the learner as a run."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import comparison as plain

import randori
from randori.core.game import LOSS, ONGOING, WIN, Game
from randori.core.positions import positions_of_random_games
from randori.experiments import CountingWorkers, Recipe, train
from randori.experiments.pairings import play_pairings
from randori.games.rows.knowledge import line_tables
from randori.methods.comparison.chains import paper_lessons
from randori.methods.comparison.chains_player import Chain, Comparison, geometry, wiring
from randori.methods.comparison.config import FREISLEBEN, ComparisonConfig
from randori.methods.comparison.kernels import chains as kernel
from randori.methods.comparison.kernels.candidates import judge_game
from randori.methods.comparison.kernels.pattern_weights import Weights
from randori.methods.comparison.learner import ComparisonLearner
from randori.methods.comparison.patterns_player import Patterns
from randori.methods.comparison.transcripts import read_record
from randori.players.files import Contents, load_player, save_player
from randori.search.threats import check_threats, find_wins

ROWS = {"tictactoe": 3, "gomoku9": 5, "gomoku13": 5, "gomoku15": 5, "gomoku19": 5}
SMALL = ComparisonConfig(games=4, openings=2, nodes=20, candidates=3, playouts=2)


def squares_of(chain: Chain, k: int) -> frozenset[tuple[int, int]]:
    return frozenset(chain.squares(k))


def network(game: Game, seed: int = 0, **options: Any) -> Comparison:
    weights = 2.0 * np.random.default_rng(seed).random((2, len(wiring(game).factors)))
    return Comparison(game, weights, np.array([1.0, 0.5]), **options)


def pattern_player(game: Game, seed: int = 0, **options: Any) -> Patterns:
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(2, 3 ** (2 * (line_tables(game).k - 1))))
    return Patterns(game, lines, rng.normal(size=(2, 10, 10)), **options)


def ongoing(game: Game, n_games: int, seed: int) -> Any:
    states = positions_of_random_games(game, n_games, np.random.default_rng(seed))
    return states[game.outcome(states) == ONGOING]


# The network


def test_the_window_and_the_numbers_of_units_are_the_papers() -> None:
    net = geometry(5)
    assert (len(net.window), len(net.stars), len(net.outer), len(net.units)) == (56, 20, 20, 24)
    assert {squares_of(chain, 5) for chain in net.stars} == plain.star_chains(5)
    assert all(len(set(chain.squares(5)) - {(0, 0)}) == 4 for chain in net.stars)
    assert all((0, 0) not in chain.squares(5) for chain in net.outer)
    assert {squares_of(chain, 5) for chain in net.outer} <= plain.chains_of(set(net.window), 5)


def test_a_pattern_has_up_to_14_inputs() -> None:
    """A chain through the square and two that cross it, 4 + 5 + 5, on straight and on diagonal rays alike."""
    net = geometry(5)
    assert [net.n_inputs(unit) for unit in net.units] == [8] * 16 + [14] * 8
    for line, *crossing in net.units[16:]:
        assert (0, 0) in line.squares(5)
        assert all((0, 0) not in it.squares(5) for it in crossing)
        assert all(len(squares_of(line, 5) & squares_of(it, 5)) == 1 for it in crossing)
    first = geometry(5, crossings=3)
    assert sorted({first.n_inputs(unit) for unit in first.units}) == [8, 14, 19]
    assert first.units[:16] == net.units[:16]


@pytest.mark.parametrize("crossings", [2, 3])
@pytest.mark.parametrize("k", [3, 5])
def test_the_wiring_is_the_same_from_all_sides(k: int, crossings: int) -> None:
    net = geometry(k, crossings)
    for symmetry in range(8):

        def turn(chain: Chain, symmetry: int = symmetry) -> frozenset[tuple[int, int]]:
            return frozenset(plain.turned(square, symmetry) for square in chain.squares(k))

        for chains in (net.stars, net.outer):
            assert {turn(chain) for chain in chains} == {squares_of(chain, k) for chain in chains}
        assert {plain.turned(square, symmetry) for square in net.window} == set(net.window)
        units = {frozenset(squares_of(chain, k) for chain in unit) for unit in net.units}
        assert len(units) == len(net.units)
        assert {frozenset(turn(chain) for chain in unit) for unit in net.units} == units


@pytest.mark.parametrize("crossings", [2, 3])
@pytest.mark.parametrize("name", ["tictactoe", "gomoku9"])
def test_outputs_are_those_of_the_plain_network(name: str, crossings: int) -> None:
    game = randori.game(name)
    k, size = ROWS[name], game.shape[0]
    player = network(game, crossings=crossings)
    units = [tuple(squares_of(chain, k) for chain in unit) for unit in geometry(k, crossings).units]
    states = ongoing(game, 3, 1)[::7]
    for cells, scores in zip(game.cells(states), player.scores(states), strict=True):
        board = {(r, c): int(cells[r, c]) for r, c in product(range(size), repeat=2)}
        for square in (s for s in board if board[s] == 0 and scores[s[0] * size + s[1]] < kernel.SAVING):
            found = plain.output(
                board, square, k, units, wiring(game, crossings).factors.tolist(), player.weights.tolist(), [1.0, 0.5]
            )
            assert scores[square[0] * size + square[1]] == pytest.approx(found, rel=1e-12)


@given(seed=st.integers(0, 2**32), name=st.sampled_from(["tictactoe", "gomoku9", "gomoku15"]))
def test_scores_updated_move_by_move_equal_scores_from_scratch(seed: int, name: str) -> None:
    game = randori.game(name)
    player = network(game, seed)
    squares = np.random.default_rng(seed).permutation(game.n_actions)[: min(60, game.n_actions)].astype(np.int16)
    stepwise = np.empty((len(squares), game.n_actions))
    kernel.score_game(wiring(game), player.weights, player.balance, squares, stepwise)
    boards = np.zeros((len(squares), *game.shape), np.int8)
    for ply in range(1, len(squares)):
        boards[ply] = -boards[ply - 1]
        boards[ply].flat[squares[ply - 1]] = -1
    from_scratch = np.empty_like(stepwise)
    kernel.score_boards(wiring(game), player.weights, player.balance, boards, from_scratch)
    np.testing.assert_array_equal(stepwise, from_scratch)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("make", [network, pattern_player])
def test_no_immediate_win_is_missed_or_left_open(name: str, make: Any) -> None:
    game = randori.game(name)
    for seed in range(3):
        states = np.random.default_rng(seed).permutation(ongoing(game, 12, seed))[:60]
        player = make(game, seed)
        after = game.play(states, player.choose(states, np.random.default_rng(seed)).actions)
        for state, chosen in zip(states, after, strict=True):
            own = winning_moves(game, state)
            if own:
                assert game.outcome(chosen[None])[0] == LOSS
                continue
            theirs = winning_moves(game, flipped(game, state))
            if len(theirs) == 1:
                assert game.outcome(chosen[None])[0] != ONGOING or not winning_moves(game, chosen)


def winning_moves(game: Game, state: Any) -> list[int]:
    size = game.shape[0]
    cells = game.cells(state[None])[0]
    board = {(r, c): int(cells[r, c]) for r, c in product(range(size), repeat=2)}
    return [r * size + c for r, c in plain.winning_squares(board, 1, ROWS[game.name])]


def flipped(game: Game, state: Any) -> Any:
    """The same stones seen by the other side, whether or not it could be its turn."""
    n = (game.words - game.words % 2) // 2
    return np.concatenate([state[n : 2 * n], state[:n], state[2 * n :]])


# The rule


def test_a_reward_is_equation_1() -> None:
    game = randori.game("gomoku9")
    player = network(game)
    weights, tally = player.weights.copy(), np.zeros(3)
    actions = np.array([40, 0, 41, 8, 49], np.int16)
    lessons = np.array([0, 0, 0, 0, 2], np.int8)
    board = dict.fromkeys(product(range(9), repeat=2), 0)
    board.update({(4, 4): 1, (4, 5): 1, (0, 0): -1, (0, 8): -1})
    kernel.learn_game(wiring(game), weights, player.balance, actions, lessons, 0.5, 0.1, np.zeros(1, np.uint64), tally)
    for role, side in enumerate((1, -1)):
        parts = []
        for unit, factor in zip(geometry(5).units, wiring(game).factors, strict=True):
            for chain in unit:
                factor *= plain.chain_activation(board, squares_of(chain, 5), (5, 4), side)
            parts.append(factor)
        learned = float(np.dot(player.weights[role], parts))
        star = sum(plain.chain_activation(board, chain, (5, 4), side) for chain in plain.star_chains(5))
        # w += alpha * delta_i * y * w; delta_i is the unit's part of the error, through the fixed weight of layer 5.
        deltas = 0.1 * player.balance[role] * player.weights[role] * parts / learned
        expected = player.weights[role] * (1 + 0.5 * deltas * (star + learned))
        np.testing.assert_allclose(weights[role], expected, rtol=1e-9)


def test_a_move_that_differs_is_raised_and_the_networks_own_lowered() -> None:
    game = randori.game("gomoku15")
    player = network(game)
    weights, tally = player.weights.copy(), np.zeros(3)
    actions = np.array([112, 0, 113, 14, 128, 210, 100], np.int16)
    lessons = np.array([0, 0, 0, 0, 0, 0, 1], np.int8)
    before = np.empty((7, 225))
    kernel.score_game(wiring(game), weights, player.balance, actions, before)
    own = int(before[6].argmax())
    assert own != 100
    kernel.learn_game(wiring(game), weights, player.balance, actions, lessons, 0.01, 0.0, np.zeros(1, np.uint64), tally)
    after = np.empty_like(before)
    kernel.score_game(wiring(game), weights, player.balance, actions, after)
    assert after[6, own] < before[6, own]
    assert tally[0] == 1
    assert tally[1] == 0
    assert tally[2] == pytest.approx(before[6, own] - before[6, 100])


@pytest.mark.parametrize(
    ("seat", "outcome", "lessons"),
    [(0, 1, [2, 0, 2, 0]), (1, 1, [1, 0, 1, 0]), (0, -1, [0, 1, 0, 1]), (-1, -1, [0, 1, 0, 1]), (0, 0, [0, 0, 0, 0])],
)
def test_what_the_paper_learns_from_a_game(seat: int, outcome: int, lessons: list[int]) -> None:
    assert paper_lessons(4, seat, outcome, 0).tolist() == lessons
    assert paper_lessons(4, seat, outcome, 2).tolist() == [0, 0, *lessons[2:]]


# Threats


def board_of(game: Game, mine: str, theirs: str) -> Any:
    cells = np.zeros((1, *game.shape), np.int8)
    for names, stone in ((mine, 1), (theirs, -1)):
        for name in names.split():
            cells[0].flat[game.move_names.index(name)] = stone
    return game.from_cells(cells)


@pytest.mark.parametrize(
    ("mine", "theirs", "wins"),
    [
        ("h8 i8 j9 j10", "a1 a15 o1 o15", True),  # two open threes at j8
        ("d4 e4 f4 g5 g6", "c4 a1 a15 o1 o15", True),  # a four and an open three at g4
        ("h8 i8 j8", "g8 a1 o1", False),  # a closed three alone makes a four that is stopped
        ("h8", "i9", False),
    ],
)
def test_known_positions(mine: str, theirs: str, wins: bool) -> None:
    game = randori.game("gomoku15")
    assert (find_wins(game, board_of(game, mine, theirs), 3000)[0] >= 0) == wins


@pytest.mark.parametrize("name", ["gomoku9", "gomoku15"])
def test_a_forced_win_is_won_against_any_reply(name: str) -> None:
    """Positions from games of `heuristic`; the defender is `heuristic` or `random`."""
    game = randori.game(name)
    rng = np.random.default_rng(2)
    heuristic = randori.player("heuristic", game)
    games = randori.match("heuristic", "heuristic", name, 8, seed=3).games
    assert games is not None
    proved = 0
    for ply in games.replay():
        if ply.number < 8 or ply.number % 3:
            continue
        wins = find_wins(game, ply.states, 1500)
        for state in ply.states[wins >= 0]:
            for defender in (heuristic, randori.player("random", game)):
                assert wins_on(game, state[None], defender, rng)
                proved += 1
    assert proved > 10


def wins_on(game: Game, state: Any, defender: Any, rng: np.random.Generator) -> bool:
    while True:
        action = find_wins(game, state, 6000)
        if action[0] < 0:
            return False
        state = game.play(state, action)
        if game.outcome(state)[0] == LOSS:
            return True
        state = game.play(state, defender.choose(state, rng).actions)
        if game.outcome(state)[0] != ONGOING:
            return False


def test_threats_in_tictactoe_are_all_forks() -> None:
    """Every position: a win is found exactly where the plain search finds one by threats."""
    game = randori.game("tictactoe")
    states = ongoing(game, 200, 0)
    states = states[np.unique(game.keys(states), return_index=True)[1]]
    wins = find_wins(game, states, 1000)
    for state, win in zip(states, wins, strict=True):
        cells = game.cells(state[None])[0]
        board = {(r, c): int(cells[r, c]) for r, c in product(range(3), repeat=2)}
        if win >= 0:
            assert plain.wins_against_everything(board, 1, 3, divmod(int(win), 3), 3)
        else:
            assert not plain.has_win(board, 1, 3, 3)


def test_a_player_with_threats_takes_a_forced_win_and_gives_none() -> None:
    game = randori.game("gomoku15")
    fork = board_of(game, "h8 i8 h9 h10", "a1 a15 o1 o15")
    player = pattern_player(game, threats=True)
    state = fork
    for _ in range(8):
        state = game.play(state, player.choose(state, np.random.default_rng(0)).actions)
        if game.outcome(state)[0] == LOSS:
            return
        state = game.play(state, randori.player("heuristic", game).choose(state, np.random.default_rng(0)).actions)
    pytest.fail("The win was not carried through.")


# The learner


def run(
    folder: Path, config: ComparisonConfig, game: str = "gomoku9", rounds: int = 3, workers: int = 1, **more: Any
) -> bytes:
    with CountingWorkers(workers) as staff:
        train(Recipe(game, "comparison", config, rounds=rounds, evaluate_games=0), folder, staff)
    return (folder / "player.safetensors").read_bytes()


@pytest.mark.parametrize("name", ["tictactoe", "gomoku9", "gomoku13"])
@pytest.mark.parametrize("config", [SMALL, FREISLEBEN, ComparisonConfig("chains", games=3)])
def test_every_game_of_stones_can_be_learned(tmp_path: Path, name: str, config: ComparisonConfig) -> None:
    run(tmp_path / "run", config, name, rounds=2)
    player = randori.player(str(tmp_path / "run"), randori.game(name))
    states = randori.game(name).start(2)
    assert (player.choose(states, np.random.default_rng(0)).actions >= 0).all()


@pytest.mark.parametrize("config", [SMALL, FREISLEBEN])
def test_a_run_is_the_same_in_parts_and_with_more_workers(tmp_path: Path, config: ComparisonConfig) -> None:
    whole = run(tmp_path / "whole", config, rounds=4)
    run(tmp_path / "parts", config, rounds=2)
    assert run(tmp_path / "parts", config, rounds=4) == whole
    assert run(tmp_path / "two", config, rounds=4, workers=2) == whole


@pytest.mark.parametrize("name", ["othello8", "connect4"])
def test_other_games_are_refused_with_a_reason(name: str) -> None:
    with pytest.raises(randori.UserError, match="in a row"):
        Recipe(name, "comparison", SMALL)
    with pytest.raises(randori.UserError, match="Gomoku"):
        wiring(randori.game(name))
    with pytest.raises(randori.UserError, match="Gomoku"):
        check_threats(randori.game(name), 10)


def test_the_record_of_a_person_teaches(tmp_path: Path) -> None:
    record = tmp_path / "games.txt"
    record.write_text("# two games\nb2a1c2a3a2\n\na1b2a2b1c1b3\n")
    games = read_record(randori.game("tictactoe"), record)
    assert games.outcomes.tolist() == [WIN, LOSS]
    config = ComparisonConfig("chains", record=str(record), rate=1.0)
    first, second = (run(tmp_path / f"{n}", config, "tictactoe", rounds=n) for n in (1, 5))
    assert first != second


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("# nothing\n\n", "is empty"),
        ("a1b2a1\n", "Line 1 .*Move 3, 'a1', is not legal"),
        ("a1b1a2b2a3\nz9\n", "Line 2 .*not a move of Tic-Tac-Toe"),
        ("a1b1\n", "line 1 .*not over"),
    ],
)
def test_a_wrong_record_is_named_by_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    record = tmp_path / "games.txt"
    record.write_text(text)
    with pytest.raises(randori.UserError, match=sentence):
        read_record(randori.game("tictactoe"), record)


def test_a_missing_record_is_named(tmp_path: Path) -> None:
    with pytest.raises(randori.UserError, match="cannot be read"):
        read_record(randori.game("tictactoe"), tmp_path / "none.txt")


@pytest.mark.parametrize("make", [network, pattern_player])
def test_a_player_is_loaded_from_its_file_with_options(tmp_path: Path, make: Any) -> None:
    game = randori.game("gomoku9")
    player, file = make(game), tmp_path / "player.safetensors"
    save_player(file, player, game, learner="comparison", config={}, training={})
    assert load_player(file, game, "threats=50").threats == 50  # type: ignore[attr-defined]
    states = ongoing(game, 2, 0)
    np.testing.assert_allclose(load_player(file, game).scores(states), player.scores(states), rtol=1e-4, atol=1e-5)  # type: ignore[attr-defined]
    with pytest.raises(randori.UserError, match="node"):
        load_player(file, game, "threats=-1")


@pytest.mark.parametrize(
    ("written", "nodes"), [("threats=false", 0), ("nodes=50", 50), ("threats=true,nodes=50", 50), ("nodes=70", 70)]
)
def test_old_spellings_of_the_threat_search_are_understood(
    tmp_path: Path, written: str, nodes: int, capsys: pytest.CaptureFixture[str]
) -> None:
    game, file = randori.game("gomoku9"), tmp_path / "player.safetensors"
    save_player(file, pattern_player(game), game, learner="comparison", config={}, training={})
    assert load_player(file, game, written).threats == nodes  # type: ignore[attr-defined]
    assert "is now written 'threats=" in capsys.readouterr().err


def test_files_of_both_wirings_are_read(tmp_path: Path) -> None:
    """A file that names no wiring dates from when a third chain crossed the lines of straight rays."""
    game, file = randori.game("gomoku9"), tmp_path / "player.safetensors"
    states = ongoing(game, 2, 0)
    player = network(game)
    save_player(file, player, game, learner="comparison", config={}, training={})
    again = load_player(file, game)
    assert isinstance(again, Comparison)
    assert again.crossings == 2
    np.testing.assert_allclose(again.scores(states), player.scores(states))
    old = Comparison.from_contents(game, Contents(player.contents().tensors, {}))
    assert old.crossings == 3
    np.testing.assert_allclose(old.scores(states), replace(player, crossings=3).scores(states))
    assert not np.allclose(old.scores(states), player.scores(states))


def test_a_run_older_than_the_setting_keeps_its_wiring() -> None:
    with CountingWorkers(1) as staff:
        learner = ComparisonLearner(randori.game("gomoku9"), FREISLEBEN, np.random.default_rng(0), staff)
        state = learner.state()
        assert learner.player().contents().settings == {"crossings": 2}
        del state["network"]["crossings"]
        learner.restore(state)
    assert learner.player().contents().settings == {"crossings": 3}


@pytest.mark.parametrize("config", [replace(FREISLEBEN, rate=30.0), SMALL])
def test_a_copy_stays_as_it_was(tmp_path: Path, config: ComparisonConfig) -> None:
    """Even if the run is continued, or the run that it started from has learned since."""
    run(tmp_path / "first", replace(config, opponent="heuristic"), rounds=1)
    before = load_player(tmp_path / "first" / "player.safetensors", randori.game("gomoku9"))
    against_copy = replace(config, opponent="copy", start=str(tmp_path / "first"))
    with CountingWorkers(1) as staff:
        learner = ComparisonLearner(randori.game("gomoku9"), against_copy, np.random.default_rng(0), staff)
        for number in range(3):
            learner.learn(play_pairings(learner.game, learner.pairings(), 0, number, staff))
        kept = learner.state()
        run(tmp_path / "first", replace(config, opponent="heuristic"), rounds=4)
        again = ComparisonLearner(randori.game("gomoku9"), against_copy, np.random.default_rng(0), staff)
        again.restore(kept)
    for it in (learner, again):
        assert it.copy is not None
        copied, learned = (network.player().contents().tensors for network in (it.copy, it.network))
        for name, weights in before.contents().tensors.items():  # type: ignore[attr-defined]
            np.testing.assert_array_equal(copied[name], weights)
        assert any((learned[name] != weights).any() for name, weights in copied.items())
        assert all(pairing.first is not pairing.second for pairing in it.pairings())


def test_a_learner_starts_from_the_weights_of_another_board(tmp_path: Path) -> None:
    run(tmp_path / "small", SMALL, "gomoku9", rounds=1)
    start = load_player(tmp_path / "small" / "player.safetensors", randori.game("gomoku9"))
    assert isinstance(start, Patterns)
    config = replace(SMALL, start=str(tmp_path / "small"))
    with CountingWorkers(1) as staff:
        learner = ComparisonLearner(randori.game("gomoku13"), config, np.random.default_rng(0), staff)
        np.testing.assert_array_equal(learner.player().contents()[0]["lines"], start.contents()[0]["lines"])
        with pytest.raises(randori.UserError, match="other rows win"):
            ComparisonLearner(randori.game("tictactoe"), config, np.random.default_rng(0), staff)
        chains = replace(config, network="chains")
        with pytest.raises(randori.UserError, match="not a network of chains"):
            ComparisonLearner(randori.game("gomoku9"), chains, np.random.default_rng(0), staff)


def test_playing_on_finds_the_better_move() -> None:
    """A network that likes everything alike learns from one position to stop an open three."""
    game = randori.game("gomoku9")
    tables, k = line_tables(game), 5
    weights = Weights(np.zeros((2, 3 ** (2 * (k - 1)))), np.zeros((2, 10, 10)))
    gradient = Weights(*(np.zeros_like(it) for it in weights))
    names = ("e5", "a9", "e6", "i9", "e7", "a1")
    actions = np.array([game.move_names.index(name) for name in names], np.int16)
    stream = np.zeros(1, np.uint64)
    judged, change = judge_game(tables, weights, actions, 5, 1.0, 81, 30, 1.0, 3.0, stream, gradient)
    assert judged == 1
    assert 0 < change <= 1
    player = Patterns(game, *gradient, threats=False)
    state = game.start(1)
    for action in actions[:5]:
        state = game.play(state, np.array([action], np.int16))
    chosen = game.move_names[int(player.choose(state, np.random.default_rng(0)).actions[0])]
    assert chosen in {"e3", "e4", "e8", "e9"}


def test_wrong_settings_are_refused() -> None:
    for wrong in ({"games": 0}, {"rate": 0.0}, {"openings": -1}, {"nodes": -1}, {"candidates": 1}, {"positions": 0.0}):
        with pytest.raises(randori.UserError):
            ComparisonConfig(**wrong)  # type: ignore[arg-type]


def test_presets_can_be_made() -> None:
    with CountingWorkers(1) as staff:
        for preset in ComparisonLearner.presets.values():
            learner = ComparisonLearner(randori.game("gomoku15"), preset.config, np.random.default_rng(0), staff)
            assert sum(pairing.n_games for pairing in learner.pairings()) == preset.config.games
