"""The games as environments: the judges of PettingZoo and Gymnasium, and a learner of another library."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import randori
from randori.games import families, names

gymnasium = pytest.importorskip("gymnasium", reason="the environments need Gymnasium: install `randori[envs]`")
pettingzoo = pytest.importorskip("pettingzoo", reason="the environments need PettingZoo: install `randori[envs]`")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test  # noqa: E402
from pettingzoo.test import test_save_obs as save_obs_test  # noqa: E402

import randori.envs  # noqa: E402
from randori.envs import Policy, connect4_v0, gomoku_v0, othello_v0, tictactoe_v0  # noqa: E402

# What PettingZoo reports for every environment whose observation is a dict with a mask and whose board begins empty. It
# exempts its own games by their names.
EXPECTED = (
    "Observation is not a NumPy array",
    "Observation numpy array is all zeros.",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)


MODULES = {"tictactoe": tictactoe_v0, "connect4": connect4_v0, "othello": othello_v0, "gomoku": gomoku_v0}


def make_of(name: str) -> Callable[..., Any]:
    """From the module of its family if there is one, else from PettingZoo's registry."""
    game = randori.game(name)
    family = game.family.name
    make = MODULES[family].env if family in MODULES else partial(pettingzoo.make, "aec", f"randori/{family}-v0")
    size = {} if name == family else {"size": game.shape[0]}
    return lambda **settings: make(**size, **settings)


def gym_id(name: str) -> str:
    return f"randori/{'TicTacToe' if name == 'tictactoe' else name.capitalize()}-v0"


def test_every_game_has_its_environments() -> None:
    assert {gym_id(name) for name in names()} <= set(gymnasium.registry)
    assert {f"randori/{it}-v0" for it in families()} <= set(pettingzoo.aec_registry)


@pytest.mark.parametrize("name", names())
def test_pettingzoo_accepts_every_game(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    make = make_of(name)
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        api_test(make(), num_cycles=100)
        seed_test(make, num_cycles=20)
        render_test(make)
        save_obs_test(make())
    assert {str(it.message) for it in records} <= set(EXPECTED)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_pettingzoo_measures_the_speed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        performance_benchmark(make_of(name)())
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("name", names())
def test_gymnasium_accepts_every_game(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make(gym_id(name), opponent="random", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_the_registered_name_takes_the_size() -> None:
    env = pettingzoo.make("aec", "randori/othello-v0", size=6)
    env.reset()
    assert env.action_space("black_0").n == 37
    observation = env.observe("black_0")
    assert observation["observation"].shape == (6, 6, 2)
    assert observation["action_mask"].dtype == np.int8
    assert observation["action_mask"].sum() == 4
    assert env.observe("white_0")["action_mask"].sum() == 0
    assert env.observation_space("black_0") is env.observation_space("black_0")
    # Each sees its own stones first.
    np.testing.assert_array_equal(observation["observation"][..., 0], env.observe("white_0")["observation"][..., 1])


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4"])
def test_rewards_are_the_outcomes_of_the_rules(name: str) -> None:
    game = randori.game(name)
    env = make_of(name)()
    rng = np.random.default_rng(0)
    for _ in range(20):
        env.reset()
        state, plies, rewards = game.start(1), 0, {}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                rewards[agent] = reward
                env.step(None)
                continue
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            env.step(action)
            state = game.play(state, [action % 3 * 3 + action // 3 if name == "tictactoe" else action])
            plies += 1
        outcome = int(game.outcome(state)[0]) * (1 if plies % 2 == 0 else -1)
        first, second = env.possible_agents
        assert (rewards[first], rewards[second]) == (outcome, -outcome)


def test_tictactoe_counts_column_by_column_as_pettingzoo_does() -> None:
    env = tictactoe_v0.env(render_mode="ansi")
    env.reset()
    env.step(1)
    # The second action is the left square of the middle row.
    assert env.render().splitlines()[2].split() == ["2", "X", ".", "."]
    assert env.observe("player_1")["observation"][0, 1, 0] == 1
    assert env.agents == ["player_1", "player_2"]


def test_an_illegal_action_loses(capsys: pytest.CaptureFixture[str]) -> None:
    env = othello_v0.env()
    env.reset()
    env.step(0)
    assert env.terminations == {"black_0": True, "white_0": True}
    assert env.rewards["black_0"] == -1
    single = gymnasium.make("randori/Othello8-v0", seat="first")
    single.reset(seed=0)
    _, reward, terminated, _, info = single.step(0)
    assert (reward, terminated, info["illegal"]) == (-1.0, True, True)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4"])
def test_players_as_policies(name: str) -> None:
    env = make_of(name)()
    policies = {agent: Policy("heuristic", name, seed=1) for agent in env.possible_agents}
    loser = Policy("random", name, seed=2)
    points = 0
    for number in range(40):
        env.reset()
        strong = env.possible_agents[number % 2]
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                points += reward if agent == strong else 0
                env.step(None)
            else:
                env.step((policies[agent] if agent == strong else loser)(observation))
    assert points > 4


def test_a_game_against_an_opponent_from_both_seats() -> None:
    game = randori.game("connect4")
    for seat, stones in (("first", 0), ("second", 1)):
        env = gymnasium.make("randori/Connect4-v0", opponent="heuristic", seat=seat)
        observation, info = env.reset(seed=3)
        assert observation[..., 1].sum() == stones
        rewards = []
        terminated = False
        while not terminated:
            action = int(np.flatnonzero(info["action_mask"])[0])
            observation, reward, terminated, truncated, info = env.step(action)
            assert not truncated
            rewards.append(reward)
        mine, theirs = observation[..., 0], observation[..., 1]
        assert game.from_cells((mine - theirs)[None] if mine.sum() <= theirs.sum() else (theirs - mine)[None]).any()
        assert rewards[:-1] == [0.0] * (len(rewards) - 1)
        assert rewards[-1] in (-1.0, 0.0, 1.0)
    again = [gymnasium.make("randori/Connect4-v0").reset(seed=5)[0] for _ in range(2)]
    np.testing.assert_array_equal(*again)


def test_gymnasium_finds_them_by_the_name_of_the_module() -> None:
    env = gymnasium.make("randori.envs:randori/Gomoku9-v0")
    assert env.unwrapped.action_masks().all()


@pytest.mark.slow
def test_a_learner_of_another_library_learns() -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    env = gymnasium.make("randori/Connect4-v0", opponent="random")
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=256, batch_size=64, seed=0, device="cpu")
    model.learn(6000)
    points = 0.0
    for number in range(100):
        observation, info = env.reset(seed=number)
        terminated = False
        while not terminated:
            action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool))
            observation, reward, terminated, _, info = env.step(action)
        points += float(reward)
    # Among random players nobody is ahead by this much.
    assert points > 20
