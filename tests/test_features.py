"""Features of every game against independent plain ones, and within their ranges."""

from __future__ import annotations

import numpy as np
import pytest
from reference import JUDGES
from reference.features import feature, made

import randori
from randori.core.features import features_of
from randori.core.positions import positions_of_random_games
from randori.core.symmetry import symmetries, transform
from randori.games import names
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.made import propose


def all_features(name: str) -> Features:
    game = randori.game(name)
    return Features(game, tuple(it.name for it in features_of(game).features))


@pytest.mark.parametrize("name", names())
def test_features_agree_with_plain_ones(name: str) -> None:
    """Along a random game to its last position."""
    features, judge = all_features(name), JUDGES[name]
    game, rng = features.game, np.random.default_rng(1)
    state, position, ply = game.start(1), judge.start(), 0
    while True:
        # Lines of a large board are slow to count by hand: the first plies and some of the later ones will do.
        if ply < 12 or ply % 16 == 0 or not judge.legal(position):
            expected = [feature(name, it, position) for it in features.names]
            np.testing.assert_allclose(
                features(state)[0], expected, rtol=1e-12, err_msg=f"{features.names} at ply {ply}"
            )
        if not judge.legal(position):
            return
        action = int(rng.choice(judge.legal(position)))
        state, position, ply = game.play(state, [action]), judge.play(position, action), ply + 1


@pytest.mark.parametrize("name", names())
def test_features_stay_in_their_range(name: str) -> None:
    features = all_features(name)
    values = features(positions_of_random_games(features.game, 20, np.random.default_rng(2)))
    for it, column in zip(features_of(features.game).features, values.T, strict=True):
        assert it.low <= column.min(), it.name
        assert column.max() <= it.high, it.name
        assert column.std() > 0 or "corner" in it.name, f"{it.name} never changes"


@pytest.mark.parametrize("name", names())
def test_symmetries_change_no_feature(name: str) -> None:
    features = all_features(name)
    states = positions_of_random_games(features.game, 3, np.random.default_rng(3))
    for symmetry in symmetries(features.game):
        np.testing.assert_array_equal(features(transform(features.game, states, symmetry)), features(states))


@pytest.mark.parametrize("name", names())
def test_regions_cover_the_board_once(name: str) -> None:
    game = randori.game(name)
    squares = [square for region in features_of(game).regions for square in region.squares]
    assert sorted(squares) == list(range(game.shape[0] * game.shape[1]))


def test_the_paper_has_seven_features_in_tictactoe() -> None:
    features = feature_names(randori.game("tictactoe"), ("paper",))
    assert features[:3] == ("edges", "corners", "centre")
    assert len(features) == 7


def test_each_feature_has_its_own_name_and_a_summary() -> None:
    for name in names():
        known = features_of(randori.game(name)).features
        assert len({it.name for it in known}) == len(known)
        assert all(it.summary and it.low < it.high for it in known)


def test_sets_and_names_are_put_together_in_the_order_of_the_game() -> None:
    game = randori.game("othello6")
    assert feature_names(game, ("phase", "difference")) == ("difference", "phase")
    assert set(feature_names(game, ("paper", "default"))) == set(feature_names(game, ("all",)))


def test_an_unknown_feature_is_named() -> None:
    with pytest.raises(randori.UserError, match=r"Othello 6x6 has no feature 'mobility'"):
        feature_names(randori.game("othello6"), ("mobility",))
    with pytest.raises(randori.UserError, match=r"Tic-Tac-Toe has no feature 'phas'. Did you mean 'phase'"):
        Features(randori.game("tictactoe"), ("phas",))


def some_made(name: str, n: int, seed: int = 0) -> tuple[str, ...]:
    """The game's own features and some that mutation made of them."""
    game, rng = randori.game(name), np.random.default_rng(seed)
    has = tuple(it.name for it in features_of(game).features)
    for _ in range(n):
        proposed = propose(game, has, rng)
        has += (proposed,) if proposed is not None else ()
    return has


@pytest.mark.parametrize("name", ["tictactoe", "othello4", "othello6"])
def test_features_that_mutation_made_agree_with_plain_ones(name: str) -> None:
    has, judge = some_made(name, 60), JUDGES[name]
    features = Features(randori.game(name), has)
    kinds = {it.partition(":")[0] if ":" in it else "*" for it in has if ":" in it or "*" in it}
    assert kinds == {"region", "shape", "*"}
    state, position, rng = features.game.start(1), judge.start(), np.random.default_rng(1)
    while judge.legal(position):
        found = dict(zip(has, features(state)[0], strict=True))
        for it in (it for it in has if ":" in it or "*" in it):
            assert found[it] == pytest.approx(made(it, position, found), abs=1e-12), it
        action = int(rng.choice(judge.legal(position)))
        state, position = features.game.play(state, [action]), judge.play(position, action)


@pytest.mark.parametrize("name", names())
def test_mutation_makes_features_of_every_game_that_symmetries_do_not_change(name: str) -> None:
    game = randori.game(name)
    features = Features(game, some_made(name, 20))
    assert len(set(features.names)) == len(features.names) > len(features_of(game).features)
    states = positions_of_random_games(game, 2, np.random.default_rng(3))
    values = features(states)
    assert np.isfinite(values).all()
    for symmetry in symmetries(game):
        np.testing.assert_array_equal(features(transform(game, states, symmetry)), values)


def test_features_that_mutation_made_can_be_chosen_by_name() -> None:
    game = randori.game("othello6")
    features = ("shape:a1+b1", "phase", "moves_mine", "phase*moves_mine")
    assert feature_names(game, features) == ("phase", "moves_mine", "shape:a1+b1", "phase*moves_mine")
    for wrong in ("shape:a1+z9", "shape:a1+a2+a3+a4", "region:", "blot:a1", "phase*wit"):
        with pytest.raises(randori.UserError, match="Othello 6x6 has no feature"):
            feature_names(game, ("default", wrong))
    with pytest.raises(randori.UserError, match="needs the feature 'moves_mine'"):
        feature_names(game, ("phase", "phase*moves_mine"))
