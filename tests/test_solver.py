"""The solver against brute force, known results, its own generic half, and the symmetries of the board."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from calling import from_python
from numpy.typing import NDArray
from reference import FIRST, JUDGES, SECOND, Position
from reference.brute import Truth, keeping, solve

import randori
from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.notation import parse_transcript
from randori.core.replay import last_position
from randori.core.symmetry import canonical_keys, symmetries, transform
from randori.errors import UserError
from randori.games.connect4 import craft as connect4_craft
from randori.kernels import packed_table
from randori.kernels.solver import SETTLED
from randori.search import solver as solving
from randori.search.effort import expected_seconds, measure, random_endings
from randori.search.solver import Solution, Solver, reach

settle, number = from_python(connect4_craft.settle), from_python(connect4_craft.number)
mixed, place_of = from_python(packed_table.mixed), from_python(packed_table.place_of)
look_up, store = from_python(packed_table.look_up), from_python(packed_table.store)


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


def without_craft(game: Game) -> Solver:
    """The solver that knows nothing but the rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "_craft_of", lambda game: None)
        return Solver(game)


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
        truths: dict[bytes, Truth] = {}
        truth = solve(rules, states[i].tobytes(), by_margin, truths)
        assert_same(solver.solve(states[i : i + 1]), truth, by_margin)
        assert set(np.flatnonzero(kept[i])) == keeping(rules, states[i].tobytes(), by_margin, truths)
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
    truths: dict[bytes, Truth] = {}
    assert solve(rules, game.start(1).tobytes(), False, truths).value == DRAW
    ongoing = {position: truth for position, truth in truths.items() if truth.plies}
    assert len(ongoing) == 4520
    for position, truth in ongoing.items():
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
def test_crafts_agree_with_the_rules(name: str, empty: int) -> None:
    game = randori.game(name)
    states = late(game, 25, [empty], seed=2)
    crafted = [Solver(game).solve(states[i : i + 1]) for i in range(len(states))]
    solver = without_craft(game)
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


def test_follow_up_play_proves_only_what_is_true() -> None:
    """Whatever the craft settles without a search is on the right side of every question, by the rules alone."""
    game = randori.game("connect4")
    craft = connect4_craft.craft(game)
    solver, top = Solver(game), game.max_plies + 1
    plain = without_craft(game)
    settled = 0
    for state in late(game, 60, range(6, 15, 2), seed=8):
        found = plain.solve(state[None])
        assert found.value is not None
        assert found.plies is not None
        value = found.value * (top - found.plies)
        words = solver._words(state[None])[0]
        for alpha in range(4 - top, top - 3):
            known, bound = settle(words, craft.facts, alpha, top)
            if known == SETTLED:
                assert value >= bound > alpha or value <= bound <= alpha
                settled += 4 - top < bound < top - 3
    assert settled > 500


def test_best_moves_where_there_is_time_and_sound_ones_elsewhere() -> None:
    game = randori.game("connect4")
    states = late(game, 10, [18, 22], seed=9)
    solver = Solver(game)
    np.testing.assert_array_equal(solver.best_or_keeping(states, 10**9), solver.best(states))
    hasty, keeping, best = Solver(game).best_or_keeping(states, 0), solver.keeping(states), solver.best(states)
    assert (hasty <= keeping).all()
    assert (hasty.sum(axis=1) == 1).any()
    assert (hasty.any(axis=1)).all()
    assert (hasty != best).any()


def test_the_outcome_comes_first_and_with_a_move_that_keeps_it() -> None:
    game = randori.game("connect4")
    solver = Solver(game)
    for state in late(game, 30, [16, 24], seed=10):
        outcome, action = solver.sure_action(state[None])
        assert outcome == Solver(game).outcomes(state[None])[0]
        assert solver.keeping(state[None])[0, action]


def test_finished_positions_are_refused() -> None:
    game = randori.game("connect4")
    over = last_position(game, parse_transcript(game, "1414141"))
    with pytest.raises(UserError, match="over"):
        Solver(game).solve(over)


@pytest.mark.parametrize("megabytes", [0, -1, 1 << 20])
def test_tables_of_no_sensible_size_are_refused(megabytes: int) -> None:
    with pytest.raises(UserError, match="megabytes"):
        Solver(randori.game("tictactoe"), megabytes)


def test_the_packed_table_keeps_its_entries_and_grows_without_loss() -> None:
    rng = np.random.default_rng(0)
    keys = np.unique(rng.integers(0, 1 << 49, 3000, dtype=np.uint64))
    facts = rng.integers([-42, -42, -1, 1], [43, 43, 15, 64], (len(keys), 4))
    facts[:5, :2] = -20_000, 20_000  # nothing known
    small, large = np.zeros((1 << 16, 1), np.uint64), np.zeros((1 << 18, 1), np.uint64)
    stored: dict[int, tuple[int, int, int]] = {}
    for key, (lower, upper, action, work) in zip(keys, facts, strict=True):
        place = place_of(len(small), key, False)
        store(small[:, 0], place, key, lower, upper, action, np.uint64(work))
        stored[int(key)] = max(int(lower), -64), min(int(upper), 64), int(action)

    def recalled(table: NDArray[np.uint64]) -> dict[int, tuple[int, int, int]]:
        places = {int(key): place_of(len(table), key, False) for key in keys}
        found = {key: look_up(table[:, 0], place, np.uint64(key)) for key, place in places.items()}
        return {key: it for key, it in found.items() if it != (-64, 64, -1)}

    before = recalled(small)
    assert len(before) > 0.95 * len(keys)  # a third one at the same place drives one out
    assert all(stored[key] == it for key, it in before.items())
    packed_table.move_entries(small, large)
    assert recalled(large) == before


def test_numbers_of_connect_four_are_equal_for_mirror_images_alone() -> None:
    game = randori.game("connect4")
    states = np.unique(np.concatenate([late(game, 400, [left], seed=left) for left in range(20, 40)]), axis=0)
    found = [number(state) for state in Solver(game)._words(states)]
    assert max(int(it[0]) for it in found) < 1 << 49
    assert len({int(it[0]) for it in found}) == len(np.unique(canonical_keys(game, states)))
    keys = {int(mixed(np.uint64(it[0]))) for it in found}
    assert len(keys) == len({int(it[0]) for it in found})
    assert max(keys) < 1 << 49


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
def test_random_positions_have_the_requested_number_of_empty_squares(name: str, empty: int) -> None:
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
