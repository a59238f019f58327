"""Repertoires: complete against every reply, right by brute force and by the solver, resumable, and refused if damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import randori
from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.notation import parse_transcript
from randori.core.replay import last_position
from randori.core.symmetry import symmetries, transform
from randori.experiments.make_repertoire import extend, main, make_repertoire
from randori.reading import DamagedFile
from randori.search.repertoire import Ply, Repertoire, read_plies, repertoire, write_repertoire
from randori.search.solver import Solver

TICTACTOE, CONNECT4 = randori.game("tictactoe"), randori.game("connect4")


def stored_for(game: Game) -> Repertoire:
    found = repertoire(game)
    assert found is not None
    return found


def after(game: Game, moves: str) -> States:
    return last_position(game, parse_transcript(game, moves))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of Tic-Tac-Toe."""
    path = tmp_path_factory.mktemp("repertoire") / "tictactoe.json"
    make_repertoire(TICTACTOE, path, TICTACTOE.max_plies, 1)
    return path


def play_all(game: Game, known: Repertoire, seat: int, n_plies: int, on_result: Callable[[int], None]) -> None:
    """Plays the stored moves in one seat against every reply; reports the results of games that end, for that seat."""
    states = game.start(1)
    for ply in range(n_plies):
        if ply % 2 == seat:
            answers = known.find(states)
            assert None not in answers
            states = game.play(states, np.array([it.action for it in answers if it is not None], np.int16))
        else:
            states = game.children(states).states
        states = np.unique(states, axis=0)
        outcomes = game.outcome(states)
        # A result is for the side to move.
        for outcome in outcomes[outcomes != ONGOING]:
            on_result(int(outcome) if (ply + 1) % 2 == seat else -int(outcome))
        states = states[outcomes == ONGOING]


@pytest.mark.parametrize("seat", [0, 1])
def test_no_reply_leads_out_of_a_whole_repertoire(small: Path, seat: int) -> None:
    results: list[int] = []
    play_all(TICTACTOE, Repertoire(TICTACTOE, read_plies(small, TICTACTOE)), seat, 9, results.append)
    assert set(results) == {DRAW, WIN}


def test_every_answer_keeps_the_outcome(small: Path) -> None:
    solver = Solver(TICTACTOE)
    for ply in read_plies(small, TICTACTOE):
        keeping, outcomes = solver.keeping(ply.states), solver.outcomes(ply.states)
        for row, answer in enumerate(ply.answers):
            assert answer.outcome == outcomes[row]
            assert keeping[row, answer.action]


@pytest.mark.parametrize("game", [TICTACTOE, CONNECT4], ids=lambda game: game.name)
def test_turned_positions_have_turned_answers(game: Game, small: Path) -> None:
    known = Repertoire(game, read_plies(small, game)) if game is TICTACTOE else stored_for(game)
    states = known.plies[4].states
    straight = known.find(states)
    for symmetry in symmetries(game):
        for one, other, state in zip(straight, known.find(transform(game, states, symmetry)), states, strict=True):
            assert one is not None
            assert other is not None
            assert one.outcome == other.outcome
            ways = [it for it in symmetries(game) if (transform(game, state[None], it) == state).all()]
            # A position that is its own image has as many answers as images of the answer.
            turned = {int(symmetry.actions[way.actions[one.action]]) for way in ways}
            assert other.action in turned


def test_positions_elsewhere_are_unknown(small: Path) -> None:
    plies = read_plies(small, TICTACTOE)[:2]
    assert Repertoire(TICTACTOE, plies).find(after(TICTACTOE, "a1b2")) == [None]
    assert len(Repertoire(TICTACTOE, plies)) == 4


class Killed(Exception):
    pass


