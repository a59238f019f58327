"""AlphaZero: what lessons contain beside policy and value, quick searches, the step size, and short numbers."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import foreign
import numpy as np
import pytest
import torch
from test_alphazero import SMALL, TICTACTOE, learner_of, module_for, network_for, rounds, some_lessons

import randori
from randori.arena.openings import random_openings
from randori.arena.play import play_games
from randori.core.game import ONGOING, Game
from randori.core.record import Games
from randori.core.symmetry import symmetries, transform
from randori.errors import UserError
from randori.experiments.recipe import parse_recipe
from randori.methods.alphazero.config import AlphaZeroConfig, rate_at
from randori.methods.alphazero.selfplay import Lessons, drawn_quick, lessons_of, play_self, without_outcomes
from randori.methods.alphazero.training import (
    Training,
    boards_of,
    computes_with_bfloat16,
    learned_besides,
    losses,
    margin_loss,
    owners_loss,
    reply_loss,
)
from randori.networks import NEITHER, residual_for
from randori.networks.modules import AuxiliaryHeads, by_action, make_auxiliary_heads, tensors_of
from randori.players import player

FORESIGHT = replace(SMALL, owners=0.5, reply=0.2, margin=0.5)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def heads_for(game: Game) -> AuxiliaryHeads:
    return make_auxiliary_heads(residual_for(game, 8, 1), np.random.default_rng(1))


def random_games(game: Game, n: int = 12, opening: int = 1) -> Games:
    rng, chance = np.random.default_rng(0), player("random", game)
    return play_games(game, chance, chance, random_openings(game, n, opening, rng), rng, thoughts=True)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "othello6", "hex5", "clobber5"])
def test_lessons_have_the_owners_replies_and_margins_of_their_games(name: str) -> None:
    """Against games replayed one by one, with stones by side, first or second, instead of by whose turn it is."""
    game = randori.game(name)
    games = random_games(game)
    lessons = lessons_of(games, np.zeros(game.max_plies, np.bool_), NEITHER, 0.0)
    rows = iter(range(len(lessons.states)))
    row_of = {(ply, int(it)): next(rows) for ply, games_on in plies_with_games(games) for it in games_on}
    assert next(rows, None) is None
    for number, actions in enumerate(games.actions):
        moves = [int(it) for it in actions if it >= 0]
        state = game.start(1)
        for action in moves:
            state = game.play(state, [action])
        by_side = game.cells(state)[0].reshape(-1) * (1 if len(moves) % 2 == 0 else -1)  # 1: the first side's
        margin = int(game.margin(state)[0]) * (1 if len(moves) % 2 == 0 else -1)
        for ply in range(games.opening_plies, len(moves)):
            row, own = row_of[ply, number], 1 if ply % 2 == 0 else -1
            np.testing.assert_array_equal(lessons.owners[row], own * by_side)
            assert lessons.replies[row] == (moves[ply + 1] if ply + 1 < len(moves) else -1)
            assert lessons.margins[row] == pytest.approx(own * margin / game.n_squares)
            assert np.sign(lessons.margins[row]) == lessons.values[row]


def plies_with_games(games: Games) -> Iterator[tuple[int, Any]]:
    for ply in range(games.opening_plies, games.actions.shape[1]):
        yield ply, np.flatnonzero(games.actions[:, ply] >= 0)


def foreseeing(game: Game) -> Lessons:
    return lessons_of(random_games(game, 8), np.zeros(game.max_plies, np.bool_), NEITHER, 0.0)


@pytest.mark.parametrize("name", ["connect4", "othello6", "clobber5"])
def test_foresight_worked_by_hand(name: str) -> None:
    game = randori.game(name)
    lessons, module, heads = foreseeing(game), module_for(game).eval(), heads_for(game)
    plain = symmetries(game)[0]
    features = module.features(boards_of(game, lessons, plain))
    owners = heads.owners(features).detach().numpy().reshape(len(lessons.states), -1)
    margins = heads.margin(features).detach().numpy()
    assert owners_loss(game, heads, features, lessons, plain).item() == pytest.approx(
        np.mean((owners - lessons.owners) ** 2), rel=1e-4
    )
    assert margin_loss(game, heads, features, lessons, plain).item() == pytest.approx(
        np.mean((margins - lessons.margins) ** 2), rel=1e-4
    )
    weights = module.state_dict()
    # With the weights of the policy head, the reply head must give the policy, action by action.
    ours = {"reply_map.weight": "policy_map.weight", "reply_map.bias": "policy_map.bias"}
    ours |= {f"reply_pass.{it}": f"policy_pass.{it}" for it in ("weight", "bias") if module.shape.passes}
    heads.load_state_dict(heads.state_dict() | {to: weights[source] for to, source in ours.items()})
    outputs, _ = module.outputs(features)
    replied = np.flatnonzero(lessons.replies >= 0)
    everywhere = Lessons(*(column[replied] for column in lessons))
    policies = np.eye(game.n_actions, dtype=np.float16)[everywhere.replies]
    logits = by_action(game, outputs)[replied]
    expected = -(torch.log_softmax(logits, 1) * torch.from_numpy(policies)).sum(1).mean().item()
    assert reply_loss(game, heads, features, lessons, plain).item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", ["connect4", "othello6", "gomoku9", "clobber5"])
def test_foresight_turns_with_the_board(name: str) -> None:
    """Losses on a turned board are those of the turned game."""
    game = randori.game(name)
    games, module, heads = random_games(game, 6), module_for(game).eval(), heads_for(game)
    lessons, plain = foreseeing_of(games), symmetries(game)[0]
    keeping = [it for it in symmetries(game) if (transform(game, game.start(1), it) == game.start(1)).all()]
    assert len(keeping) > 1
    for turned in keeping:
        actions = np.where(games.actions >= 0, turned.actions[games.actions], -1).astype(np.int16)
        theirs = foreseeing_of(replace(games, actions=actions))
        np.testing.assert_array_equal(theirs.states, transform(game, lessons.states, turned))
        here = module.features(boards_of(game, lessons, turned))
        there = module.features(boards_of(game, theirs, plain))
        for loss in (owners_loss, reply_loss, margin_loss):
            ours, other = loss(game, heads, here, lessons, turned), loss(game, heads, there, theirs, plain)
            assert ours.item() == pytest.approx(other.item(), rel=1e-5)


def foreseeing_of(games: Games) -> Lessons:
    return lessons_of(games, np.zeros(games.game.max_plies, np.bool_), NEITHER, 0.0)


def test_only_a_game_that_counts_has_a_margin_to_learn() -> None:
    assert set(learned_besides(randori.game("othello6"), FORESIGHT)) == {"owners", "reply", "margin"}
    assert set(learned_besides(randori.game("connect4"), FORESIGHT)) == {"owners", "reply"}
    assert not learned_besides(randori.game("othello6"), SMALL)


def test_foresight_is_learned() -> None:
    game = randori.game("othello4")
    training = Training(game, module_for(game), FORESIGHT, heads_for(game))
    first, _, last = (training.fit(foreseeing(game), steps, 0.005, np.random.default_rng(0)) for steps in (2, 150, 10))
    for name in ("loss/owners", "loss/reply", "loss/margin"):
        assert last[name] < 0.8 * first[name]


def test_foresight_is_not_part_of_the_player() -> None:
    game = randori.game("othello4")
    foreseeing_one, plain = (learner_of(game, it).player().network.tensors for it in (FORESIGHT, SMALL))
    assert set(foreseeing_one) == set(plain)


def test_a_restored_learner_continues_foresight_exactly() -> None:
    game = randori.game("othello4")
    learner = learner_of(game, FORESIGHT)
    rounds(learner, 3)
    again, state = learner_of(game, FORESIGHT, seed=5), learner.state()
    again.restore(state)
    again._rng.bit_generator.state = learner._rng.bit_generator.state
    rounds(learner, 2)
    rounds(again, 2)
    for ours, theirs in ((learner._module, again._module), (learner._heads, again._heads)):
        assert ours is not None
        assert theirs is not None
        for name, array in tensors_of(ours).items():
            np.testing.assert_array_equal(array, tensors_of(theirs)[name])


def test_a_quick_search_teaches_no_policy() -> None:
    """Its result is a lesson, and so is what needed no search."""
    game = randori.game("othello4")
    config = replace(SMALL, quick=0.5, quick_simulations=2, simulations=16, exact=6)
    lessons = play_self(game, network_for(game), config, 16, 0, seed=0)
    empty = (game.cells(lessons.states) == 0).sum(axis=(1, 2))
    learned = lessons.policies.any(axis=1)
    assert learned[empty <= 6].all()
    assert 0.2 < learned[empty > 6].mean() < 0.8
    sums = lessons.policies.astype(np.float64).sum(axis=1)
    np.testing.assert_allclose(sums[learned], 1, atol=5e-3)
    assert (np.abs(lessons.values) <= 1).all()


def test_quick_searches_look_at_fewer_positions() -> None:
    counts = []
    for share in (0.0, 0.9):
        config = replace(SMALL, quick=share, quick_simulations=2, simulations=32)
        network, batch_sizes = network_for(TICTACTOE), list[int]()
        whole = network.__class__.__call__

        def counting(self: Any, inputs: Any, batch_sizes: list[int] = batch_sizes, whole: Any = whole) -> Any:
            batch_sizes.append(len(inputs))
            return whole(self, inputs)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(network.__class__, "__call__", counting)
            play_self(TICTACTOE, network, config, 16, 0, seed=0)
        counts.append(sum(batch_sizes))
    assert counts[1] < counts[0] / 2


def test_plies_are_quick_by_lot() -> None:
    game = randori.game("othello8")
    drawn = np.mean([drawn_quick(game, 0.3, np.random.default_rng(seed)) for seed in range(50)])
    assert drawn == pytest.approx(0.3, abs=0.03)
    assert not drawn_quick(game, 0.0, np.random.default_rng(0)).any()


def test_a_lesson_without_a_policy_leaves_the_others_as_they_are() -> None:
    game = randori.game("connect4")
    lessons, module = some_lessons(game), module_for(game).eval()
    half = len(lessons.states) // 2
    partial = lessons._replace(policies=np.where(np.arange(len(lessons.states))[:, None] < half, lessons.policies, 0))
    first = Lessons(*(column[:half] for column in lessons))
    plain = symmetries(game)[0]
    mixed, alone = (
        losses(game, module, module.features(boards_of(game, it, plain)), it, plain) for it in (partial, first)
    )
    assert mixed["policy"].item() == pytest.approx(alone["policy"].item(), rel=1e-5)
    nothing = lessons._replace(policies=np.zeros_like(lessons.policies))
    features = module.features(boards_of(game, nothing, plain))
    assert losses(game, module, features, nothing, plain)["policy"].item() == 0


@pytest.mark.parametrize(
    ("games", "falling", "share"),
    [
        (0, 1.0, 0.0), (50, 1.0, 0.5), (99, 1.0, 0.99), (100, 1.0, 0.0), (200, 1.0, 0.5), (300, 1.0, 0.0),
        (500, 1.0, 0.5), (0, 0.25, 0.0), (75, 0.25, 0.0), (80, 0.25, 0.2), (99, 0.25, 0.96), (100, 0.25, 0.0),
        (249, 0.25, 0.0), (275, 0.25, 0.5),
    ],
)  # fmt: skip
def test_the_step_size_falls_and_starts_again(games: int, falling: float, share: float) -> None:
    """Over 100 games, then over 200, then over 400."""
    config = AlphaZeroConfig(rate=0.01, last_rate=0.002, horizon=100, falling=falling)
    assert rate_at(config, games) == pytest.approx(0.01 - share * 0.008)


def test_each_round_reports_its_step_size() -> None:
    learner = learner_of(TICTACTOE, replace(SMALL, rate=0.01, last_rate=0.001, horizon=5 * SMALL.games))
    rates = [it.get("rate") for it in rounds(learner, 7)]
    assert rates[0] is None
    np.testing.assert_allclose(rates[1:], [0.0082, 0.0064, 0.0046, 0.0028, 0.01, 0.0091])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"quick": 1.0}, "teach no policy"),
        ({"quick": 1.5}, "from 0 to 1"),
        ({"falling": 0.0}, "above 0"),
        ({"owners": -1.0}, "0 or more"),
        ({"quick_simulations": 1}, "2 or more"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        replace(SMALL, **settings)


def test_short_numbers_learn_nearly_the_same() -> None:
    """Gradients of a step agree to a few percent; None is the shortest that the processor supports."""
    game = randori.game("othello6")
    lessons = some_lessons(game)
    after = {}
    for precision in ("float32", "bfloat16", None):
        module = module_for(game)
        training = Training(game, module, replace(SMALL, precision=precision, symmetric=False))
        metrics = training.fit(lessons, 30, 0.002, np.random.default_rng(0))
        after[precision] = metrics["loss/policy"], metrics["loss/value"], tensors_of(module)["stem.conv.weight"]
    np.testing.assert_allclose(after["float32"][:2], after["bfloat16"][:2], rtol=0.03)
    assert (after["float32"][2] != after["bfloat16"][2]).any()
    same = "bfloat16" if computes_with_bfloat16() else "float32"
    np.testing.assert_array_equal(after[None][2], after[same][2])


def test_lessons_without_outcomes_teach_no_replies() -> None:
    states = some_lessons(TICTACTOE).states
    assert (TICTACTOE.outcome(states) == ONGOING).all()
    n = len(states)
    lessons = without_outcomes(TICTACTOE, states, np.zeros((n, 9), np.float16), np.zeros(n, np.float32))
    heads, module = heads_for(TICTACTOE), module_for(TICTACTOE)
    plain = symmetries(TICTACTOE)[0]
    features = module.features(boards_of(TICTACTOE, lessons, plain))
    assert reply_loss(TICTACTOE, heads, features, lessons, plain).item() == 0


def test_a_run_older_than_foresight_continues() -> None:
    """Its recipe has none of the newer settings, its state no heads, and its lessons no outcomes."""
    newer = ("quick", "quick_simulations", "falling", "owners", "reply", "margin", "precision")
    kept = {name: value for name, value in asdict(SMALL).items() if name not in newer}
    text = {"format_version": 1, "game": "tictactoe", "learner": "alphazero", "config": kept, "seed": 3, "rounds": 5}
    recipe = parse_recipe(json.dumps(text), "recipe.json")
    assert recipe.config == SMALL
    learner, again = learner_of(TICTACTOE, SMALL), learner_of(TICTACTOE, recipe.config)
    rounds(learner, 2)
    state = learner.state()
    again.restore(
        {name: it for name, it in state.items() if name != "heads"}
        | {"window": [columns[:4] for columns in state["window"]]}
    )
    again._rng.bit_generator.state = learner._rng.bit_generator.state
    rounds(learner, 1)
    rounds(again, 1)
    for name, array in tensors_of(learner._module).items():
        np.testing.assert_array_equal(array, tensors_of(again._module)[name])
