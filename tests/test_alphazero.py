"""AlphaZero: lessons of self-play, losses, gate, window, transfer, and a little learning."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import foreign
import numpy as np
import pytest
import torch

import randori
from randori.core.evaluation import Evaluation
from randori.core.game import ONGOING, Bools, Game, States
from randori.core.layout import Steps
from randori.core.positions import positions_of_random_games
from randori.core.record import record
from randori.core.symmetry import Symmetry, symmetries, transform
from randori.errors import UserError
from randori.experiments.accuracy import measure_accuracy, prepare_exam
from randori.experiments.cpu import CountingWorkers
from randori.experiments.exhaustive import lost_ends
from randori.experiments.pairings import play_pairings
from randori.methods.alphazero.config import HONGCHAROEN, RECIPES, AlphaZeroConfig
from randori.methods.alphazero.learner import AlphaZeroLearner
from randori.methods.alphazero.player import AlphaZero
from randori.methods.alphazero.remembering import Remembering
from randori.methods.alphazero.selfplay import Lessons, play_self, without_outcomes
from randori.methods.alphazero.training import Training, boards_of, losses
from randori.networks import Network, NetworkEvaluator, residual_for, sides_to_move
from randori.networks.modules import ResidualModule, make_module, tensors_of
from randori.networks.planes import planes
from randori.players.files import save_player
from randori.search.guided import GuidedSearch
from randori.search.informed import ExactValues, ForcedWinValues
from randori.search.solver import Solver
from randori.search.threats import find_wins

TICTACTOE = randori.game("tictactoe")
SMALL = AlphaZeroConfig(channels=8, blocks=1, simulations=8, games=8, batch=32)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def network_for(game: Game, seed: int = 0) -> Network:
    architecture = residual_for(game, 8, 1)
    return Network(architecture, tensors_of(make_module(architecture, np.random.default_rng(seed))))


def module_for(game: Game, seed: int = 0) -> ResidualModule:
    module = make_module(residual_for(game, 8, 1), np.random.default_rng(seed))
    assert isinstance(module, ResidualModule)
    return module


def learner_of(game: Game, config: AlphaZeroConfig, seed: int = 0) -> AlphaZeroLearner:
    return AlphaZeroLearner(game, config, np.random.default_rng(seed), CountingWorkers(1))


def rounds(learner: AlphaZeroLearner, n: int) -> list[dict[str, float]]:
    with CountingWorkers(1) as staff:
        return [learner.learn(play_pairings(learner.game, learner.pairings(), 0, number, staff)) for number in range(n)]


@pytest.mark.parametrize("search", ["gumbel", "puct"])
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "clobber5"])
def test_lessons_are_for_the_side_to_move(name: str, search: Any) -> None:
    """Policies contain only legal actions; a position in which every action wins is worth 1."""
    game = randori.game(name)
    config = replace(SMALL, search=search, noise=0.25 if search == "puct" else 1.0, search_values=0.0)
    lessons = play_self(game, network_for(game), config, 12, 1, seed=0)
    legal = game.legal(lessons.states)
    assert ((lessons.policies > 0) <= legal).all()
    np.testing.assert_allclose(lessons.policies.astype(np.float64).sum(axis=1), 1, atol=5e-3)
    assert set(np.unique(lessons.values)) <= {-1.0, 0.0, 1.0}
    children = game.children(lessons.states)
    ends = game.outcome(children.states)
    # Where every action ends the game in the same way, the lesson must say just that.
    for row in range(len(lessons.states)):
        own = ends[children.parents == row]
        if (own != ONGOING).all() and len(set(own.tolist())) == 1:
            assert lessons.values[row] == -own[0]


def test_a_won_position_is_worth_one_to_the_winner() -> None:
    """X is about to complete a row: the side to move wins, and the position before was lost."""
    config = replace(SMALL, exact=9, search_values=0.0)
    lessons = play_self(TICTACTOE, network_for(TICTACTOE), config, 200, 4, seed=1)
    exact = Solver(TICTACTOE).outcomes(lessons.states)
    np.testing.assert_array_equal(lessons.values, exact)
    assert {-1.0, 1.0} <= set(lessons.values.tolist())


def test_solved_endings_keep_the_exact_value() -> None:
    game = randori.game("othello4")
    lessons = play_self(game, network_for(game), replace(SMALL, exact=8, search_values=0.5), 16, 0, seed=0)
    empty = (game.cells(lessons.states) == 0).sum(axis=(1, 2))
    solved = empty <= 8
    solver = Solver(game)
    np.testing.assert_array_equal(lessons.values[solved], solver.outcomes(lessons.states[solved]))
    np.testing.assert_array_equal(lessons.policies[solved] > 0, solver.keeping(lessons.states[solved]))


def test_search_values_are_mixed_in() -> None:
    network = network_for(TICTACTOE)
    plain, mixed, searched = (
        play_self(TICTACTOE, network, replace(SMALL, search_values=share), 6, 0, seed=3).values for share in (0, 0.5, 1)
    )
    np.testing.assert_allclose(mixed, (plain + searched) / 2, atol=1e-6)
    assert np.abs(searched).max() <= 1


def test_random_plies_of_the_opening_are_not_lessons() -> None:
    lessons = play_self(TICTACTOE, network_for(TICTACTOE), SMALL, 10, 3, seed=0)
    stones = (TICTACTOE.cells(lessons.states) != 0).sum(axis=(1, 2))
    assert stones.min() == 3


def test_a_sparring_partner_takes_one_side_by_lot() -> None:
    """Without a name it plays the network's policy between equals, teaches it and the result, and its lessons are marked."""
    network = network_for(TICTACTOE)
    config, equals = replace(SMALL, sparring=1.0, search_values=1.0), NetworkEvaluator(TICTACTOE, network)
    partners = set()
    for seed in range(6):
        lessons = play_self(TICTACTOE, network, config, 8, 1, seed=seed)
        sides, by_partner = sides_to_move(TICTACTOE, lessons.states), lessons.roles == -1
        assert (by_partner | (lessons.roles == 1)).all()
        (side,) = set(sides[by_partner].tolist())
        assert (by_partner == (sides == side)).all()
        partners.add(side)
        policy = equals(lessons.states[by_partner], np.random.default_rng(0)).policy
        np.testing.assert_allclose(lessons.policies[by_partner], policy, atol=1e-3)
        assert set(lessons.values[by_partner].tolist()) <= {-1.0, 0.0, 1.0}
        assert not set(lessons.values[~by_partner].tolist()) <= {-1.0, 0.0, 1.0}, "these values come from the search"
    assert partners == {0, 1}
    assert not play_self(TICTACTOE, network, SMALL, 8, 1, seed=0).roles.any()


