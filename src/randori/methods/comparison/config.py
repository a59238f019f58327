"""How comparison training is set."""

from dataclasses import dataclass
from typing import Literal

from randori.methods.checks import check_least, check_positive, check_shares


@dataclass(frozen=True)
class ComparisonConfig:
    """Compares its own moves with better ones: the winner's (Freisleben 1995), or those that prove to win more often."""

    network: Literal["chains", "patterns"] = "patterns"
    """`chains`: the paper's product units; `patterns`: a weight for each pattern of a line and each crossing of two."""
    opponent: str = "self"
    """`self`, the network as it is; `copy`, the network as it was at the beginning; or any player such as `heuristic`."""
    record: str | None = None
    """A file of games to learn from instead, one transcript a line; no game is played then."""
    start: str | None = None
    """A player file, or the folder of a run, to go on from instead of fresh weights; of a board of any size."""
    games: int = 64
    """Games per round."""
    openings: int = 6
    """Games begin with 0 to so many random plies, all lengths alike."""
    rate: float = 0.02
    """How far one lesson moves the weights (the paper's alpha)."""
    reward: float = 0.001
    """chains: the small error of moves that were right."""
    attack: float = 1.0
    """chains: weight of the own viewpoint."""
    defence: float = 0.5
    """chains: weight of the opponent's viewpoint."""
    first_weights: float = 2.0
    """chains: weights begin at random between 0 and this."""
    crossings: int = 2
    """chains: how many chains cross the line of the third pattern; 2 are the paper's 14 inputs, 3 as many as fit."""
    temperature: float = 0.5
    """patterns: how far games in training stray from the best move."""
    positions: float = 0.3
    """patterns: the share of a game's positions that are learned from."""
    candidates: int = 8
    """patterns: moves that are compared in a position."""
    playouts: int = 12
    """patterns: times that the network plays on from each of them."""
    trust: float = 3.0
    """patterns: how far one comparison changes its mind; e to this power is the ratio of a sure win to a draw."""
    nodes: int = 200
    """patterns: positions that a threat search may visit in games in training; 0: they do without."""
    average: float = 0.1
    """patterns: the player's weights go this part of the way to the learner's in a round, which evens out chance."""

    def __post_init__(self) -> None:
        check_least(self, games=1, candidates=2, playouts=1, nodes=0, openings=0, crossings=1)
        check_positive(self, "rate", "temperature", "trust", "positions", "average")
        check_shares(self, "positions", "average")


FREISLEBEN = ComparisonConfig("chains", "heuristic", games=1, openings=0, rate=3.0, reward=1e-4)
"""The paper gives no number for its learning rate nor for its small reward: table 6 of its report has what was tried."""
