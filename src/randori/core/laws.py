"""The laws of games, checked on random positions: what every player, learner and view relies on."""

from collections.abc import Callable

import numpy as np

from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.symmetry import symmetries, transform
from randori.kernels.playouts import random_games

# Positions that are played out, and how often each; the ends of so many games differ by chance alone once in a million.
_PLAYED_OUT, _TIMES = 4, 4000
_MILLIONTH = 4.75  # standard deviations


def _require(holds: np.ndarray | bool, sentence: str) -> None:
    if not np.all(holds):
        raise AssertionError(sentence)


def outcomes_are_known(game: Game, states: States) -> None:
    outcomes = game.outcome(states)
    _require(np.isin(outcomes, (WIN, DRAW, LOSS, ONGOING)), "an outcome is WIN, DRAW, LOSS or ONGOING")


def over_means_no_moves(game: Game, states: States) -> None:
    moves = game.legal(states).any(axis=1)
    _require(moves == (game.outcome(states) == ONGOING), "a position has no legal action exactly when it is over")


def sides_alternate(game: Game, states: States) -> None:
    """After a ply the board is seen from the other side: what was not touched changes its sign."""
    children = game.children(states)
    before, after = game.cells(states)[children.parents], game.cells(children.states)
    theirs_before, mine_after = (before == -1).sum(axis=(1, 2)), (after == 1).sum(axis=(1, 2))
    _require(mine_after <= theirs_before, "the side that did not move gains no piece")


def boards_fill(game: Game, states: States) -> None:
    """Where a game says so."""
    if game.fills:
        children = game.children(states)
        before, after = game.cells(states)[children.parents] != 0, game.cells(children.states) != 0
        _require(~(before & ~after).any(axis=(1, 2)), "a ply takes no piece off a board that fills")
        passing = children.actions == -1 if game.pass_action is None else children.actions == game.pass_action
        grown = after.sum(axis=(1, 2)) - before.sum(axis=(1, 2))
        _require(passing | (grown == 1), "a move that is not a pass puts one piece on a board that fills")


def playing_changes_no_input(game: Game, states: States) -> None:
    copy = states.copy()
    game.children(states)
    open_states = states[game.outcome(states) == ONGOING]
    game.play(open_states, game.pick(open_states, np.zeros(len(open_states))))
    _require(states == copy, "playing makes new states and leaves the old ones alone")