def test_a_named_sparring_partner_plays_its_own_moves() -> None:
    """The perfect one never loses, and lessons contain its own policy."""
    config = replace(SMALL, sparring=1.0, partner="perfect", search_values=0.0)
    lessons = play_self(TICTACTOE, network_for(TICTACTOE), config, 50, 2, seed=0)
    by_partner = lessons.roles == -1
    exact = Solver(TICTACTOE)
    kept = exact.outcomes(lessons.states[by_partner])
    assert (lessons.values[by_partner] >= kept).all()
    assert ((lessons.policies[by_partner] > 0) <= exact.keeping(lessons.states[by_partner])).all()
    heuristic = replace(config, partner="heuristic")
    lessons = play_self(TICTACTOE, network_for(TICTACTOE), heuristic, 50, 2, seed=0)
    assert set(lessons.policies[lessons.roles == -1].max(axis=1).tolist()) == {1.0}, "no policy: the move itself"


def test_a_sparring_partner_that_dies_ends_learning_in_a_sentence() -> None:
    game = randori.game("gomoku9")
    command = f'"{sys.executable} -c pass"'
    config = replace(SMALL, sparring=1.0, partner=f"gomocup:command={command}")
    with pytest.raises(UserError, match=r"sparring partner 'gomocup.*' cannot go on\. .*\."):
        play_self(game, network_for(game), config, 2, 2, seed=0)


def test_a_sparring_partner_without_search_loses_more() -> None:
    """It scores less than half against the search, but knows solved positions as well."""
    config = replace(SMALL, sparring=1.0, simulations=32, search_values=0.0)
    lessons = play_self(TICTACTOE, network_for(TICTACTOE), config, 200, 0, seed=0)
    assert lessons.values[lessons.roles == -1].mean() < -0.2 < 0.2 < lessons.values[lessons.roles == 1].mean()
    solved = play_self(TICTACTOE, network_for(TICTACTOE), replace(config, exact=9), 8, 0, seed=0)
    assert not solved.values.any()


def test_a_network_sees_which_side_is_the_partner() -> None:
    """The third plane of a position has 3/2 where the other side is, 1/2 where the side to move is."""
    states = TICTACTOE.play(TICTACTOE.start(2), np.array([4, 4], np.int16))
    inputs = planes(TICTACTOE, states, np.array([1, -1], np.int8))
    np.testing.assert_array_equal(inputs[:, 2, 0, 0], [1.5, 0.5])
    np.testing.assert_array_equal(inputs[:, :2], planes(TICTACTOE, states)[:, :2])
    module, network = module_for(TICTACTOE).eval(), network_for(TICTACTOE)
    for partner, role in ((0, 1), (1, -1)):
        evaluation = NetworkEvaluator(TICTACTOE, network, partner)(states, np.random.default_rng(0))
        lessons = without_outcomes(
            TICTACTOE, states, np.full((2, 9), 1 / 8, np.float16), np.zeros(2, np.float32), np.full(2, role, np.int8)
        )
        _, by_torch = both_losses(TICTACTOE, module, lessons, symmetries(TICTACTOE)[0])
        np.testing.assert_allclose(np.mean(evaluation.values**2), by_torch.item(), rtol=1e-4)


