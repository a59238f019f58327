"""What Humphreys et al. published: games won, drawn and lost by the first of two, table by table."""

from typing import NamedTuple

from randori.methods.deep_q.config import PAPER

Pair = tuple[str, str]
"""An agent and whom it met."""


class Counts(NamedTuple):
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return sum(self)


DQN = tuple(name for name in PAPER if name.startswith("dqn"))
_AGAINST_CHANCE = (
    *((30, 2, 18), (26, 1, 23), (19, 3, 28), (25, 1, 24)),
    *((32, 12, 6), (26, 2, 22), (23, 0, 27), (20, 1, 29)),
)
_AGAINST_DQN2 = (
    *((0, 25, 25), (0, 25, 25), (26, 24, 0), (18, 0, 32)),
    *((0, 50, 0), (0, 0, 50), (0, 22, 28), (0, 0, 50)),
)
_AGAINST_DQN1 = (
    *((0, 50, 0), (19, 0, 31), (28, 0, 22), (34, 0, 16)),
    *((25, 0, 25), (28, 0, 22), (0, 0, 50), (28, 0, 22)),
)


def _against(opponent: str, results: tuple[tuple[int, int, int], ...]) -> dict[Pair, Counts]:
    return {(name, opponent): Counts(*it) for name, it in zip(DQN, results, strict=True)}


PUBLISHED: dict[int, dict[Pair, Counts]] = {
    1: _against("random", _AGAINST_CHANCE),
    2: _against("dqn2", _AGAINST_DQN2),
    3: _against("dqn1", _AGAINST_DQN1),
    4: {
        ("dsqn", "random"): Counts(25, 0, 25),
        ("dsqn-selfplay", "random"): Counts(31, 2, 17),
        ("dsqn", "dsqn-selfplay"): Counts(0, 0, 50),
        ("dsqn", "dqn2"): Counts(27, 0, 23),
        ("dsqn-selfplay", "dqn2"): Counts(28, 0, 22),
    },
    5: {
        ("mcts-humphreys:simulations=5", "random"): Counts(12, 1, 7),
        ("mcts-humphreys:simulations=10", "random"): Counts(16, 1, 3),
    },
}
"""By table. Where two agents without chance meet there are never more than two kinds of results: two games, one for each
side, are played again and again."""
