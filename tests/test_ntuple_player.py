"""Players of n-tuples: against a slow minimax over slow values, trained by the command line, and given nonsense."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import foreign
import numpy as np
import pytest
from commands import run
from reference.minimax import Minimax
from test_ntuple import drawn, positions, slow_value

import randori
from randori.core.game import Floats, States
from randori.errors import UserError
from randori.games import game
from randori.kernels.searches import PHASES
from randori.methods.ntuple.config import NtupleConfig
from randori.methods.ntuple.learner import NtupleLearner
from randori.methods.ntuple.network import CERTAIN
from randori.methods.ntuple.player import Patterns
from randori.methods.ntuple.probes import N_PAIRS, measure_errors, probes
from randori.players.files import Contents, save_player
from randori.workers import Workers


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def patterns(name: str) -> Patterns:
    return Patterns(drawn(game(name)), np.zeros((PHASES, N_PAIRS)))


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "hex5", *foreign.FILES])
def test_it_plays_what_is_best_some_plies_on(name: str) -> None:
    """Moves all have different values here, except those that win or lose."""
    it, player = game(name), patterns(name)
    network = player.network

    def judge(states: States) -> Floats:
        return np.array([slow_value(network, cells) for cells in it.cells(states)])

    plain = Minimax(it, judge, network.by_margin, CERTAIN)
    states = positions(it, 12)
    states = states[it.moves_left(states) > 1]
    for depth in (1, 2):
        actions = replace(player, depth=depth, exact=0, threats=0).choose(states, np.random.default_rng(0)).actions
        for action, scores in zip(actions, plain.scores(states, depth), strict=True):
            assert scores[int(action)] == pytest.approx(max(scores.values()), abs=1e-3)


def test_the_same_nodes_give_the_same_moves() -> None:
    states = positions(game("othello8"), 10)
    player = replace(patterns("othello8"), nodes=3000, exact=0)
    first, again = (player.choose(states, np.random.default_rng(seed)).actions for seed in (0, 1))
    assert (first == again).all()


def test_errors_are_measured_and_margins_are_multiples_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.methods.ntuple.probes._POSITIONS", 4)
    network = drawn(game("othello6"))
    errors = measure_errors(network)
    assert errors.shape == (PHASES, N_PAIRS)
    assert (errors > 0).all()
    assert (measure_errors(network) == errors).all()
    chosen = probes(errors, 1.5)
    assert chosen.shallow[:9].tolist() == [0, 0, 0, 1, 2, 1, 2, 3, 4]
    for phase in range(PHASES):
        assert chosen.margins[phase, [3, 4, 5, 6]] == pytest.approx(1.5 * errors[phase])
        # A deeper search errs as much as the deepest measured one of the same parity.
        assert chosen.margins[phase, [7, 8, 9, 10]] == pytest.approx(1.5 * errors[phase, [2, 3, 2, 3]])


@pytest.mark.thorough
def test_a_training_of_some_seconds_beats_heuristic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the command line: about ten CPU seconds of training; the player looks one ply ahead."""
    words = ["train", "ntuple", "--game", "othello8", "--rounds", "60", "--seed", "7", "--workers", "1"]
    assert run(capsys, monkeypatch, *words, "--evaluate-games", 0, "--out", tmp_path).status == 0
    match = randori.match(f"{tmp_path}/player.safetensors:depth=1,exact=0", "heuristic", "othello8", 200, workers=1)
    assert match.score.interval[0] > 0.8


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("players") / "player.safetensors"
    save_player(path, patterns("othello6"), game("othello6"), learner="ntuple", config={}, training={}, rating=None)
    return path


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("depth=0", "depth"),
        ("depth=65", "The depth must be 1 to 64 plies in Othello 6x6, not 65."),
        ("depth=9223372036854775807", "The depth must be 1 to 64"),
        ("depth=1.5", "depth"),
        ("nodes=0", "at least one node"),
        ("nodes=-5", "at least one node"),
        ("seconds=0", "must be a positive number"),
        ("seconds=nan", "number"),
        ("seconds=1e9", "must be a positive number"),
        ("exact=19", "exact must be 0 to 18"),
        ("exact=-1", "exact must be 0 to 18"),
        ("selective=-1", "selective must be 0 or more"),
        ("selective=inf", "number"),
        ("threats=100", "no threats to search for"),
        ("threats=-1", "0 to 1,000,000,000 nodes"),
        ("width=0", "width is 1 to 37 moves in Othello 6x6, not 0."),
        ("width=9223372036854775807", "width is 1 to 37"),
        ("dept=3", "depth"),
    ],
)
def test_options_that_make_no_sense_are_refused(file: Path, option: str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        randori.player(f"{file}:{option}", "othello6")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"stages": 10**9}, "'stages' must be at most 37 in Othello 6x6, not 1000000000."),
        ({"openings": 64}, "'openings' must be at most 63 in Othello 6x6, not 64."),
        ({"depth": 10**6}, "The depth must be 1 to 64 plies"),
        ({"exact": 30}, "exact must be 0 to 18"),
        ({"games": 10**12}, "'games' must be at most"),
        ({"threats": 5}, "no threats to search for"),
    ],
)
def test_settings_that_a_game_has_no_room_for_are_refused(settings: dict[str, int], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        NtupleLearner(game("othello6"), NtupleConfig(**settings), np.random.default_rng(0), Workers(1))


@pytest.mark.parametrize("settings", [{"rate": np.nan}, {"rate": 0.0}, {"trace_decay": 1.1}, {"stages": 0}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(UserError, match=next(iter(settings))):
        NtupleConfig(**settings)


HOSTILE = {
    "stages": [[10**9] * 37, [999] * 37, [0] * 36, [0.5] * 37, [-1] * 37, "x", 3],
    "tuples": [[], [[0] * 5], [[36]], [list(range(11))], [[0]] * 5000, [["a"]], [[[0]]], [0], 7, [[True]]],
    "step": [float("nan"), float("inf"), -1.0, 1e300, 1e38, 100.0, "1", None, True],
}


@pytest.mark.parametrize(("name", "value"), [(name, it) for name, values in HOSTILE.items() for it in values])
def test_hostile_settings_of_a_file_are_refused(name: str, value: object) -> None:
    tensors, settings = patterns("othello6").contents()
    with pytest.raises((ValueError, TypeError)):
        Patterns.from_contents(game("othello6"), Contents(tensors, {**settings, name: value}))


@pytest.mark.parametrize("shape", [(PHASES,), (PHASES, N_PAIRS - 1), (PHASES + 1, N_PAIRS), (0, 0)])
def test_errors_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="errors of its searches"):
        Patterns(drawn(game("tictactoe")), np.ones(shape))
    with pytest.raises(ValueError, match="errors of its searches"):
        Patterns(drawn(game("tictactoe")), np.full((PHASES, N_PAIRS), np.nan))
