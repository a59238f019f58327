"""The laws of games: every registered game obeys them, on positions that Hypothesis chooses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import randori
from randori.core.game import ONGOING, Actions, Game, States
from randori.core.record import record
from randori.core.symmetry import symmetries, transform
from randori.errors import UserError
from randori.games import names

SEEDS = st.integers(0, 2**32 - 1)


def drawn(game: Game, states: States, rng: np.random.Generator) -> Actions:
    """A random legal action for each state; every state must have one."""
    lots = np.where(game.legal(states), rng.random((len(states), game.n_actions)), -1)
    return np.asarray(lots.argmax(1), np.int16)


def reached(game: Game, plies: list[int], seed: int | np.random.Generator) -> States:
    """One position for each number of `plies` of random play, or the end of its game if that comes first."""
    rng = np.random.default_rng(seed)
    states = game.start(len(plies))
    for ply in range(max(plies)):
        moving = np.flatnonzero(game.legal(states).any(1) & (np.array(plies) > ply))
        if not moving.size:
            break
        states[moving] = game.play(states[moving], drawn(game, states[moving], rng))
    return states


def positions(game: Game) -> st.SearchStrategy[States]:
    plies = st.lists(st.integers(0, game.max_plies), min_size=1, max_size=6)
    return st.builds(partial(reached, game), plies=plies, seed=SEEDS)


def law(test: Callable[[Game, States, np.random.Generator], None]) -> Callable[..., None]:
    """Runs `test` for every game, on batches from any stage of it and with a generator for further draws."""

    def check(name: str, data: st.DataObject) -> None:
        game = randori.game(name)
        test(game, data.draw(positions(game), "states"), np.random.default_rng(data.draw(SEEDS, "seed")))

    # Hypothesis derives the examples from the name.
    check.__name__, check.__doc__ = test.__name__, test.__doc__
    every_game: Callable[..., Callable[..., None]] = pytest.mark.parametrize("name", names())
    return every_game(given(data=st.data())(check))


def ongoing(game: Game, states: States) -> States:
    return np.asarray(states[game.outcome(states) == ONGOING])


@law
def test_a_game_is_over_exactly_when_no_action_is_legal(game: Game, states: States, rng: np.random.Generator) -> None:
    np.testing.assert_array_equal(game.legal(states).any(1), game.outcome(states) == ONGOING)


@law
def test_sides_alternate(game: Game, states: States, rng: np.random.Generator) -> None:
    """A ply adds one stone of the side that moved, or none for a pass; stones may change sides, never vanish."""
    states = ongoing(game, states)
    actions = drawn(game, states, rng)
    before, after = game.cells(states), -game.cells(game.play(states, actions))
    passing = np.array([game.move_names[action] == "pass" for action in actions], dtype=bool)
    np.testing.assert_array_equal(((before == 0) & (after == 1)).sum((1, 2)), ~passing)
    changed = before != after
    assert (after[changed] == 1).all()
    assert not changed[passing].any()


@pytest.mark.parametrize("name", names())
@given(seed=SEEDS)
def test_every_game_ends_in_time(name: str, seed: int) -> None:
    game = randori.game(name)
    ends = reached(game, [game.max_plies] * 4, seed)
    assert (game.outcome(ends) != ONGOING).all()


@law
def test_margin_has_the_sign_of_the_outcome(game: Game, states: States, rng: np.random.Generator) -> None:
    over = states[game.outcome(states) != ONGOING]
    np.testing.assert_array_equal(np.sign(game.margin(over)), game.outcome(over))


@law
def test_rows_of_a_batch_do_not_touch_each_other(game: Game, states: States, rng: np.random.Generator) -> None:
    for answer in (game.legal, game.outcome, game.margin, game.cells, game.keys):
        alone = np.concatenate([answer(states[row : row + 1]) for row in range(len(states))])
        np.testing.assert_array_equal(answer(states), alone)
    states = ongoing(game, states)
    actions = drawn(game, states, rng)
    for row, after in enumerate(game.play(states, actions)):
        np.testing.assert_array_equal(after, game.play(states[row : row + 1], actions[row : row + 1])[0])


@law
def test_calls_do_not_change_their_arguments(game: Game, states: States, rng: np.random.Generator) -> None:
    states = ongoing(game, states)
    actions = drawn(game, states, rng)
    states_before, actions_before = states.copy(), actions.copy()
    after = game.play(states, actions)
    assert not np.shares_memory(after, states)
    for answer in (game.legal, game.outcome, game.margin, game.cells, game.keys, game.children):
        answer(states)
    np.testing.assert_array_equal(states, states_before)
    np.testing.assert_array_equal(actions, actions_before)


@law
def test_cells_determine_a_position(game: Game, states: States, rng: np.random.Generator) -> None:
    np.testing.assert_array_equal(game.from_cells(game.cells(states)), states)


@law
def test_keys_are_equal_exactly_when_positions_are(game: Game, states: States, rng: np.random.Generator) -> None:
    states = np.concatenate([states, game.start(2), reached(game, [1, 2, 2, 3, 3, 3], rng)])
    cells, keys = game.cells(states).reshape(len(states), -1), game.keys(states)
    same_cells = (cells[:, None] == cells[None]).all(2)
    np.testing.assert_array_equal(keys[:, None] == keys[None], same_cells)
    np.testing.assert_array_equal((states[:, None] == states[None]).all(2), same_cells)


@law
def test_children_are_the_legal_actions_played(game: Game, states: States, rng: np.random.Generator) -> None:
    parents, actions = np.nonzero(game.legal(states))
    children = game.children(states)
    np.testing.assert_array_equal(children.parents, parents)
    np.testing.assert_array_equal(children.actions, actions)
    np.testing.assert_array_equal(children.states, game.play(states[parents], actions.astype(np.int16)))


@law
def test_an_illegal_action_is_refused_by_row(game: Game, states: States, rng: np.random.Generator) -> None:
    """Every action that is not legal, numbers that name no action, and any action once the game is over."""
    rows, actions = np.nonzero(~game.legal(states))
    wrong = [*zip(rows.tolist(), actions.tolist(), strict=True)]
    for row, action in [*wrong[:: max(1, len(wrong) // 20)], (0, -1), (0, game.n_actions), (0, 2**15 - 1)]:
        fine = game.start(2)
        batch = np.concatenate([fine, states[row : row + 1]])
        first = int(game.legal(fine[:1]).argmax())
        with pytest.raises(ValueError, match=r"\brow 2\b"):
            game.play(batch, np.array([first, first, action], dtype=np.int16))


@law
def test_views_are_read_like_copies(game: Game, states: States, rng: np.random.Generator) -> None:
    every_other = np.repeat(states, 2, axis=0)[::2]
    fortran = np.asfortranarray(states)
    for view in (every_other, fortran):
        np.testing.assert_array_equal(game.cells(view), game.cells(states))
        np.testing.assert_array_equal(game.legal(view), game.legal(states))


@law
def test_symmetries_commute_with_the_rules(game: Game, states: States, rng: np.random.Generator) -> None:
    lasting = ongoing(game, states)
    actions = drawn(game, lasting, rng)
    after = game.play(lasting, actions)
    for symmetry in symmetries(game):
        turned = transform(game, states, symmetry)
        np.testing.assert_array_equal(game.legal(turned)[:, symmetry.actions], game.legal(states))
        np.testing.assert_array_equal(game.outcome(turned), game.outcome(states))
        np.testing.assert_array_equal(game.margin(turned), game.margin(states))
        turned_after = game.play(transform(game, lasting, symmetry), symmetry.actions[actions].astype(np.int16))
        np.testing.assert_array_equal(turned_after, transform(game, after, symmetry))


@pytest.mark.parametrize("name", names())
def test_symmetries_differ_from_each_other(name: str) -> None:
    game = randori.game(name)
    ways = symmetries(game)
    assert len(ways) == {"connect4": 2, "hex": 2}.get(game.family.name, 8)
    assert len({symmetry.cells.tobytes() for symmetry in ways}) == len(ways)
    assert len({symmetry.actions.tobytes() for symmetry in ways}) == len(ways)


@pytest.mark.parametrize("name", names())
@given(seed=SEEDS)
def test_a_replay_reproduces_the_game(name: str, seed: int) -> None:
    game, rng = randori.game(name), np.random.default_rng(seed)
    states = game.start(3)
    actions = np.full((len(states), game.max_plies), -1, dtype=np.int16)
    expected = []
    for ply in range(game.max_plies):
        playing = np.flatnonzero(game.outcome(states) == ONGOING)
        if not playing.size:
            break
        actions[playing, ply] = drawn(game, states[playing], rng)
        expected.append((playing, states[playing]))
        states[playing] = game.play(states[playing], actions[playing, ply])
    games = record(game, actions)
    for (playing, before), step in zip(expected, games.replay(), strict=True):
        np.testing.assert_array_equal(step.games, playing)
        np.testing.assert_array_equal(step.states, before)
        np.testing.assert_array_equal(step.actions, actions[playing, step.number])
    first_to_move = games.lengths % 2 == 0
    np.testing.assert_array_equal(games.outcomes, np.where(first_to_move, 1, -1) * game.outcome(states))


@pytest.mark.parametrize("name", names())
def test_an_empty_batch_is_a_batch(name: str) -> None:
    game = randori.game(name)
    none = game.start(0)
    assert game.legal(none).shape == (0, game.n_actions)
    assert game.cells(none).shape == (0, *game.shape)
    assert len(game.play(none, np.zeros(0, dtype=np.int16))) == len(game.outcome(none)) == len(game.keys(none)) == 0
    assert len(game.children(none).actions) == len(game.from_cells(game.cells(none))) == 0


@pytest.mark.parametrize("name", names())
def test_arrays_have_the_promised_types(name: str) -> None:
    game = randori.game(name)
    states = game.start(3)
    children = game.children(states)
    assert states.dtype == children.states.dtype == game.keys(states).dtype == np.uint64
    assert game.legal(states).dtype == np.bool_
    assert game.outcome(states).dtype == game.cells(states).dtype == np.int8
    assert game.margin(states).dtype == children.actions.dtype == np.int16
    assert len(game.move_names) == len(set(game.move_names)) == game.n_actions


@pytest.mark.parametrize("name", names())
def test_move_orders_that_meet_have_one_key(name: str) -> None:
    """All plies among a few actions: paths that lead to equal cells must lead to equal states and keys."""
    game = randori.game(name)
    states = game.start(1)
    many = game.legal(states).sum() > 10
    for _ in range(4):
        children = game.children(states)
        kept = np.isin(children.actions, np.unique(children.actions)[:7]) if many else slice(None)
        states = children.states[kept]
    n_positions = len(np.unique(game.cells(states), axis=0))
    assert n_positions < len(states), "some paths should meet"
    assert len(np.unique(game.keys(states))) == len(np.unique(states, axis=0)) == n_positions


@pytest.mark.parametrize("name", names())
def test_a_number_too_large_for_an_action_is_refused(name: str) -> None:
    """Cut down to 16 bits, this number would be a legal action."""
    game = randori.game(name)
    states = game.start(1)
    with pytest.raises(ValueError, match=r"\brow 0\b"):
        game.play(states, np.array([2**16 + game.legal(states)[0].argmax()]))


@pytest.mark.parametrize("name", names())
def test_boards_of_a_wrong_shape_or_with_strange_stones_are_refused(name: str) -> None:
    game = randori.game(name)
    height, width = game.shape
    strange = game.cells(game.start(1))
    strange[0, 0, 0] = 2
    for cells in (np.zeros((1, height + 1, width)), np.zeros((height, width)), strange, -strange):
        with pytest.raises(UserError):
            game.from_cells(cells.astype(np.int8))


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku9", "hex5", "hex11"])
def test_boards_with_too_many_stones_of_a_side_are_refused(name: str) -> None:
    """The other side may be one stone ahead, the side to move never."""
    game = randori.game(name)
    for n_stones, stone in ((1, 1), (2, -1)):
        cells = game.cells(game.start(1))
        cells[0, -1, :n_stones] = stone
        with pytest.raises(UserError):
            game.from_cells(cells)


def test_a_floating_stone_is_refused() -> None:
    cells = np.zeros((1, 6, 7), dtype=np.int8)
    cells[0, 3, 3] = -1
    with pytest.raises(UserError):
        randori.game("connect4").from_cells(cells)