def test_sparring_is_stored_in_the_file_and_can_be_switched_off(tmp_path: Path) -> None:
    for sparring in (True, False):
        path = tmp_path / f"{sparring}.safetensors"
        player = AlphaZero(TICTACTOE, network_for(TICTACTOE), sparring=sparring)
        save_player(path, player, TICTACTOE, learner="alphazero", config={}, training={})
        for options, expected in (("", sparring), (":sparring=false", False), (":sparring=true", sparring)):
            loaded = randori.player(f"{path}{options}", TICTACTOE)
            assert isinstance(loaded, AlphaZero)
            assert loaded.sparring is expected


def test_a_sparring_player_treats_the_other_side_as_the_partner() -> None:
    """For both sides, in one batch."""
    network = network_for(TICTACTOE)
    states = np.concatenate([TICTACTOE.start(1), TICTACTOE.play(TICTACTOE.start(1), np.array([0], np.int16))])
    both = AlphaZero(TICTACTOE, network, simulations=8, sparring=True).choose(states, np.random.default_rng(0))
    for row, partner in ((0, 1), (1, 0)):
        search = GuidedSearch(TICTACTOE, NetworkEvaluator(TICTACTOE, network, partner), 8, "gumbel")
        alone = search.choose(states[row : row + 1], np.random.default_rng(0))
        assert both.policy is not None
        assert alone.policy is not None
        np.testing.assert_allclose(both.policy[row], alone.policy[0], atol=1e-6)


def test_a_run_older_than_sparring_partners_continues() -> None:
    learner, again = learner_of(TICTACTOE, SMALL), learner_of(TICTACTOE, SMALL)
    rounds(learner, 2)
    state = learner.state()
    for n_columns in (3, 4):
        again.restore(state | {"window": [columns[:n_columns] for columns in state["window"]]})
        for ours, restored in zip(learner.state()["window"], again.state()["window"], strict=True):
            np.testing.assert_array_equal(ours[3], restored[3])
        assert rounds(again, 1)[0]["positions"] > 0


def test_impossible_sparring_is_refused() -> None:
    game = randori.game("othello4")
    with pytest.raises(UserError, match="may pass"):
        AlphaZero(game, network_for(game), sparring=True)
    for config in (replace(SMALL, sparring=0.5), replace(SMALL, play_sparring=True)):
        with pytest.raises(UserError, match="may pass"):
            learner_of(game, config)
    with pytest.raises(UserError, match=r"Clobber 5x5 has no sparring partners: .* pieces leave their squares"):
        learner_of(randori.game("clobber5"), replace(SMALL, sparring=0.5))
    with pytest.raises(UserError, match="no player 'heuristik'"):
        learner_of(TICTACTOE, replace(SMALL, sparring=0.5, partner="heuristik"))
    with pytest.raises(UserError, match="--sparring"):
        replace(SMALL, partner="heuristic")


def both_losses(
    game: Game, module: ResidualModule, lessons: Lessons, turned: Symmetry
) -> tuple[torch.Tensor, torch.Tensor]:
    found = losses(game, module, module.features(boards_of(game, lessons, turned)), lessons, turned)
    return found["policy"], found["value"]


def some_lessons(game: Game, n: int = 64) -> Lessons:
    states = positions_of_random_games(game, n, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING]
    rng = np.random.default_rng(1)
    policies = np.where(game.legal(states), rng.random((len(states), game.n_actions)), 0.0)
    policies /= policies.sum(axis=1, keepdims=True)
    values = rng.uniform(-1, 1, len(states))
    return without_outcomes(game, states, policies.astype(np.float16), values.astype(np.float32))


@pytest.mark.parametrize("name", ["tictactoe", "clobber5"])
def test_losses_worked_by_hand(name: str) -> None:
    game = randori.game(name)
    lessons, module = some_lessons(game), module_for(game).eval()
    policy_loss, value_loss = both_losses(game, module, lessons, symmetries(game)[0])
    evaluation = NetworkEvaluator(game, Network(module.shape, tensors_of(module)))(
        lessons.states, np.random.default_rng(0)
    )
    assert evaluation.policy is not None
    legal = game.legal(lessons.states)
    expected = -np.where(legal, lessons.policies * np.log(np.where(legal, evaluation.policy, 1)), 0).sum(axis=1).mean()
    assert float(policy_loss.detach()) == pytest.approx(expected, rel=1e-4)
    assert float(value_loss.detach()) == pytest.approx(np.mean((lessons.values - evaluation.values) ** 2), rel=1e-4)


