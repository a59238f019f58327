"""Outcomes of the first plies: right by brute force, the same as the repertoire's, resumable, and refused if damaged."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import randori
from randori.core.game import LOSS, ONGOING, WIN, Game, States
from randori.core.knowledge import KnownOutcomes
from randori.core.symmetry import symmetries, transform
from randori.experiments import make_outcomes as maker
from randori.reading import DamagedFile
from randori.search.first_plies import FirstPlies, early_outcome, moves_to, read_outcomes, write_outcomes
from randori.search.repertoire import repertoire
from randori.search.solver import Solver

TICTACTOE, CONNECT4 = randori.game("tictactoe"), randori.game("connect4")
PLY = 5


@cache
def brute_force(position: bytes) -> int:
    """The outcome of a position of Tic-Tac-Toe, by following every game."""
    state = np.frombuffer(position, np.uint64).copy()[None]
    outcome = int(TICTACTOE.outcome(state)[0])
    if outcome != ONGOING:
        return outcome
    return max(-brute_force(child.tobytes()) for child in TICTACTOE.children(state).states)


def all_positions(game: Game, n_plies: int) -> States:
    """The positions of the first plies, including turned ones."""
    plies = [game.start(1)]
    for _ in range(n_plies):
        after = game.children(plies[-1]).states
        plies.append(np.unique(after[game.outcome(after) == ONGOING], axis=0))
    return np.concatenate(plies)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outcomes") / "tictactoe.json"
    maker.make_outcomes(TICTACTOE, KnownOutcomes(PLY, path), 1)
    return path


def test_outcomes_of_earlier_plies_are_derived(small: Path) -> None:
    plies, states = moves_to(TICTACTOE, PLY)
    known = FirstPlies(TICTACTOE, plies, states, read_outcomes(small, TICTACTOE, states))
    positions = all_positions(TICTACTOE, PLY)
    assert len(known) < len(positions) / 4
    for state in positions:
        assert known.find(state[None]) == brute_force(state.tobytes())
    late = TICTACTOE.play(states[:1], [int(np.flatnonzero(TICTACTOE.legal(states[:1])[0])[0])])
    assert known.find(late) is None


def test_it_continues_where_it_was_killed(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    _, states = moves_to(TICTACTOE, PLY)
    whole = read_outcomes(small, TICTACTOE, states)
    write_outcomes(path, states, whole[:7])
    assert len(read_outcomes(path, TICTACTOE, states)) == 7
    maker.make_outcomes(TICTACTOE, KnownOutcomes(PLY, path), 1, pause=0.0)
    assert path.read_bytes() == small.read_bytes()


def test_the_command_needs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(randori.UserError, match="--ply N --out FILE"):
        maker.main(["tictactoe", "--memory", "1"])
    maker.main(["tictactoe", "--ply", "2", "--memory", "1", "--out", str(tmp_path / "two.json")])
    assert "12 of 12" in capsys.readouterr().out


@pytest.mark.parametrize(
    "damage", [{"outcomes": "+" * 30}, {"outcomes": "?"}, {"outcomes": 3}, {"digest": "0"}, {"outcomes": "+" * 9999}]
)
def test_a_damaged_file_gives_one_sentence(small: Path, tmp_path: Path, damage: dict[str, object]) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(json.loads(small.read_text()) | damage))
    _, states = moves_to(TICTACTOE, PLY)
    with pytest.raises(DamagedFile, match="outcomes of Tic-Tac-Toe cannot be read"):
        read_outcomes(path, TICTACTOE, states)


def connect_four() -> FirstPlies:
    known = CONNECT4.knowledge.outcomes
    assert known is not None
    plies, states = moves_to(CONNECT4, known.ply)
    assert len(states) == 91_295
    return FirstPlies(CONNECT4, plies, states, read_outcomes(known.file, CONNECT4, states))


def test_connect_four_agrees_with_its_repertoire() -> None:
    """The repertoire was solved independently, move by move."""
    stored, outcomes = repertoire(CONNECT4), connect_four()
    assert stored is not None
    compared = 0
    for ply in stored.plies[:9]:
        for state, answer in zip(ply.states, ply.answers, strict=True):
            assert outcomes.find(state[None]) == answer.outcome
            compared += 1
    assert compared > 1000


def test_turned_positions_of_connect_four_are_worth_the_same() -> None:
    states = moves_to(CONNECT4, 4)[1]
    for symmetry in symmetries(CONNECT4):
        turned = transform(CONNECT4, states, symmetry)
        for one, other in zip(states, turned, strict=True):
            assert early_outcome(CONNECT4, one[None]) == early_outcome(CONNECT4, other[None]) is not None


def check_afresh(n: int, megabytes: int) -> None:
    """Positions of the last stored ply, by a search that knows nothing of the file."""
    known = CONNECT4.knowledge.outcomes
    assert known is not None
    states, solver = moves_to(CONNECT4, known.ply)[1], Solver(CONNECT4, megabytes)
    for row in np.random.default_rng(0).choice(len(states), n, replace=False):
        state = states[row : row + 1]
        assert solver.searched_outcome(state) == early_outcome(CONNECT4, state)


def test_samples_of_connect_four_solved_afresh() -> None:
    check_afresh(12, 64)


@pytest.mark.slow
def test_many_samples_of_connect_four_solved_afresh() -> None:
    check_afresh(1000, 1024)


@pytest.mark.parametrize("moves", ["", "4", "41", "444444", "1234"])
def test_the_solver_answers_early_positions_at_once(moves: str) -> None:
    state = CONNECT4.start(1)
    for move in moves:
        state = CONNECT4.play(state, [int(move) - 1])
    solver = Solver(CONNECT4)
    outcome = int(solver.outcomes(state)[0])
    kept = solver.keeping(state)[0]
    first = next(solver.approach(state))
    assert solver.nodes == 0
    assert outcome == first.value
    after = [
        -int(solver.outcomes(CONNECT4.play(state, [action]))[0]) for action in np.flatnonzero(CONNECT4.legal(state)[0])
    ]
    assert max(after) == outcome
    assert list(np.flatnonzero(kept)) == [
        int(action)
        for action, worth in zip(np.flatnonzero(CONNECT4.legal(state)[0]), after, strict=True)
        if worth == outcome
    ]


def test_first_moves_of_connect_four() -> None:
    """Known since 1988: the middle wins, the columns beside it draw, all others lose."""
    replies = CONNECT4.children(CONNECT4.start(1)).states
    assert [early_outcome(CONNECT4, it[None]) for it in replies] == [WIN, WIN, 0, LOSS, 0, WIN, WIN]
