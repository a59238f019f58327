"""The solver against brute force, known results, its own generic half, and the symmetries of the board."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from reference import FIRST, JUDGES, SECOND, Position
from reference.brute import Truth, keeping, solve

import randori
from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.notation import parse_transcript
from randori.core.replay import last_position
from randori.core.symmetry import symmetries, transform
from randori.errors import UserError
from randori.search import solver as solving
from randori.search.effort import expected_seconds, measure, random_endings
from randori.search.solver import Solution, Solver, reach


class Compiled:
    """The compiled rules, which other tests judge, one position at a time; fast enough to try everything."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def state(self, position: bytes) -> States:
        return np.frombuffer(position, np.uint64).reshape(1, -1).copy()

    def legal(self, position: bytes) -> Sequence[int]:
        return [int(action) for action in np.flatnonzero(self.game.legal(self.state(position))[0])]

    def play(self, position: bytes, action: int) -> bytes:
        return self.game.play(self.state(position), [action]).tobytes()

    def result(self, position: bytes) -> int | None:
        outcome = int(self.game.outcome(self.state(position))[0])
        return None if outcome == ONGOING else outcome

    def margin(self, position: bytes) -> int:
        return int(self.game.margin(self.state(position))[0])


def counts_discs(game: Game) -> bool:
    return game.counts is not None


def late(game: Game, n: int, empties: Sequence[int], seed: int = 0) -> States:
    """Random positions, `n` for each number of empty squares."""
    rng = np.random.default_rng(seed)
    source = packed if game.family.name == "gomoku" and game.n_squares > 100 else random_endings
    return np.concatenate([source(game, n, empty, rng) for empty in empties])


def packed(game: Game, n: int, empty: int, rng: np.random.Generator) -> States:
    """Positions of Gomoku that random games never reach: stones in pairs, which leave no five, a little shuffled."""
    rows, columns = np.indices(game.shape)
    pairs = np.where((columns + 2 * rows) % 4 < 2, 1, -1).astype(np.int8).reshape(-1)
    found: list[States] = []
    while len(found) < n:
        cells = pairs.copy()
        moved = rng.choice(cells.size, 12, replace=False)
        cells[moved] = cells[np.roll(moved, 1)]
        cells[rng.choice(cells.size, empty, replace=False)] = 0
        with suppress(UserError):
            state = game.from_cells(cells.reshape(1, *game.shape))
            found += [state] if game.outcome(state)[0] == ONGOING else []
    return np.concatenate(found)


def assert_same(solution: Solution, truth: Truth, by_margin: bool) -> None:
    assert solution.complete
    assert solution.value == truth.value
    assert set(solution.best) == truth.best
    assert solution.plies == (None if by_margin else truth.plies)


EMPTIES = {
    "tictactoe": range(1, 8),
    "connect4": range(1, 10),
    "othello4": range(1, 9),
    "othello6": range(1, 8),
    "othello8": range(1, 8),
    "gomoku9": range(1, 7),
    "gomoku13": range(1, 6),
    "gomoku15": range(1, 6),
    "gomoku19": range(1, 6),
    "hex5": range(1, 8),
}


@pytest.mark.parametrize("name", EMPTIES)
def test_it_agrees_with_brute_force(name: str) -> None:
    game = randori.game(name)
    states = late(game, 40, EMPTIES[name])
    solver, rules, by_margin = Solver(game, megabytes=1), Compiled(game), counts_discs(game)
    kept, outcomes = solver.keeping(states), solver.outcomes(states)
    for i in range(len(states)):
        seen: dict[bytes, Truth] = {}
        truth = solve(rules, states[i].tobytes(), by_margin, seen)
        assert_same(solver.solve(states[i : i + 1]), truth, by_margin)
        assert set(np.flatnonzero(kept[i])) == keeping(rules, states[i].tobytes(), by_margin, seen)
        assert outcomes[i] == np.sign(truth.value)


