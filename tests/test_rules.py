"""Compiled rules against independent judges: the slow reference and open_spiel.

The judge draws the actions, so the compiled rules can neither choose nor skip what they are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Protocol, TypeVar

import numpy as np
import pyspiel
import pytest
from reference import EMPTY, FIRST, JUDGES, SECOND, Othello

import randori
from randori.core.game import DRAW, LOSS, ONGOING, Game

Seat = TypeVar("Seat")


class Referee(Protocol[Seat]):
    """The part of a judge that every judge has; `cells` are colours, `result` is for the side to move."""

    def start(self) -> Seat: ...
    def legal(self, position: Seat) -> list[int]: ...
    def play(self, position: Seat, action: int) -> Seat: ...
    def result(self, position: Seat) -> int | None: ...
    def cells(self, position: Seat) -> Sequence[Sequence[int]]: ...


MARKS = {"x": FIRST, "b": FIRST, "o": SECOND, "w": SECOND, ".": EMPTY, "-": EMPTY}


class OpenSpiel:
    """open_spiel's rules; its boards are read from the text that it prints, one row per line from the top."""

    def __init__(self, spec: str, n_rows: int, skipped_lines: int) -> None:
        self.game = pyspiel.load_game(spec)
        self.lines = slice(skipped_lines, skipped_lines + n_rows)

    def start(self) -> pyspiel.State:
        return self.game.new_initial_state()

    def legal(self, position: pyspiel.State) -> list[int]:
        actions: list[int] = position.legal_actions()
        return actions

    def play(self, position: pyspiel.State, action: int) -> pyspiel.State:
        return position.child(action)

    def result(self, position: pyspiel.State) -> int | None:
        if not position.is_terminal():
            return None
        return int(position.returns()[position.move_number() % 2])

    def cells(self, position: pyspiel.State) -> list[list[int]]:
        lines = str(position).split("\n")[self.lines]
        return [[MARKS[mark] for mark in line if mark in MARKS] for line in lines]


OPEN_SPIEL = {
    "tictactoe": OpenSpiel("tic_tac_toe", n_rows=3, skipped_lines=0),
    "connect4": OpenSpiel("connect_four", n_rows=6, skipped_lines=0),
    "othello8": OpenSpiel("othello", n_rows=8, skipped_lines=2),
    **{
        f"gomoku{size}": OpenSpiel(f"gomoku(size={size},connect=5)", n_rows=size, skipped_lines=1)
        for size in (9, 13, 15, 19)
    },
    **{f"hex{size}": OpenSpiel(f"hex(board_size={size})", n_rows=size, skipped_lines=0) for size in (5, 7, 9, 11)},
}


def assert_agreement(game: Game, referee: Referee[Seat], positions: list[Seat], states: np.ndarray, ply: int) -> None:
    """Legal actions, cells and outcomes of a batch after `ply` plies, by the compiled rules and by the judge."""
    allowed = np.zeros((len(positions), game.n_actions), dtype=bool)
    for row, position in enumerate(positions):
        allowed[row, referee.legal(position)] = True
    np.testing.assert_array_equal(game.legal(states), allowed)
    side = FIRST if ply % 2 == 0 else SECOND
    boards = [referee.cells(position) for position in positions]
    np.testing.assert_array_equal(side * game.cells(states), boards)
    results = [referee.result(position) for position in positions]
    np.testing.assert_array_equal(game.outcome(states), [ONGOING if result is None else result for result in results])


def follow(game: Game, referee: Referee[Seat], n_games: int, seed: int) -> list[list[int]]:
    """Random games of the judge, followed ply by ply in one batch; the actions of each."""
    rng = np.random.default_rng(seed)
    positions = [referee.start() for _ in range(n_games)]
    states = game.start(n_games)
    games: list[list[int]] = [[] for _ in range(n_games)]
    playing = list(range(n_games))
    for ply in range(game.max_plies + 1):
        assert_agreement(game, referee, positions, states, ply)
        lasting = [row for row, position in enumerate(positions) if referee.result(position) is None]
        if not lasting:
            return games
        playing = [playing[row] for row in lasting]
        actions = [int(rng.choice(referee.legal(positions[row]))) for row in lasting]
        for number, action in zip(playing, actions, strict=True):
            games[number].append(action)
        positions = [referee.play(positions[row], action) for row, action in zip(lasting, actions, strict=True)]
        states = game.play(states[lasting], np.array(actions, dtype=np.int16))
    raise AssertionError(f"a game of {game.name} outlasts max_plies = {game.max_plies}")


@pytest.mark.parametrize(
    ("name", "n_games"),
    [
        ("tictactoe", 1000),
        ("connect4", 600),
        ("othello4", 400),
        ("othello6", 120),
        ("othello8", 60),
        ("gomoku9", 60),
        ("gomoku13", 12),
        ("gomoku15", 10),
        ("gomoku19", 5),
        ("hex5", 300),
        ("hex7", 60),
        ("hex9", 20),
        ("hex11", 12),
    ],
)
def test_random_games_agree_with_the_reference(name: str, n_games: int) -> None:
    follow(randori.game(name), JUDGES[name], n_games, seed=1)


