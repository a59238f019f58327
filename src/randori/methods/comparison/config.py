"""Settings of the learner `comparison`."""

from dataclasses import dataclass
from typing import Literal

from randori.methods.checks import check_least, check_positive, check_shares


@dataclass(frozen=True)
class ComparisonConfig:
    """Compares its own moves with better ones: the winner's (Freisleben 1995), or those that turn out to win more often."""

    network: Literal["chains", "patterns"] = "patterns"
    """`chains`: the paper's product units; `patterns`: a weight for each pattern of a line and each crossing of two."""
    opponent: str = "self"
    """`self`, the current network; `copy`, the network at the start; or any player, such as `heuristic`."""
    record: str | None = None
    """A file of games to learn from instead of playing, one transcript per line."""
    start: str | None = None
    """A player file, or the folder of a run, whose weights to start from; the board may be of any size."""
    games: int = 64
    """Games per round."""
    openings: int = 6
    """The most random plies at the start of a game; all numbers up to it are equally likely."""
    rate: float = 0.02
    """How far one lesson moves the weights (the paper's alpha)."""
    reward: float = 0.001
    """chains: the small error for moves that were right."""
    attack: float = 1.0
    """chains: weight of the player's own viewpoint."""
    defence: float = 0.5
    """chains: weight of the opponent's viewpoint."""
    first_weights: float = 2.0
    """chains: weights start at random between 0 and this."""
    crossings: int = 2
    """chains: how many chains cross the line of the third pattern; 2 give the paper's 14 inputs, 3 all that fit."""
    temperature: float = 0.5
    """patterns: how far training games stray from the best move."""
    positions: float = 0.3
    """patterns: the share of a game's positions to learn from."""
    candidates: int = 8
    """patterns: how many moves to compare in a position."""
    playouts: int = 12
    """patterns: how often the network plays on from each of these moves."""
    trust: float = 3.0
    """patterns: how far one comparison changes its opinion; e to this power is the ratio of a sure win to a draw."""
    nodes: int = 200
    """patterns: positions that a threat search may visit in training games; 0 for no threat search."""
    average: float = 0.1
    """patterns: how far the player's weights move towards the learner's in each round, which evens out noise."""

    def __post_init__(self) -> None:
        check_least(self, games=1, candidates=2, playouts=1, nodes=0, openings=0, crossings=1)
        check_positive(self, "rate", "temperature", "trust", "positions", "average")
        check_shares(self, "positions", "average")


FREISLEBEN = ComparisonConfig("chains", "heuristic", games=1, openings=0, rate=3.0, reward=1e-4)
"""The paper gives no number for its learning rate or its small reward; table 6 of the report shows what was tried."""