@pytest.mark.parametrize("name", EMPTIES)
def test_it_agrees_with_brute_force_over_the_plain_rules(name: str) -> None:
    game = randori.game(name)
    states = late(game, 2, list(EMPTIES[name])[:4], seed=1)
    for i in range(len(states)):
        cells = game.cells(states[i : i + 1])[0]
        # The reference names colours: who is to move is a matter of choice in Othello, of the stones elsewhere.
        side = FIRST if counts_discs(game) or cells.sum() == 0 else SECOND
        position = Position(tuple(tuple(int(it) * side for it in line) for line in cells), side)
        truth = solve(JUDGES[name], position, counts_discs(game))
        assert_same(Solver(game).solve(states[i : i + 1]), truth, counts_discs(game))


def test_every_position_of_tictactoe() -> None:
    game = randori.game("tictactoe")
    solver, rules = Solver(game, megabytes=1), Compiled(game)
    seen: dict[bytes, Truth] = {}
    assert solve(rules, game.start(1).tobytes(), False, seen).value == DRAW
    going = {position: truth for position, truth in seen.items() if truth.plies}
    assert len(going) == 4520
    for position, truth in going.items():
        assert_same(solver.solve(rules.state(position)), truth, False)


@pytest.mark.parametrize(("name", "value"), [("tictactoe", 0), ("othello4", -8)])
def test_whole_games(name: str, value: int) -> None:
    """Tic-Tac-Toe is a draw; on the 4x4 board the second player wins by 11 to 3."""
    game = randori.game(name)
    solution = Solver(game).solve(game.start(1))
    assert solution.value == value
    # The first moves are alike by symmetry in Othello; in Tic-Tac-Toe none loses.
    assert set(solution.best) == set(np.flatnonzero(game.legal(game.start(1))[0]))


@pytest.mark.parametrize(
    ("moves", "value", "plies", "best"),
    [
        ("141414", WIN, 1, {"1"}),
        ("4455", WIN, 3, {"3", "6"}),
        ("44553", LOSS, 2, {"1", "2", "3", "4", "5", "6", "7"}),
    ],
)
def test_connect_four_by_eye(moves: str, value: int, plies: int, best: set[str]) -> None:
    game = randori.game("connect4")
    solution = Solver(game).solve(last_position(game, parse_transcript(game, moves)))
    assert (solution.value, solution.plies) == (value, plies)
    assert {game.move_names[action] for action in solution.best} == best