@pytest.mark.parametrize("survived", [1, 4, 30])
def test_it_continues_where_it_was_killed(tmp_path: Path, survived: int) -> None:
    path, solver = tmp_path / "repertoire.json", Solver(TICTACTOE)
    plies: list[Ply] = []

    def keep_some() -> None:
        if sum(len(it.answers) for it in plies) > survived:
            raise Killed
        write_repertoire(path, TICTACTOE, plies)

    with pytest.raises(Killed):
        extend(TICTACTOE, plies, 9, solver, keep_some)
    before = read_plies(path, TICTACTOE)
    assert sum(len(it.answers) for it in before) == survived
    make_repertoire(TICTACTOE, path, 9, 1)
    whole = read_plies(path, TICTACTOE)
    for short, long in zip(before, whole, strict=False):
        assert long.answers[: len(short.answers)] == short.answers
    play_all(TICTACTOE, Repertoire(TICTACTOE, whole), 0, 9, lambda result: None)


def test_the_command_needs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(randori.UserError, match="--out names one"):
        main(["tictactoe"])
    main(["tictactoe", "--plies", "2", "--memory", "1", "--out", str(tmp_path / "two.json")])
    assert "ply 1: 3 of 3" in capsys.readouterr().out


def _other_move(kept: dict[str, list[dict[str, str]]]) -> None:
    kept["plies"][0]["moves"] = "b2"


def _no_move(kept: dict[str, list[dict[str, str]]]) -> None:
    kept["plies"][0]["moves"] = "x9"


def _too_many(kept: dict[str, list[dict[str, str]]]) -> None:
    kept["plies"][1]["moves"] += " b2"
    kept["plies"][1]["outcomes"] += "+"


def _no_outcomes(kept: dict[str, list[dict[str, str]]]) -> None:
    del kept["plies"][2]["outcomes"]


def _no_text(kept: dict[str, object]) -> None:
    kept["plies"] = [1, 2]


@pytest.mark.parametrize("damage", [_other_move, _no_move, _too_many, _no_outcomes, _no_text])
def test_a_damaged_file_is_one_sentence(small: Path, tmp_path: Path, damage: Callable[[object], None]) -> None:
    kept = json.loads(small.read_text())
    damage(kept)
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(kept))
    with pytest.raises(DamagedFile, match="repertoire of Tic-Tac-Toe cannot be read"):
        read_plies(path, TICTACTOE)
    path.write_text(small.read_text()[:100])
    with pytest.raises(DamagedFile, match="damaged"):
        read_plies(path, TICTACTOE)


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [("", WIN), ("1", WIN), ("2", WIN), ("3", DRAW), ("4", LOSS), ("5", DRAW), ("6", WIN), ("7", WIN)],
)
def test_first_moves_of_connect_four(moves: str, outcome: int) -> None:
    """Known since 1988: the middle wins, the columns beside it draw, all others lose."""
    (answer,) = stored_for(CONNECT4).find(after(CONNECT4, moves))
    assert answer is not None
    assert answer.outcome == outcome
    if moves == "":
        assert CONNECT4.move_names[answer.action] == "4"


@pytest.mark.parametrize("seat", [0, 1])
def test_connect_four_is_known_against_every_reply(seat: int) -> None:
    known = stored_for(CONNECT4)
    play_all(CONNECT4, known, seat, len(known.plies), lambda result: None)


def _check_afresh(n: int, least_ply: int) -> None:
    rng = np.random.default_rng(0)
    for ply in stored_for(CONNECT4).plies[least_ply:]:
        for row in rng.choice(len(ply.answers), min(n, len(ply.answers)), replace=False):
            state, answer = ply.states[row : row + 1], ply.answers[row]
            solver = Solver(CONNECT4, 64)
            assert solver.outcomes(state)[0] == answer.outcome
            child = CONNECT4.play(state, [answer.action])
            reached = int(CONNECT4.outcome(child)[0])
            assert -(reached if reached != ONGOING else solver.outcomes(child)[0]) == answer.outcome


def test_samples_of_connect_four_solved_afresh() -> None:
    _check_afresh(4, least_ply=7)


@pytest.mark.slow
def test_many_samples_of_connect_four_solved_afresh() -> None:
    _check_afresh(100, least_ply=5)


def test_it_is_small_and_comes_with_the_package() -> None:
    path = CONNECT4.knowledge.repertoire
    assert path is not None
    assert path.stat().st_size < 20_000
    assert "games/*/*.json" in (Path(__file__).parent.parent / "pyproject.toml").read_text()