def batches_are_rows(game: Game, states: States) -> None:
    few = states[:: max(1, len(states) // 50)]
    legal, outcomes, margins, cells = game.legal(few), game.outcome(few), game.margin(few), game.cells(few)
    for i in range(len(few)):
        one = few[i : i + 1]
        same = (
            np.array_equal(game.legal(one)[0], legal[i])
            and game.outcome(one)[0] == outcomes[i]
            and game.margin(one)[0] == margins[i]
            and np.array_equal(game.cells(one)[0], cells[i])
        )
        _require(same, "a position is judged the same alone and in a batch")


def children_are_plays(game: Game, states: States) -> None:
    children = game.children(states)
    played = game.play(states[children.parents], children.actions)
    _require(played == children.states, "the children are what playing each legal action gives")
    _require(len(children.actions) == game.legal(states).sum(), "there is one child for each legal action")


def cells_make_the_state(game: Game, states: States) -> None:
    if game.cells_suffice:
        _require(game.from_cells(game.cells(states)) == states, "a position can be set up again from its cells")


def keys_are_positions(game: Game, states: States) -> None:
    positions, keys = np.unique(states, axis=0), np.unique(game.keys(states))
    _require(len(positions) == len(keys), "keys are equal exactly for equal positions")


def symmetry_commutes(game: Game, states: States) -> None:
    children = game.children(states)
    for symmetry in symmetries(game) if game.cells_suffice else ():
        turned = transform(game, states, symmetry)
        _require(game.outcome(turned) == game.outcome(states), "a symmetry keeps the outcome")
        _require(
            game.legal(turned)[:, symmetry.actions] == game.legal(states), "a symmetry carries legal actions along"
        )
        replayed = game.play(turned[children.parents], symmetry.actions[children.actions].astype(np.int16))
        expected = transform(game, children.states, symmetry)
        _require(replayed == expected, "turning the board and playing can change places")


def lanes_play_by_the_rules(game: Game, states: States) -> None:
    """Where a game has them: each ply takes one number of splitmix64, whose upper half picks the action."""
    if game.knowledge.lanes is None:
        return
    few = states[:: max(1, len(states) // 200)]
    finished = game.finish(few, np.random.default_rng(0))
    streams = np.random.default_rng(0).integers(0, 2**63, len(few), dtype=np.uint64)
    played, plies = few.copy(), np.zeros(len(few), np.int16)
    while (going := np.flatnonzero(game.outcome(played) == ONGOING)).size:
        streams += np.uint64(0x9E3779B97F4A7C15)
        numbers = (streams ^ (streams >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        quantiles = ((numbers ^ (numbers >> np.uint64(31))) >> np.uint64(32)) / 2**32
        played[going] = game.play(played[going], game.pick(played[going], quantiles[going]))
        plies[going] += 1
    _require(finished.states == played, "games in lanes end where the rules lead")
    _require(finished.plies == plies, "games in lanes last as long as by the rules")
    results = game.outcome(played) * np.where(plies % 2 == 0, 1, -1)
    _require(finished.outcomes == results, "games in lanes have the outcomes that the rules give")


def games_end_in_time(game: Game, states: States) -> None:
    going = game.start(64)
    for ply in range(game.max_plies):
        going = going[game.outcome(going) == ONGOING]
        going = game.play(going, game.pick(going, np.full(len(going), (ply % 7) / 7)))
    _require(game.outcome(going) != ONGOING, f"no game lasts longer than max_plies, {game.max_plies}")


def finishing_is_random_play(game: Game, states: States) -> None:
    """Lengths and outcomes of games that `finish` plays are spread as those of games by `legal` and `play`."""
    open_states = states[game.outcome(states) == ONGOING]
    few = open_states[:: max(1, len(open_states) // _PLAYED_OUT)][:_PLAYED_OUT]
    for i, state in enumerate(few):
        begun = np.repeat(state[None], _TIMES, axis=0)
        ends = begun.copy()
        outcomes, plies = np.empty(_TIMES, np.int8), np.empty(_TIMES, np.int16)
        seeds = np.random.default_rng([i, 0]).integers(0, 2**64, _TIMES, dtype=np.uint64)
        random_games(game.rules, ends, seeds, outcomes, plies)
        _require(game.outcome(ends) != ONGOING, "finishing ends a game")
        if game.fills and game.pass_action is None:
            added = (game.cells(ends) != 0).sum(axis=(1, 2)) - (game.cells(begun) != 0).sum(axis=(1, 2))
            _require(added == plies, "finishing counts its plies")
        expected = _played_out(game, begun, np.random.default_rng([i, 1]))
        found = np.stack([plies, outcomes])
        _require(_spread_alike(found, expected), "finishing plays every legal action with the same chance")


def _played_out(game: Game, states: States, rng: np.random.Generator) -> np.ndarray:
    """Plies and outcomes, for the side to move in the states given, of random games, `[2, B]`."""
    found, rows = np.zeros((2, len(states)), np.int64), np.arange(len(states))
    for ply in range(game.max_plies + 1):
        outcomes = game.outcome(states)
        over = outcomes != ONGOING
        found[0, rows[over]] = ply
        found[1, rows[over]] = outcomes[over] * (1 if ply % 2 == 0 else -1)
        rows, states = rows[~over], states[~over]
        states = game.play(states, game.pick(states, rng.random(len(states))))
    return found


def _spread_alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two samples of the same size, columns of numbers, may come from one distribution, by a chi-squared test."""
    n = one.shape[1]
    kinds = np.unique(np.concatenate([one, other], axis=1), axis=1, return_inverse=True)[1].reshape(-1)
    counts = np.stack([np.bincount(it, minlength=kinds.max() + 1) for it in (kinds[:n], kinds[n:])])
    # Kinds are in order, so that rare ones join those like them: without ten of each a count is not normal.
    totals = np.cumsum(counts.sum(axis=0))
    groups = np.unique(totals // 20 * 20, return_inverse=True)[1]
    counts = np.stack([np.bincount(groups, weights=it) for it in counts])
    freedom = counts.shape[1] - 1
    if freedom == 0:
        return True
    squares = ((counts[0] - counts[1]) ** 2 / counts.sum(axis=0)).sum()
    # The cube root of chi-squared is nearly normal (Wilson and Hilferty 1931).
    spread = 2 / (9 * freedom)
    return bool((squares / freedom) ** (1 / 3) < 1 - spread + _MILLIONTH * spread**0.5)


LAWS: list[Callable[[Game, States], None]] = [
    outcomes_are_known,
    over_means_no_moves,
    sides_alternate,
    boards_fill,
    playing_changes_no_input,
    batches_are_rows,
    children_are_plays,
    cells_make_the_state,
    keys_are_positions,
    symmetry_commutes,
    lanes_play_by_the_rules,
    games_end_in_time,
    finishing_is_random_play,
]