@pytest.mark.parametrize("name", ["connect4", "othello6", "gomoku9", "clobber5"])
def test_turning_commutes_with_the_game(name: str) -> None:
    """The loss on a turned board is that of the position which the game itself makes by turning."""
    game = randori.game(name)
    lessons, module = some_lessons(game), module_for(game).eval()
    for turned in symmetries(game):
        policies = np.empty_like(lessons.policies)
        policies[:, turned.actions] = lessons.policies
        by_game = without_outcomes(game, transform(game, lessons.states, turned), policies, lessons.values)
        ours = [float(it.detach()) for it in both_losses(game, module, lessons, turned)]
        theirs = [float(it.detach()) for it in both_losses(game, module, by_game, symmetries(game)[0])]
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_policy_turned_and_turned_back_is_the_same() -> None:
    game = randori.game("clobber5")
    lessons = some_lessons(game)
    assert len(symmetries(game)) == 8
    for turned in symmetries(game):
        policies = turned.turn_actions(lessons.policies)
        legal = game.legal(transform(game, lessons.states, turned))
        np.testing.assert_array_equal(policies > 0, legal & (policies > 0))
        np.testing.assert_array_equal(policies[:, turned.actions], lessons.policies)


@pytest.mark.parametrize("name", ["connect4", "clobber5"])
def test_the_loss_falls_on_a_fixed_batch(name: str) -> None:
    game = randori.game(name)
    lessons = Lessons(*(column[::20][:32] for column in some_lessons(game)))
    training = Training(game, module_for(game), replace(SMALL, symmetric=False))
    first, _, last = (training.fit(lessons, steps, 0.005, np.random.default_rng(0)) for steps in (2, 150, 10))
    assert last["loss/value"] < first["loss/value"] / 2
    assert last["loss/policy"] < first["loss/policy"]


def test_a_frozen_trunk_stays(tmp_path: Path) -> None:
    place = saved(tmp_path, TICTACTOE)
    learner = learner_of(randori.game("connect4"), replace(SMALL, source=place, freeze=True))
    before = tensors_of(learner._module)
    rounds(learner, 3)
    for name, array in tensors_of(learner._module).items():
        same = (array == before[name]).all()
        assert same == name.startswith(("stem.", "blocks.")), name


def saved(folder: Path, game: Game) -> str:
    path = folder / f"{game.name}.safetensors"
    save_player(path, AlphaZero(game, network_for(game, 5)), game, learner="alphazero", config={}, training={})
    return str(path)


