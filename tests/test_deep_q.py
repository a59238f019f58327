"""Deep Q-learning: lessons out of games, targets, errors, networks, and a little learning."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import foreign
import numpy as np
import pytest
import torch
from reference.deep_q import lessons_of_game

import randori
from randori.arena import duel, play_duels, play_games
from randori.core.game import Game, States
from randori.core.layout import Steps
from randori.core.record import Games, record
from randori.core.symmetry import symmetries, transform
from randori.errors import UserError
from randori.experiments.cpu import CountingWorkers
from randori.experiments.exhaustive import lost_ends
from randori.experiments.pairings import play_pairings
from randori.methods.deep_q.config import PAPER, DeepQConfig
from randori.methods.deep_q.learner import DeepQLearner
from randori.methods.deep_q.player import DeepQ
from randori.methods.deep_q.q_values import QValues, action_inputs, board_inputs
from randori.methods.deep_q.training import ActionValues, architecture_of, error_of, reading_of, targets
from randori.methods.deep_q.transitions import Replay, Transitions, transitions
from randori.networks import Dense, Network, residual_for
from randori.networks.modules import make_module, tensors_of
from randori.networks.planes import planes
from randori.players.simple import Exploring, Random

TICTACTOE = randori.game("tictactoe")
X_WINS = [0, 1, 3, 4, 6]  # X has the left column

REPLY = replace(DeepQConfig(), bootstrap="reply", steps=1, win=1.0, draw=0.5, loss=0.0, discount=0.1)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def one_game(actions: list[int]) -> Games:
    return record(TICTACTOE, np.array([actions], np.int16))


def random_games(game: Game, n: int, opening: int = 0, seed: int = 0) -> Games:
    rng = np.random.default_rng(seed)
    openings = np.zeros((n, 0), np.int16)
    if opening:
        from randori.arena.openings import random_openings

        openings = random_openings(game, n, opening, rng)
    return play_games(game, Random(game), Random(game), openings, rng)


def random_states(game: Game, n: int, seed: int = 0) -> States:
    games = random_games(game, n, seed=seed)
    states = np.concatenate([ply.states for ply in games.replay()])
    return states[np.random.default_rng(seed).permutation(len(states))[:n]]


def test_the_next_position_is_my_own_after_the_reply() -> None:
    found = transitions(one_game(X_WINS), REPLY, (0,))
    np.testing.assert_array_equal(found.actions, [0, 3, 6])
    np.testing.assert_allclose(found.rewards, [0, 0, 1])
    np.testing.assert_allclose(found.factors, [0.1, 0.1, 0])
    np.testing.assert_array_equal(found.next_actions[:2], [3, 6])
    assert (TICTACTOE.cells(found.next_states[:1]) == TICTACTOE.cells(found.states[1:2])).all()


def test_a_loss_to_the_reply_is_learned_at_the_last_choice() -> None:
    found = transitions(one_game(X_WINS), replace(REPLY, loss=-0.25), (1,))
    np.testing.assert_array_equal(found.actions, [1, 4])
    np.testing.assert_allclose(found.rewards, [0, -0.25])
    np.testing.assert_allclose(found.factors, [0.1, 0])


def test_the_opponents_next_position_counts_against_me() -> None:
    found = transitions(one_game(X_WINS), replace(DeepQConfig(), steps=1, discount=0.5), (0, 1))
    np.testing.assert_array_equal(found.actions, X_WINS)
    np.testing.assert_allclose(found.rewards, [0, 0, 0, 0, 1])
    np.testing.assert_allclose(found.factors, [-0.5, -0.5, -0.5, -0.5, 0])


def test_after_two_steps_the_position_is_my_own_again() -> None:
    found = transitions(one_game(X_WINS), replace(DeepQConfig(), steps=2, discount=0.5), (0, 1))
    np.testing.assert_allclose(found.rewards, [0, 0, 0, -0.5, 1])
    np.testing.assert_allclose(found.factors, [0.25, 0.25, 0.25, 0, 0])


def test_a_draw_is_worth_what_the_settings_say() -> None:
    drawn = one_game([4, 0, 2, 6, 3, 5, 1, 7, 8])
    assert drawn.outcomes[0] == 0
    for seat in (0, 1):
        assert transitions(drawn, REPLY, (seat,)).rewards[-1] == 0.5


@pytest.mark.parametrize("game_name", ["tictactoe", "othello4", "connect4"])
@pytest.mark.parametrize("bootstrap", ["reply", "opponent"])
@pytest.mark.parametrize("steps", [1, 3])
def test_lessons_agree_with_slow_ones(game_name: str, bootstrap: str, steps: int) -> None:
    """On Othello 4x4, where most games have passes."""
    game, opening = randori.game(game_name), 2
    shaping = bootstrap == "reply"
    config = replace(REPLY, steps=steps, discount=0.7, shaping=shaping)
    if bootstrap == "opponent":
        config = replace(DeepQConfig(), steps=steps, discount=0.7)
    games = random_games(game, 40, opening)
    if game.layout.passes:
        assert (games.actions == game.n_actions - 1).any()
    for seat in (0, 1):
        for row in range(len(games)):
            actions = [int(it) for it in games.actions[row] if it >= 0]
            slow = lessons_of_game(
                game, actions, opening, seat, reply=shaping, steps=steps, discount=0.7,
                rewards=(config.win, config.draw, config.loss), shaping=shaping,
            )  # fmt: skip
            if not slow:
                continue
            found = transitions(games.take(np.array([row])), config, (seat,))
            np.testing.assert_array_equal(found.states, [it["state"] for it in slow])
            np.testing.assert_array_equal(found.actions, [it["action"] for it in slow])
            np.testing.assert_allclose(found.rewards, [it["reward"] for it in slow], rtol=1e-5)
            np.testing.assert_allclose(found.factors, [it["factor"] for it in slow], rtol=1e-5)
            going = [place for place, it in enumerate(slow) if it["next_state"] is not None]
            if not going:
                continue
            np.testing.assert_array_equal(found.next_states[going], [slow[it]["next_state"] for it in going])
            np.testing.assert_array_equal(found.next_actions[going], [slow[it]["next_action"] for it in going])


class Constant(torch.nn.Module):
    """A network with the same output for every position."""

    def __init__(self, values: list[float]) -> None:
        super().__init__()
        self.values = torch.tensor(values)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.values.expand(len(inputs), -1)


def lesson(factor: float, next_action: int = 0) -> Transitions:
    after = TICTACTOE.play(TICTACTOE.play(TICTACTOE.start(1), [8]), [7])
    return Transitions(
        TICTACTOE.start(1), np.array([8], np.int16), np.array([0.25], np.float32), np.array([factor], np.float32),
        after, np.array([next_action], np.int16),
    )  # fmt: skip


def action_values(values: list[float]) -> ActionValues:
    return ActionValues(TICTACTOE, Constant(values), "board")


# Squares 7 and 8 are taken: the network's values for them must not count.
OLDER = action_values([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
NEWER = action_values([0.9, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0, 1.0])


@pytest.mark.parametrize(
    ("factor", "newer", "method", "expected"),
    [
        (0.1, None, "q", 0.25 + 0.1 * 0.7),
        (-0.5, None, "q", 0.25 - 0.5 * 0.7),
        (0.5, NEWER, "q", 0.25 + 0.5 * 0.1),
        (0.1, None, "sarsa", 0.25 + 0.1 * 0.3),
        (0.0, None, "q", 0.25),
    ],
    ids=["best legal action", "the opponent's", "double", "sarsa", "over"],
)
def test_targets_worked_by_hand(factor: float, newer: ActionValues | None, method: str, expected: float) -> None:
    assert targets(lesson(factor, next_action=2), TICTACTOE, OLDER, newer, method)[0] == pytest.approx(expected)


def test_errors_worked_by_hand() -> None:
    batch, aim = lesson(0.1), np.array([0.5], np.float32)
    assert float(error_of(OLDER, batch, aim, None, False)) == pytest.approx((0.9 - 0.5) ** 2)
    others = sum((it / 10) ** 2 for it in range(1, 9))
    assert float(error_of(OLDER, batch, aim, None, True)) == pytest.approx((others + (0.9 - 0.5) ** 2) / 9)


@pytest.mark.parametrize("game_name", ["tictactoe", "connect4", "othello6", "gomoku9", "clobber5"])
def test_every_kind_of_network_agrees_in_training_and_in_play(game_name: str) -> None:
    game = randori.game(game_name)
    states = random_states(game, 60)
    legal = game.legal(states)
    choices = ~legal[:, -1] if game.layout.passes else np.ones(len(states), np.bool_)
    for config in (
        DeepQConfig(channels=8, blocks=1),
        DeepQConfig(channels=8, blocks=1, dueling=False),
        *(it for it in PAPER.values() if it.network == "action" or not isinstance(game.layout, Steps)),
    ):
        architecture, reading = architecture_of(game, config), reading_of(config)
        module = _shaken(make_module(architecture, np.random.default_rng(1))).eval()
        with torch.no_grad():
            trained = ActionValues(game, module, reading).all(states, legal).numpy()
        played = QValues(game, Network(architecture, tensors_of(module)), reading).actions(states)
        np.testing.assert_allclose(played[choices, : trained.shape[1]], trained[choices], rtol=1e-4, atol=1e-5)
        assert ((played > -np.inf) == legal).all()


def _shaken(module: torch.nn.Module) -> torch.nn.Module:
    """With statistics of batch norms that are not 0 and 1, as after training."""
    generator = torch.Generator().manual_seed(0)
    for name, buffer in module.named_buffers():
        if name.endswith(("running_mean", "running_var")):
            buffer.copy_(torch.rand(buffer.shape, generator=generator) + 0.5)
    return module


def test_a_residual_network_plays_on_any_board() -> None:
    small, large = randori.game("othello6"), randori.game("othello8")
    architecture = residual_for(small, 8, 1)
    assert architecture == residual_for(large, 8, 1)
    network = Network(architecture, tensors_of(make_module(architecture, np.random.default_rng(0))))
    for game in (small, large):
        policy, values = network(planes(game, game.start(3)))
        assert (policy.shape, values.shape) == ((3, game.n_actions), (3,))


def test_large_batches_are_split_and_empty_ones_answered() -> None:
    shape = Dense(10, (4,), 2)
    network = Network(shape, tensors_of(make_module(shape, np.random.default_rng(0))))
    inputs = np.random.default_rng(0).random((600, 10)).astype(np.float32)
    np.testing.assert_allclose(network(inputs)[0], np.vstack([network(row[None])[0] for row in inputs]), rtol=1e-5)
    assert network(inputs[:0])[0].shape == (0, 2)


def test_turning_the_board_turns_actions_with_it() -> None:
    """The error on a turned board is that of the positions which the game itself makes by turning."""
    game = randori.game("clobber5")
    config = DeepQConfig(channels=8, blocks=1)
    values = ActionValues(game, make_module(architecture_of(game, config), np.random.default_rng(0)).eval(), "dueling")
    batch = transitions(random_games(game, 4), config, (0, 1))
    aim = np.random.default_rng(0).random(len(batch.actions)).astype(np.float32)
    for turned in symmetries(game):
        actions = turned.actions[batch.actions].astype(np.int16)
        by_game = batch._replace(states=transform(game, batch.states, turned), actions=actions)
        ours, theirs = error_of(values, batch, aim, turned, False), error_of(values, by_game, aim, None, False)
        assert float(ours.detach()) == pytest.approx(float(theirs.detach()), rel=1e-5)


def test_turning_the_board_changes_no_error_of_a_turned_network() -> None:
    """A network of 1x1 convolutions sees no direction: its error is the same on every turned board."""
    game = randori.game("othello6")
    config = DeepQConfig(channels=8, blocks=0)
    module = make_module(architecture_of(game, config), np.random.default_rng(0)).eval()
    stem = module.get_submodule("stem").conv.weight  # type: ignore[union-attr]
    with torch.no_grad():
        centre = stem[:, :, 1, 1].clone()
        stem.zero_()
        stem[:, :, 1, 1] = centre
    batch = transitions(random_games(game, 4), config, (0, 1))
    aim = np.random.default_rng(0).random(len(batch.actions)).astype(np.float32)
    errors = [
        float(error_of(ActionValues(game, module, "dueling"), batch, aim, turned, False).detach())
        for turned in symmetries(game)
    ]
    np.testing.assert_allclose(errors, errors[0], rtol=1e-5)


def test_a_turned_position_and_action_are_those_of_the_game() -> None:
    """What is learned on a turned board is a real position with its legal actions."""
    game = randori.game("connect4")
    states = random_states(game, 30)
    for turned in symmetries(game):
        mask = np.empty((len(states), game.n_actions), np.bool_)
        mask[:, turned.actions] = game.legal(states)
        np.testing.assert_array_equal(mask, game.legal(transform(game, states, turned)))


def test_inputs_are_those_of_the_paper() -> None:
    game = randori.game("othello8")
    state = game.start(1)
    assert board_inputs(game, state).shape == (1, 65)
    inputs = action_inputs(game, state, np.array([2 * 8 + 3], np.int16))
    assert inputs.shape == (1, 67)
    np.testing.assert_allclose(inputs[0, 64:], [1, 3 / 8, 4 / 8])
    assert (inputs[0, :64].sum(), np.abs(inputs[0, :64]).sum()) == (0, 4)


def test_a_step_is_encoded_by_where_it_begins_and_ends() -> None:
    game = randori.game("clobber5")
    action = game.move_names.index("b1c1")
    inputs = action_inputs(game, game.start(1), np.array([action], np.int16))
    assert inputs.shape == (1, 25 + 5)
    np.testing.assert_allclose(inputs[0, 25:], [1, 1 / 5, 2 / 5, 1 / 5, 3 / 5])


def test_single_squares_cannot_encode_steps() -> None:
    with pytest.raises(UserError, match="Clobber 5x5 joins two squares; set --network residual"):
        learner_of(randori.game("clobber5"), PAPER["dqn2"])


@pytest.mark.parametrize("network", ["residual", "action"])
def test_clobber_is_learned(network: str) -> None:
    config = DeepQConfig(network=network, channels=8, blocks=1, games=16, batch=32)  # type: ignore[arg-type]
    learner = learner_of(randori.game("clobber5"), config)
    metrics = rounds(learner, 3)
    assert np.isfinite(metrics[-1]["error"])
    states = random_states(learner.game, 20)
    actions = learner.player().choose(states, np.random.default_rng(0)).actions
    assert learner.game.legal(states)[np.arange(len(states)), actions].all()


def test_the_oldest_memory_is_dropped_first() -> None:
    replay = Replay(TICTACTOE, 5)
    for value in range(4):
        replay.add(lesson(1.0)._replace(rewards=np.full(1, value, np.float32)))
    replay.add(
        Transitions(*(np.repeat(it, 3, axis=0) for it in lesson(1.0)))._replace(
            rewards=np.arange(10, 13, dtype=np.float32)
        )
    )
    assert replay.filled == 5
    assert sorted(replay.take(np.arange(5)).rewards) == [2, 3, 10, 11, 12]
    again = Replay(TICTACTOE, 5)
    again.restore(replay.state())
    for both in (replay, again):
        both.add(lesson(1.0)._replace(rewards=np.full(1, 99, np.float32)))
    np.testing.assert_array_equal(again.take(np.arange(5)).rewards, replay.take(np.arange(5)).rewards)


def test_exploring_is_a_share_of_all_moves() -> None:
    class Corner:
        name = "corner"

        def choose(self, states, rng):  # type: ignore[no-untyped-def]
            return randori.players.Choice(np.zeros(len(states), np.int16))

    chosen = Exploring(TICTACTOE, Corner(), 0.3).choose(TICTACTOE.start(20_000), np.random.default_rng(0)).actions
    assert np.mean(chosen != 0) == pytest.approx(0.3 * 8 / 9, abs=0.01)


def rounds(learner: DeepQLearner, n: int) -> list[dict[str, float]]:
    metrics = []
    with CountingWorkers(1) as staff:
        for number in range(n):
            metrics.append(learner.learn(play_pairings(learner.game, learner.pairings(), 0, number, staff)))
    return metrics


def learner_of(game: Game, config: DeepQConfig, seed: int = 0) -> DeepQLearner:
    return DeepQLearner(game, config, np.random.default_rng(seed), CountingWorkers(1))


@pytest.mark.parametrize("name", PAPER)
def test_every_agent_of_the_paper_learns(name: str) -> None:
    """Four games of each; the error is a number and the weights move."""
    learner = learner_of(randori.game("othello6"), PAPER[name])
    before = tensors_of(learner._module)
    metrics = rounds(learner, 4)
    assert all(np.isfinite(it["error"]) for it in metrics)
    assert any((before[key] != it).any() for key, it in tensors_of(learner._module).items())


def test_the_earlier_self_is_five_rounds_old() -> None:
    """Before the sixth round it is the untrained network."""
    learner = learner_of(TICTACTOE, PAPER["dqn1-selfplay"])
    weights = []
    for number in range(8):
        weights.append(tensors_of(learner._module)["layers.0.weight"])
        other = next(
            it for pairing in learner.pairings() for it in (pairing.first, pairing.second) if isinstance(it, DeepQ)
        )
        expected = weights[max(0, number - 5)]
        np.testing.assert_array_equal(other.values.network.tensors["layers.0.weight"], expected)
        with CountingWorkers(1) as staff:
            learner.learn(play_pairings(TICTACTOE, learner.pairings(), 0, number, staff))


@pytest.mark.parametrize(("games", "openings"), [(256, 7), (3, 7), (10, 0), (10, 3)])
def test_openings_of_every_length_equally_often(games: int, openings: int) -> None:
    pairings = learner_of(TICTACTOE, DeepQConfig(channels=4, blocks=0, games=games, openings=openings)).pairings()
    sizes = [pairing.n_games for pairing in pairings]
    assert sum(sizes) == games
    assert max(sizes) - min(sizes) <= 1
    assert [pairing.openings for pairing in pairings] == list(range(min(openings + 1, games)))


def test_without_progress_learning_ends() -> None:
    learner = learner_of(TICTACTOE, replace(PAPER["dqn1"], patience=2))
    metrics = rounds(learner, 60)
    assert metrics[-1] == {"finished": 1.0}
    assert learner.pairings() == []


def test_learning_that_diverges_says_so() -> None:
    learner = learner_of(TICTACTOE, DeepQConfig(channels=4, blocks=1, games=4, rate=1e12, last_rate=1e12))
    with pytest.raises(UserError, match=r"finite number.*smaller one"):
        rounds(learner, 6)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"draw": 0.5}, "what one side wins the other loses"),
        ({"shaping": True}, "bootstrap reply"),
        ({"suppress_unplayed": True}, "'board'"),
        ({"exploring": 1.5}, "from 0 to 1"),
        ({"games": 0}, "1 or more"),
        ({"rate": 0.0}, "above 0"),
        ({"hidden": (0,)}, "at least one unit"),
        ({"patience": 0}, "1 or more"),
        ({"win": 2.0, "loss": -2.0}, "up to 1"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        DeepQConfig(**settings)  # type: ignore[arg-type]


def test_a_file_gives_the_same_player(tmp_path: Path) -> None:
    from randori.players.files import save_player

    game = randori.game("connect4")
    learner = learner_of(game, DeepQConfig(channels=8, blocks=1, games=8))
    rounds(learner, 2)
    player = learner.player()
    save_player(tmp_path / "x.safetensors", player, game, learner="deep-q", config={}, training={})
    again = randori.player(str(tmp_path / "x.safetensors"), game)
    states, rng = random_states(game, 50), np.random.default_rng(0)
    assert isinstance(again, DeepQ)
    np.testing.assert_array_equal(again.scores(states), player.scores(states))
    ahead = randori.player(f"{tmp_path / 'x.safetensors'}:depth=2", game)
    assert len(ahead.choose(states, rng).actions) == 50


def test_a_position_without_a_choice_is_worth_what_the_pass_leads_to() -> None:
    game = randori.game("othello4")
    states = random_states(game, 200)
    passing = states[game.legal(states)[:, -1]]
    assert len(passing)
    architecture = residual_for(game, 8, 1)
    values = QValues(
        game, Network(architecture, tensors_of(make_module(architecture, np.random.default_rng(0)))), "dueling"
    )
    after = game.play(passing, np.full(len(passing), game.n_actions - 1, np.int16))
    rng = np.random.default_rng(0)
    np.testing.assert_allclose(values(passing, rng).values, -values(after, rng).values)


@pytest.mark.slow
def test_tictactoe_is_learned_until_it_never_loses() -> None:
    preset = DeepQLearner.presets["tictactoe"]
    assert preset.rounds is not None
    learner = learner_of(TICTACTOE, preset.config)
    rounds(learner, preset.rounds)
    assert [lost_ends(TICTACTOE, learner.player().liked, seat) for seat in (0, 1)] == [0, 0]


def test_a_little_learning_beats_chance() -> None:
    learner = learner_of(TICTACTOE, DeepQConfig(channels=16, blocks=1, games=64, openings=0, horizon=2000, uses=4.0))
    rounds(learner, 40)
    with CountingWorkers(1) as staff:
        match = play_duels([duel(TICTACTOE, learner.player(), Random(TICTACTOE), 400)], staff)[0]
    assert match.score.mean > 0.7
