"""Our players as policies for PettingZoo's loop: an observation in, an action out."""

import numpy as np

from randori import games, players
from randori.envs.aec import Observation


class Policy:
    """`policy(observation)` is an action of the environments here, and of PettingZoo's own where they agree.

    It sees one position at a time, so players that must follow whole games cannot be used.
    """

    def __init__(self, player: str, game: str, seed: int | None = None) -> None:
        self.game = games.game(game)
        self.player = players.player(player, self.game)
        self._rng = np.random.default_rng(seed)

    def __call__(self, observation: Observation) -> int:
        """For the agent whose turn it is."""
        planes = observation["observation"]
        cells = planes[..., 0].astype(np.int8) - planes[..., 1].astype(np.int8)
        transposed = self.game.knowledge.transposed
        states = self.game.from_cells((cells.T if transposed else cells)[None])
        action = int(self.player.choose(states, self._rng).actions[0])
        height, width = self.game.shape
        return action % width * height + action // width if transposed else action
