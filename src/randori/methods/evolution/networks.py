"""Small networks over features, as evolution makes them: many of them judge a batch together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Actions, Floats, Ints, States
from randori.kernels.judges import Judge, judge_with
from randori.methods.evolution.features import Features
from randori.methods.evolution.kernels import networks as kernel
from randori.methods.evolution.kernels.networks import LAST_MOVED

__all__ = ["LAST_MOVED", "ONE_PLY", "Network", "NetworkTeam", "Networks", "Reach", "cut_links", "prune_dead", "seeing"]

Network = NDArray[np.float64]
"""`[H, F + 2]`: for each hidden unit the weights from the features, its bias, its weight to the output; 0: cut."""
Networks = NDArray[np.float64]
"""`[N, H, F + 2]`"""


class Reach(NamedTuple):
    """How far to look ahead: always `depth` plies, and to the end where at most `exact` squares are empty."""

    depth: int
    exact: int


ONE_PLY = Reach(1, 0)


@dataclass(frozen=True, eq=False)
class NetworkTeam:
    """Networks of one shape; each position of a batch belongs to one of them, `owners[b]`."""

    features: Features
    networks: Networks

    def __post_init__(self) -> None:
        shape = self.networks.shape
        if len(shape) != 3 or not shape[0] or shape[2] != len(self.features.names) + 2:
            raise ValueError(f"Networks over {len(self.features.names)} features do not have the shape {shape}.")

    def evaluate(self, states: States, owners: Ints) -> Floats:
        """`[B]`: values in -1 .. 1 for the side to move."""
        scores = np.empty(len(states))
        kernel.evaluate_all(*self._arguments(states, owners), scores)
        return np.tanh(scores)

    def scores(self, states: States, owners: Ints, reach: Reach = ONE_PLY) -> Floats:
        """`[B, A]`: how good each action is, a bound where it is not the best; minus infinity where it is not legal."""
        scores = np.empty((len(states), self.features.game.n_actions))
        kernel.score_all(*self._arguments(states, owners), tuple(reach), scores)
        return scores

    def choose(self, states: States, owners: Ints, rng: np.random.Generator, reach: Reach = ONE_PLY) -> Actions:
        """`[B]`: the best action of each; equals are drawn by lot."""
        actions = np.empty(len(states), np.int16)
        seeds = rng.integers(0, 2**63, len(states), dtype=np.uint64)
        kernel.choose_all(*self._arguments(states, owners), tuple(reach), seeds, actions)
        return actions

    def judge(self, owner: int) -> Judge:
        """Of scores without bound, by one of the networks, or of two by that of the side that moved last, LAST_MOVED."""
        game, plan = self.features.game, self.features.plan
        _, hidden, width = self.networks.shape
        return judge_with(
            kernel.by_network,
            game.rules,
            plan.board,
            plan.regions,
            plan.corners,
            len(plan.corners),
            plan.groups,
            len(plan.groups),
            plan.terms,
            plan.scales,
            width - 2,
            np.asarray(self.networks, np.float64),
            hidden,
            owner,
            int(game.moves_left(game.start(1))[0]),
        )

    def _arguments(self, states: States, owners: Ints) -> tuple[object, ...]:
        if len(owners) != len(states) or (len(owners) and not 0 <= owners.min() <= owners.max() < len(self.networks)):
            raise ValueError(f"{len(states)} positions need as many owners among {len(self.networks)} networks.")
        rows = np.ascontiguousarray(states, np.uint64)
        networks = np.ascontiguousarray(self.networks, np.float64)
        return self.features.game.rules, self.features.plan, networks, np.ascontiguousarray(owners, np.int64), rows


def seeing(networks: Networks, own: Sequence[str], names: Sequence[str]) -> Networks:
    """Networks over some features as networks over more of them, to which they have no links."""
    wide = np.zeros((*networks.shape[:-1], len(names) + 2))
    wide[..., [*(names.index(name) for name in own), -2, -1]] = networks
    return wide


def prune_dead(network: Network) -> Network:
    """The network without what does not matter: links into a hidden unit whose link to the output is cut."""
    return np.where(network[:, -1:] != 0, network, 0.0)


def cut_links(network: Network) -> tuple[int, int]:
    """How many links are cut from the inputs (the bias being one) to the hidden units, and from these to the output."""
    return int(np.sum(network[:, :-1] == 0)), int(np.sum(network[:, -1] == 0))