@pytest.mark.parametrize(
    ("name", "n_games"),
    [
        ("tictactoe", 1000),
        ("connect4", 1000),
        ("othello8", 300),
        ("gomoku9", 300),
        ("gomoku13", 40),
        ("gomoku15", 40),
        ("gomoku19", 20),
        ("hex5", 1000),
        ("hex7", 300),
        ("hex9", 100),
        ("hex11", 60),
    ],
)
def test_random_games_agree_with_open_spiel(name: str, n_games: int) -> None:
    games = follow(randori.game(name), OPEN_SPIEL[name], n_games, seed=2)
    if name == "othello8":
        assert any(64 in actions for actions in games), "the sample should hold forced passes"


@pytest.mark.parametrize("size", [4, 6, 8])
def test_othello_margin_is_the_difference_of_discs_at_every_ply(size: int) -> None:
    game, judge = randori.game(f"othello{size}"), Othello(size)
    for actions in follow(game, judge, n_games=5, seed=3):
        position, states = judge.start(), game.start(1)
        for action in actions:
            assert game.margin(states)[0] == judge.margin(position)
            position, states = judge.play(position, action), game.play(states, np.array([action], dtype=np.int16))
        assert game.margin(states)[0] == judge.margin(position)


def test_othello_opens_and_is_named_as_usual() -> None:
    game = randori.game("othello8")
    opening = np.flatnonzero(game.legal(game.start(1))[0])
    assert {game.move_names[action] for action in opening} == {"d3", "c4", "f5", "e6"}
    assert game.move_names[37] == "f5"
    assert game.move_names[64] == "pass"


def test_othello_ends_when_a_side_has_no_disc_left() -> None:
    game, judge = randori.game("othello8"), Othello(8)
    states, position = game.start(1), judge.start()
    for move in ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"):
        action = game.move_names.index(move)
        states, position = game.play(states, np.array([action], dtype=np.int16)), judge.play(position, action)
    assert_agreement(game, judge, [position], states, ply=9)
    assert game.outcome(states)[0] == LOSS
    assert game.margin(states)[0] == judge.margin(position) == -13


def play_all(game: Game, actions: np.ndarray) -> np.ndarray:
    """The states after the last ply of games `[B, T]`, all of which must last until then."""
    states = game.start(len(actions))
    for ply in range(actions.shape[1]):
        assert (game.outcome(states) == ONGOING).all(), f"over before ply {ply}"
        states = game.play(states, actions[:, ply])
    return states


def equal_steps(game: Game, length: int) -> list[list[int]]:
    """Squares in equal steps of their numbers: all lines of the board, and all that wrap around an edge."""
    height, width = game.shape
    return [
        [first + step * i for i in range(length)]
        for step in (1, width - 1, width, width + 1)
        for first in range(height * width - step * (length - 1))
    ]


@pytest.mark.parametrize(
    ("name", "length", "closing"),
    [("tictactoe", 3, 1), *[(f"gomoku{size}", length, 2) for size in (9, 13, 15, 19) for length in (5, 6)]],
)
def test_lines_win_wherever_they_lie_unless_they_wrap(name: str, length: int, closing: int) -> None:
    """The first side fills `length` squares, the one at `closing` last, so six in a row come without five before."""
    game, judge = randori.game(name), JUDGES[name]
    rng = np.random.default_rng(4)
    games, positions = [], []
    for squares in equal_steps(game, length):
        squares.append(squares.pop(closing))
        others = rng.permutation(np.setdiff1d(np.arange(game.n_actions), squares))
        actions = np.zeros(2 * length - 1, dtype=np.int16)
        actions[0::2], actions[1::2] = squares, others[: length - 1]
        games.append(actions)
        positions.append(reduce(judge.play, actions.tolist(), judge.start()))
    states = play_all(game, np.array(games))
    assert_agreement(game, judge, positions, states, ply=2 * length - 1)
    assert {LOSS, ONGOING} == set(game.outcome(states).tolist())


@pytest.mark.parametrize("size", [9, 13, 15, 19])
def test_a_full_gomoku_board_without_five_is_a_draw(size: int) -> None:
    game = randori.game(f"gomoku{size}")
    row, column = np.indices((size, size))
    # No colour has more than two in a line of this pattern, and the first side has one stone more.
    of_first = ((row + column // 2) % 2 == 0).ravel()
    actions = np.zeros((1, size * size), dtype=np.int16)
    actions[0, 0::2], actions[0, 1::2] = np.flatnonzero(of_first), np.flatnonzero(~of_first)
    assert game.outcome(play_all(game, actions))[0] == DRAW