@pytest.mark.parametrize(
    ("name", "empty"),
    [("connect4", 18), ("othello8", 10), ("othello8", 15), ("othello6", 10), ("othello6", 14), ("othello4", 11)],
)
def test_crafts_agree_with_the_rules(name: str, empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game(name)
    states = late(game, 25, [empty], seed=2)
    crafted = [Solver(game).solve(states[i : i + 1]) for i in range(len(states))]
    monkeypatch.setattr(solving, "_craft_of", lambda game: None)
    solver = Solver(game)
    for i, solution in enumerate(crafted):
        plain = solver.solve(states[i : i + 1])
        assert (plain.value, plain.plies, plain.best) == (solution.value, solution.plies, solution.best)


@pytest.mark.parametrize(("name", "empty"), [("connect4", 24), ("othello8", 12), ("othello6", 12), ("gomoku9", 8)])
def test_it_agrees_with_itself_on_turned_boards(name: str, empty: int) -> None:
    game = randori.game(name)
    states = late(game, 4, [empty], seed=3)
    for i in range(len(states)):
        straight = Solver(game).solve(states[i : i + 1])
        for symmetry in symmetries(game):
            turned = Solver(game).solve(transform(game, states[i : i + 1], symmetry))
            assert (turned.value, turned.plies) == (straight.value, straight.plies)
            assert set(turned.best) == {int(symmetry.actions[action]) for action in straight.best}


@pytest.mark.parametrize(("name", "empty"), [("connect4", 26), ("othello8", 14)])
def test_answers_do_not_depend_on_the_table(name: str, empty: int) -> None:
    """Neither a crowded table nor one full of other positions changes anything."""
    game = randori.game(name)
    states = late(game, 8, [empty], seed=4)
    crowded = Solver(game, megabytes=1)
    for i in range(len(states)):
        one, other = crowded.solve(states[i : i + 1]), Solver(game).solve(states[i : i + 1])
        assert (one.value, one.plies, one.best) == (other.value, other.plies, other.best)


@pytest.mark.parametrize(("name", "empty"), [("connect4", 28), ("othello8", 15)])
def test_bounds_only_narrow(name: str, empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_SLICE", 1000)
    game = randori.game(name)
    for state in late(game, 3, [empty], seed=5):
        known = list(Solver(game).approach(state.reshape(1, -1)))
        assert [it.complete for it in known] == [False] * (len(known) - 1) + [True]
        for before, after in pairwise(known):
            assert before.lower <= after.lower <= after.upper <= before.upper
            assert before.nodes <= after.nodes
            assert game.legal(state.reshape(1, -1))[0, list(after.best)].all()
            assert before.plies is None or (after.plies is not None and before.plies <= after.plies)


def test_a_search_given_up_leaves_the_solver_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_SLICE", 1000)
    game = randori.game("othello8")
    states = late(game, 2, [13], seed=6)
    solver = Solver(game)
    given_up = solver.approach(states[:1])
    for _ in range(5):
        assert not next(given_up).complete
    given_up.close()
    assert solver.solve(states[1:]).value == Solver(game).solve(states[1:]).value
    assert solver.solve(states[:1]).value == Solver(game).solve(states[:1]).value


def test_a_short_win_is_found_on_a_large_board() -> None:
    game = randori.game("gomoku15")
    state = last_position(game, parse_transcript(game, "h8 a1 h9 c1 h10 e1"))
    known = Solver(game).approach(state)
    solution = next(it for it in known if it.value is not None)
    assert (solution.value, solution.plies) == (WIN, 3)


def test_boards_with_hardly_a_disc_are_searched_to_their_end() -> None:
    """More empty squares than any game has: two discs on the 4x4 board."""
    game = randori.game("othello4")
    cells = np.zeros((1, 4, 4), np.int8)
    cells[0, 1, 1:3] = 1, -1
    state = game.from_cells(cells)
    assert_same(Solver(game).solve(state), solve(Compiled(game), state.tobytes(), True), True)


def test_finished_positions_are_refused() -> None:
    game = randori.game("connect4")
    over = last_position(game, parse_transcript(game, "1414141"))
    with pytest.raises(UserError, match="over"):
        Solver(game).solve(over)


@pytest.mark.parametrize("megabytes", [0, -1, 1 << 20])
def test_tables_of_no_sensible_size_are_refused(megabytes: int) -> None:
    with pytest.raises(UserError, match="megabytes"):
        Solver(randori.game("tictactoe"), megabytes)


def test_memory_grows_with_the_work_up_to_its_bound() -> None:
    game = randori.game("othello8")
    solver = Solver(game, megabytes=4)
    assert solver.megabytes < 2
    for state in random_endings(game, 3, 17, np.random.default_rng(0)):
        solver.solve(state[None])
    assert 4 < solver.megabytes < 5


def test_an_empty_batch_is_a_batch() -> None:
    for name in EMPTIES:
        solver = Solver(randori.game(name))
        none = solver.game.start(0)
        assert solver.best(none).shape == solver.keeping(none).shape == (0, solver.game.n_actions)
        assert solver.outcomes(none).shape == (0,)


@pytest.mark.parametrize(("name", "empty"), [("othello8", 9), ("connect4", 20), ("gomoku9", 10)])
def test_random_positions_are_as_asked(name: str, empty: int) -> None:
    game = randori.game(name)
    states = random_endings(game, 20, empty, np.random.default_rng(0))
    assert len(states) == 20
    assert (game.moves_left(states) == empty).all()
    assert (game.outcome(states) == ONGOING).all()
    assert not len(random_endings(game, 5, game.shape[0] * game.shape[1] + 1, np.random.default_rng(0)))


def test_speed_is_measured() -> None:
    speed = measure(randori.game("othello8"), left=8, n=5)
    assert 0 < speed.median_seconds < 1
    assert speed.nodes_a_second > 10_000
    with pytest.raises(UserError, match="empty squares"):
        measure(randori.game("othello8"), left=63)


def test_expectations_grow_with_the_board() -> None:
    near, far = (expected_seconds(game, game.start(1)) for game in (randori.game("othello4"), randori.game("othello8")))
    assert near < 1
    assert far > 3600


@pytest.mark.parametrize("name", EMPTIES)
def test_reach_is_within_the_board(name: str) -> None:
    game = randori.game(name)
    assert 1 <= reach(game) <= game.shape[0] * game.shape[1]
