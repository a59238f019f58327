"""Any of the games as a PettingZoo environment in which agents take turns (AEC)."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from randori import games
from randori.core.game import LOSS, ONGOING
from randori.core.notation import board_text
from randori.envs.drawing import board_image
from randori.errors import UserError, suggest

Observation = dict[str, NDArray[np.int8]]


class BoardEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """Two agents; each observes its own stones (plane 0), the other's (plane 1) and, on its turn, its legal actions.

    A reward is 1, 0 or -1 and comes at the end of the game. A forced pass is an action, so a mask is never empty for
    the agent whose turn it is.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo reads it from the class, too)
        "render_modes": ["human", "rgb_array", "ansi"],
        "name": "board_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, game: str, render_mode: str | None = None) -> None:
        """Agents, and whether squares are counted column by column, are as PettingZoo has them for the game."""
        EzPickle.__init__(self, game, render_mode)
        super().__init__()
        self.game = games.game(game)
        self.metadata = {**self.metadata, "name": f"{self.game.family.name}_v0"}
        agents, self._transposed = self.game.knowledge.agents, self.game.knowledge.transposed
        squares = np.arange(self.game.n_actions)
        self._action_of = squares.reshape(self.game.shape).T.reshape(-1) if self._transposed else squares
        self.render_mode = render_mode
        self.possible_agents = list(agents)
        shape, n = (*self.game.shape, 2), self.game.n_actions
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (n,), np.int8),
                }
            )
            for agent in agents
        }
        self.action_spaces = {agent: spaces.Discrete(n) for agent in agents}
        self._begin()

    def _begin(self) -> None:
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._ply = 0
        self._state = self.game.start(1)
        self._look()

    def _look(self) -> None:
        """What both see from now on; kept, because wrappers ask several times a turn."""
        self._cells = self.game.cells(self._state)[0]
        self._mask = self.game.legal(self._state)[0, self._action_of].astype(np.int8)
        masks = {agent: self._mask if agent == self._mover() else np.zeros_like(self._mask) for agent in self.agents}
        self.infos = {agent: {"action_mask": mask} for agent, mask in masks.items()}

    def _mover(self) -> str:
        mover: str = self.possible_agents[self._ply % 2]
        return mover

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The games have no chance of their own: a seed changes nothing."""
        self._begin()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        mine = agent == self._mover()
        cells = self._cells.T if self._transposed else self._cells
        planes = observed(cells if mine else -cells)
        # The mover of a finished game has nothing to do either.
        mask = self._mask if mine and agent == self.agent_selection else np.zeros_like(self._mask)
        return {"observation": planes, "action_mask": mask.copy()}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        assert action is not None
        self._state = self.game.play(self._state, [self._action_of[int(action)]])
        self._ply += 1
        outcome = int(self.game.outcome(self._state)[0])
        if outcome != ONGOING:
            # The outcome is for the side to move, and that is the other now.
            self.rewards = {it: outcome if it == self._mover() else -outcome for it in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self._look()
        self.agent_selection = self._mover()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        if self.render_mode is None:
            gymnasium.logger.warn("Give a render_mode to see something.")
            return None
        if self.render_mode == "rgb_array":
            return board_image(self._cells if self._ply % 2 == 0 else -self._cells)
        text = board_text(self.game, self._state, self._ply)
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """Nothing is open."""


def observed(cells: NDArray[np.int8]) -> NDArray[np.int8]:
    """`[H, W, 2]`: the stones of one side, then the other's, from cells that are 1 and -1 for them."""
    return np.stack((cells == 1, cells == -1), axis=-1).astype(np.int8)


def raw_env(family: str, size: int | None = None, render_mode: str | None = None) -> BoardEnv:
    """Without the wrappers that check what agents do; of a family of games, on the usual board unless a size is given."""
    known = games.families()
    if family not in known:
        raise UserError(f"There is no game '{family}'.{suggest(family, known)}")
    board = games.game(known[family].usual) if size is None else games.family_board(family, size)
    if board is None:
        raise UserError(f"There is no {known[family].title} on a board of size {size}.")
    return BoardEnv(board.name, render_mode)


def env(family: str, size: int | None = None, render_mode: str | None = None) -> AECEnv[Any, Any, Any]:
    return wrapped(raw_env(family, size, render_mode))


def wrapped(raw: BoardEnv) -> AECEnv[Any, Any, Any]:
    """In the usual order: an illegal action ends the game as lost."""
    env: AECEnv[Any, Any, Any] = wrappers.TerminateIllegalWrapper(raw, illegal_reward=LOSS)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)