def test_a_file_with_other_arrays_is_refused_in_a_sentence(tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    from randori.app.commands.export import export

    game = randori.game("connect4")
    place = saved(tmp_path, game)
    with safe_open(place, framework="numpy") as file:
        card = file.metadata()
    arrays = load_file(place)
    for name, array, problem in (
        ("stem.norm.bias", arrays["stem.norm.bias"][:3].copy(), "has the shape"),
        ("stem.norm.bias", arrays["stem.norm.bias"] * np.nan, "not finite"),
    ):
        save_file({**arrays, name: array}, place, card)
        with pytest.raises(UserError, match=f"damaged.*{name} .*{problem}"):
            randori.player(place, game)
        with pytest.raises(UserError, match=f"damaged.*{name} .*{problem}"):
            export(place, tmp_path / "x.onnx")
        with pytest.raises(UserError, match=f"damaged.*{name} .*{problem}"):
            learner_of(game, replace(SMALL, source=place))


def test_another_game_takes_over_only_the_trunk(tmp_path: Path) -> None:
    place = saved(tmp_path, randori.game("connect4"))
    source = network_for(randori.game("connect4"), 5).tensors
    ours = tensors_of(learner_of(randori.game("othello6"), replace(SMALL, source=place))._module)
    fresh = tensors_of(learner_of(randori.game("othello6"), SMALL)._module)
    for name, array in ours.items():
        np.testing.assert_array_equal(array, source[name] if name.startswith(("stem.", "blocks.")) else fresh[name])


@pytest.mark.parametrize(("theirs", "ours"), [("othello6", "clobber5"), ("clobber5", "othello6")])
def test_steps_and_squares_share_the_trunk(theirs: str, ours: str, tmp_path: Path) -> None:
    source = network_for(randori.game(theirs), 5).tensors
    learner = learner_of(randori.game(ours), replace(SMALL, source=saved(tmp_path, randori.game(theirs))))
    for name, array in tensors_of(learner._module).items():
        assert not name.startswith(("stem.", "blocks.")) or (array == source[name]).all()
    assert rounds(learner, 1)


def test_other_moves_on_another_board_share_the_trunk(tmp_path: Path) -> None:
    """Of the same family, but with pieces that move only up and down."""
    game = randori.game("clobber5")
    assert isinstance(game.layout, Steps)
    upright = tuple(pair for pair in game.layout.pairs if abs(pair[0] - pair[1]) > 1)
    other = replace(game, name="clobber-upright", kind=game.family, layout=Steps(upright))
    place = saved(tmp_path, game)
    learner = learner_of(other, replace(SMALL, source=place))
    assert tensors_of(learner._module)["policy_map.weight"].shape == (2, 8, 1, 1)
    with pytest.raises(UserError, match="other moves than"):
        AlphaZero.from_contents(other, AlphaZero(game, network_for(game)).contents())


def test_clobber_is_learned_and_played_from_a_file(tmp_path: Path) -> None:
    game = randori.game("clobber5")
    learner = learner_of(game, SMALL)
    metrics = rounds(learner, 3)
    assert np.isfinite(metrics[-1]["loss/policy"])
    save_player(tmp_path / "x.safetensors", learner.player(), game, learner="alphazero", config={}, training={})
    again = randori.player(str(tmp_path / "x.safetensors"), game)
    assert isinstance(again, AlphaZero)
    states = some_lessons(game).states[:20]
    ours, theirs = (it.evaluate(states, np.random.default_rng(0)).policy for it in (learner.player(), again))
    assert ours is not None
    assert theirs is not None
    np.testing.assert_array_equal(ours, theirs)
    actions = again.choose(states, np.random.default_rng(0)).actions
    assert game.legal(states)[np.arange(len(states)), actions].all()


def test_another_board_takes_over_the_whole_network(tmp_path: Path) -> None:
    place = saved(tmp_path, randori.game("othello6"))
    source = network_for(randori.game("othello6"), 5).tensors
    for name, array in tensors_of(learner_of(randori.game("othello8"), replace(SMALL, source=place))._module).items():
        np.testing.assert_array_equal(array, source[name])


def test_impossible_sources_are_refused(tmp_path: Path) -> None:
    place = saved(tmp_path, TICTACTOE)
    with pytest.raises(UserError, match="8 channels and 1 blocks"):
        learner_of(TICTACTOE, replace(SMALL, channels=16, source=place))
    with pytest.raises(UserError, match="blocks 1"):
        learner_of(randori.game("connect4"), replace(SMALL, blocks=0, source=place))
    with pytest.raises(UserError, match="no residual network"):
        learner_of(TICTACTOE, replace(SMALL, source="zoo/tictactoe-evolution"))
    with pytest.raises(UserError, match="no player at"):
        learner_of(TICTACTOE, replace(SMALL, source=str(tmp_path / "none.safetensors")))
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"nothing of the kind")
    with pytest.raises(UserError, match="damaged"):
        learner_of(TICTACTOE, replace(SMALL, source=str(broken)))
    with pytest.raises(UserError, match="--from"):
        replace(SMALL, freeze=True)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"simulations": 1}, "2 or more"),
        ({"gate": 1.5}, "from 0 to 1"),
        ({"search": "puct", "noise": 2.0}, "share of 0 to 1"),
        ({"rate": -1.0}, "above 0"),
        ({"weight_decay": -1.0}, "0 or more"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        replace(SMALL, **settings)


def test_the_gate_keeps_the_better_network() -> None:
    learner = learner_of(TICTACTOE, replace(SMALL, gate=0.55, gate_games=4))
    assert learner.pairings() == []
    rounds(learner, 1)
    assert learner.pairings() == []  # games were played, but nothing has learned from them yet
    rounds(learner, 1)
    best = {name: it.copy() for name, it in learner._best.items()}
    newer, older = learner.pairings()
    assert (newer.n_games, older.n_games) == (2, 2)
    win = record(TICTACTOE, np.array([[0, 1, 3, 4, 6]] * 2, np.int16))  # the first mover wins
    learner.learn([win, win])  # two wins and two losses: not enough
    np.testing.assert_array_equal(learner._best["stem.conv.weight"], best["stem.conv.weight"])
    loss = record(TICTACTOE, np.array([[0, 2, 1, 4, 8, 6]] * 2, np.int16))  # the first mover loses
    trained = learner._learned()
    metrics = learner.learn([win, loss])
    assert (metrics["gate/score"], metrics["gate/passed"]) == (1.0, 1.0)
    np.testing.assert_array_equal(learner._best["stem.conv.weight"], trained["stem.conv.weight"])


@pytest.mark.parametrize("averaged", [1, 20])
def test_the_mean_of_the_weights(averaged: int) -> None:
    """Against the recursion written out: at step t a share of 10 / t, but not less than one in `averaged`, is new."""
    lessons = play_self(TICTACTOE, network_for(TICTACTOE), SMALL, 8, 0, seed=0)
    module = module_for(TICTACTOE)
    training = Training(TICTACTOE, module, replace(SMALL, averaged=averaged))
    name, expected = "blocks.0.first.conv.weight", np.zeros(())
    for step in range(1, 301):
        training.fit(lessons, 1, 0.01, np.random.default_rng(step))
        share = max(1 / averaged, min(1, 10 / step))
        expected = (1 - share) * expected + share * tensors_of(module)[name].astype(np.float64)
    np.testing.assert_allclose(training.mean[name], expected, atol=1e-5)
    assert np.allclose(training.mean[name], tensors_of(module)[name]) == (averaged == 1)


def test_the_player_has_the_mean_of_the_weights() -> None:
    learner = learner_of(TICTACTOE, SMALL)
    rounds(learner, 12)
    tensors, name = learner.player().network.tensors, "blocks.0.first.conv.weight"
    np.testing.assert_array_equal(tensors[name], learner._training.mean[name])
    assert (tensors[name] != tensors_of(learner._module)[name]).any()


def test_the_window_forgets() -> None:
    learner = learner_of(TICTACTOE, replace(SMALL, window=2))
    sizes = [int(it["positions"]) for it in rounds(learner, 4)]
    assert [len(it.states) for it in learner._window] == sizes[-2:]


def test_the_evaluator_masks_illegal_actions() -> None:
    game = randori.game("othello6")
    states = positions_of_random_games(game, 40, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING]
    evaluation = NetworkEvaluator(game, network_for(game))(states, np.random.default_rng(0))
    assert evaluation.policy is not None
    np.testing.assert_allclose(evaluation.policy.sum(axis=1), 1, rtol=1e-5)
    assert ((evaluation.policy > 0) == game.legal(states)).all()
    assert (np.abs(evaluation.values) <= 1).all()


def test_the_thesis_is_as_published() -> None:
    config = HONGCHAROEN
    assert (config.channels, config.blocks, config.simulations, config.search) == (256, 4, 25, "puct")
    assert (config.games, config.window, config.batch, config.rate, config.last_rate) == (512, 20, 4096, 0.001, 0.001)
    assert (config.gate, config.gate_games, config.temperature_plies) == (0.55, 100, 30)
    assert AlphaZeroLearner.presets["hongcharoen"].rounds == 50


def played_by(player: AlphaZero) -> Any:
    """The one action that it plays: there is no randomness."""

    def liked(states: States) -> Bools:
        chosen = player.choose(states, np.random.default_rng(0)).actions
        return np.eye(player.game.n_actions, dtype=np.bool_)[chosen]

    return liked


def test_a_tiny_network_learns_to_never_lose_tictactoe() -> None:
    config = AlphaZeroConfig(channels=16, blocks=2, games=64, simulations=16, openings=5, uses=8.0, horizon=2000)
    learner = learner_of(TICTACTOE, config)
    rounds(learner, 50)
    assert [lost_ends(TICTACTOE, played_by(learner.player()), seat) for seat in (0, 1)] == [0, 0]


def test_endings_in_a_search_have_exact_values() -> None:
    """The solver's value where few squares are empty, the network's elsewhere, the network's policy everywhere."""
    game = randori.game("othello6")
    states = positions_of_random_games(game, 60, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING]
    rng, plain = np.random.default_rng(0), NetworkEvaluator(game, network_for(game))
    evaluation, estimate = ExactValues(plain, Solver(game), 10)(states, rng), plain(states, rng)
    ending = game.moves_left(states) <= 10
    assert 0 < ending.sum() < len(states)
    np.testing.assert_array_equal(evaluation.values[ending], Solver(game).outcomes(states[ending]))
    np.testing.assert_array_equal(evaluation.values[~ending], estimate.values[~ending])
    np.testing.assert_array_equal(evaluation.policy, estimate.policy)


def test_a_search_that_knows_endings_keeps_more_values() -> None:
    game = randori.game("connect4")
    exam = prepare_exam(game, 100)
    shares = [measure_accuracy(AlphaZero(game, network_for(game), 8, exact=it), exam).share for it in (0, 20)]
    assert shares[1] > shares[0] + 0.05
    ending = game.moves_left(exam.states) <= 20
    best = Solver(game).best(exam.states[ending])
    chosen = AlphaZero(game, network_for(game), 2, exact=20).choose(exam.states[ending], np.random.default_rng(0))
    assert best[np.arange(len(best)), chosen.actions].all()


def test_evaluations_are_remembered() -> None:
    """Each position is evaluated once until it is forgotten, and the answers are the evaluator's."""
    game, rng = randori.game("othello6"), np.random.default_rng(0)
    states = positions_of_random_games(game, 20, rng)
    states = np.unique(states[game.outcome(states) == ONGOING], axis=0)[:300]
    plain, batch_sizes = NetworkEvaluator(game, network_for(game)), list[int]()

    def counting(batch: States, rng: np.random.Generator) -> Evaluation:
        batch_sizes.append(len(batch))
        return plain(batch, rng)

    memory = Remembering(game, counting, 100)
    for part in (states[:80], states[40:120], states[:120]):
        evaluation, expected = memory(part, rng), plain(part, rng)
        np.testing.assert_allclose(evaluation.values, expected.values, atol=1e-6)
        np.testing.assert_allclose(evaluation.policy, expected.policy, atol=1e-6)  # type: ignore[arg-type]
    assert batch_sizes == [80, 40]
    for begin in range(120, 300, 20):
        memory(states[begin : begin + 20], rng)
    memory(states[:20], rng)
    assert batch_sizes == [80, 40, *[20] * 9, 20]


def test_a_memory_never_mixes_positions_up() -> None:
    """In any order, the answers are the evaluator's, and the last positions are not evaluated again."""
    game, rng = randori.game("othello6"), np.random.default_rng(1)
    states = positions_of_random_games(game, 20, rng)
    states = np.unique(states[game.outcome(states) == ONGOING], axis=0)[:300]
    plain, evaluated = NetworkEvaluator(game, network_for(game)), set[bytes]()

    def counting(batch: States, rng: np.random.Generator) -> Evaluation:
        evaluated.update(it.tobytes() for it in batch)
        return plain(batch, rng)

    memory, last = Remembering(game, counting, 40), list[bytes]()
    for _ in range(200):
        part = states[rng.permutation(len(states))[: rng.integers(0, 60)]]
        evaluated.clear()
        evaluation, expected = memory(part, rng), plain(part, rng)
        np.testing.assert_array_equal(evaluation.values, expected.values)
        np.testing.assert_array_equal(evaluation.policy, expected.policy)  # type: ignore[arg-type]
        now = [it.tobytes() for it in part]
        assert evaluated <= set(now)
        assert evaluated.isdisjoint(set(last[-40:]) & set(now[:40]))
        last = [it for it in last if it not in now] + now


def test_a_policy_is_the_softmax_over_legal_actions() -> None:
    game = randori.game("othello6")
    states = positions_of_random_games(game, 20, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING]
    network = network_for(game)
    policy = NetworkEvaluator(game, network)(states, np.random.default_rng(0)).policy
    assert policy is not None
    logits = network(planes(game, states))[0].astype(np.float64)
    for row, (numbers, legal) in enumerate(zip(logits, game.legal(states), strict=True)):
        expected = np.zeros(len(numbers))
        expected[legal] = np.exp(numbers[legal]) / np.exp(numbers[legal]).sum()
        np.testing.assert_allclose(policy[row], expected, rtol=1e-5, atol=1e-7)
        assert not policy[row][~legal].any()


def test_self_play_with_a_memory_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("connect4")
    config = replace(SMALL, simulations=16)
    with_memory = play_self(game, network_for(game), config, 8, 2, seed=0)
    monkeypatch.setattr("randori.methods.alphazero.selfplay.Remembering", lambda game, evaluator, _: evaluator)
    without = play_self(game, network_for(game), config, 8, 2, seed=0)
    np.testing.assert_array_equal(with_memory.states, without.states)
    np.testing.assert_allclose(with_memory.values, without.values, atol=1e-5)


def gomoku_positions() -> tuple[Game, States]:
    """Positions from games of two simple players, some with a forced win for the side to move."""
    games = randori.match("heuristic", "uct:simulations=50", "gomoku9", 30, seed=3).games
    assert games is not None
    return games.game, np.concatenate([ply.states for ply in games.replay() if ply.number > 8])


def test_forced_wins_are_known_and_played() -> None:
    """By the evaluator in the tree, and by the player at once; elsewhere nothing changes."""
    game, states = gomoku_positions()
    wins, rng = find_wins(game, states, 300), np.random.default_rng(0)
    won = wins >= 0
    assert 0 < won.sum() < len(states)
    plain = NetworkEvaluator(game, network_for(game))
    evaluation, estimate = ForcedWinValues(plain, game, 300)(states, rng), plain(states, rng)
    assert (evaluation.values[won] == 1).all()
    np.testing.assert_array_equal(evaluation.values[~won], estimate.values[~won])
    np.testing.assert_array_equal(evaluation.policy, estimate.policy)
    chosen = AlphaZero(game, network_for(game), 2, threats=300).choose(states, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen.actions[won], wins[won])
    assert chosen.policy is not None
    np.testing.assert_allclose(chosen.policy.sum(axis=1), 1)


def test_a_search_that_knows_threats_does_not_walk_into_them() -> None:
    """Few moves stop the other side's threats; an untrained network finds one by looking a ply ahead."""
    game, states = gomoku_positions()
    states = states[find_wins(game, states, 300) < 0]
    safe = np.array([actions_without_a_forced_reply(game, state[None]) for state in states])
    urgent = safe.any(axis=1) & (safe.sum(axis=1) < 5)
    assert urgent.sum() >= 8
    shares = []
    for threats in (0, 300):
        player = AlphaZero(game, network_for(game), 200, search="puct", threats=threats)
        chosen = player.choose(states[urgent], np.random.default_rng(0)).actions
        shares.append(safe[urgent][np.arange(urgent.sum()), chosen].mean())
    assert shares[0] < 0.7 < shares[1] == 1


def actions_without_a_forced_reply(game: Game, state: States) -> Bools:
    """`[A]`"""
    children = game.children(state)
    going = game.outcome(children.states) == ONGOING
    safe = np.zeros(game.n_actions, np.bool_)
    safe[children.actions[going]] = find_wins(game, children.states[going], 300) < 0
    return safe


def test_forced_wins_are_lessons() -> None:
    """The first move of the win is the policy, and the value is a win for the side to move."""
    game = randori.game("gomoku9")
    config = replace(SMALL, threats=100)
    lessons = play_self(game, network_for(game), config, 8, 4, seed=0)
    wins = find_wins(game, lessons.states, 100)
    won = np.flatnonzero(wins >= 0)
    assert len(won) > 0
    assert (lessons.policies[won, wins[won]] == 1).all()
    assert (lessons.values[won] == 1).mean() > 0.9  # with so few nodes, a later search sometimes misses the win


def test_threats_are_for_stones_in_a_row() -> None:
    othello = randori.game("othello8")
    with pytest.raises(UserError, match=r"Othello 8x8 has no threats to search for"):
        learner_of(othello, replace(SMALL, threats=30))
    with pytest.raises(UserError, match="no threats to search for"):
        AlphaZero(othello, network_for(othello), threats=30)
    with pytest.raises(UserError, match=r"0 for none, not -5\."):
        AlphaZero(randori.game("gomoku9"), network_for(randori.game("gomoku9")), threats=-5)


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_fit_their_games(name: str) -> None:
    preset = AlphaZeroLearner.presets[name]
    assert preset.rounds is not None
    assert preset.config.horizon == preset.rounds * preset.config.games
    learner_of(randori.game(name.split("-")[0]), preset.config)


def test_every_time_has_its_recipe() -> None:
    names = ("connect4", "othello6", "othello8", "gomoku9", "gomoku15", "hex7")
    times = {"gomoku15": ("20m", "1h"), "othello8": ("30s", "5m", "20m", "1h", "8h")}
    usual = ("30s", "5m", "20m", "1h")
    assert set(RECIPES) == {f"{name}-{time}" for name in names for time in times.get(name, usual)}


def test_a_recipe_of_another_game_is_refused() -> None:
    """At once, not after hours: Othello with 24 empty squares is out of the solver's reach."""
    with pytest.raises(UserError, match=r"Othello .* 0 to 18 empty squares.* not 24\."):
        learner_of(randori.game("othello8"), AlphaZeroLearner.presets["connect4-20m"].config)
    with pytest.raises(UserError, match="0 to 18 empty squares"):
        AlphaZero(randori.game("othello8"), network_for(randori.game("othello8")), exact=30)


def test_a_network_with_saturated_values_can_be_searched() -> None:
    """Saturated values are 1, not slightly more."""
    game = randori.game("connect4")
    network = network_for(game)
    states = positions_of_random_games(game, 200, np.random.default_rng(0))
    states = states[game.outcome(states) == ONGOING]
    most = []
    for before_tanh in np.linspace(8.2, 9.0, 20, dtype=np.float32):
        sure = Network(network.architecture, {**network.tensors, "value_output.bias": np.array([before_tanh])})
        most.append(sure(planes(game, states))[1].max())
        assert NetworkEvaluator(game, sure)(states, np.random.default_rng(0)).values.max() <= 1
        AlphaZero(game, sure, 8).choose(states[:8], np.random.default_rng(0))
    assert max(most) == 1


def test_torch_and_the_network_that_plays_agree() -> None:
    game = randori.game("othello8")
    module, states = module_for(game), positions_of_random_games(game, 50, np.random.default_rng(0))
    for _ in range(3):
        module(torch.from_numpy(planes(game, states)))  # so that the statistics are not the initial ones
    module.eval()
    with torch.no_grad():
        expected = module(torch.from_numpy(planes(game, states)))
    found = Network(module.shape, tensors_of(module))(planes(game, states))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-4)


def test_an_exported_network_gives_the_same_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    from randori.app.commands.export import export

    place = saved(tmp_path, randori.game("connect4"))
    export(place, tmp_path / "x.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "x.onnx"), providers=["CPUExecutionProvider"])
    game = randori.game("connect4")
    inputs = planes(game, positions_of_random_games(game, 3, np.random.default_rng(0)))
    module = module_for(game, 5).eval()
    with torch.no_grad():
        expected = module(torch.from_numpy(inputs))
    for found, theirs in zip(session.run(["policy", "value"], {"obs": inputs}), expected, strict=True):
        np.testing.assert_allclose(found, theirs.numpy(), atol=1e-4)
    assert session.get_modelmeta().custom_metadata_map["game"] == "connect4"
    with pytest.raises(UserError, match="no network"):
        export("zoo/tictactoe-evolution", tmp_path / "y.onnx")
