"""How comparison training is set."""

from dataclasses import dataclass
from typing import Literal

from randori.errors import UserError


@dataclass(frozen=True)
class ComparisonConfig:
    """Learns from the moves of whoever wins, by comparing them with its own (Freisleben 1995, and beyond)."""

    network: Literal["chains", "patterns"] = "patterns"
    """`chains`: the paper's product units; `patterns`: a weight for each pattern of a line and each crossing of two."""
    opponent: str = "self"
    """`self`, or any player such as `heuristic`."""
    record: str = ""
    """A file of games to learn from instead, one transcript a line; no game is played then."""
    start: str = ""
    """A player file, or the folder of a run, to go on from instead of fresh weights."""
    games: int = 64
    """Games a round."""
    openings: int = 6
    """Games begin with 0 to so many random plies, all lengths alike."""
    rate: float = 0.003
    """How far one lesson moves the weights (the paper's alpha)."""
    reward: float = 0.001
    """chains: the small error of moves that were right."""
    attack: float = 1.0
    """chains: weight of the own viewpoint."""
    defence: float = 0.5
    """chains: weight of the opponent's viewpoint."""
    first_weights: float = 2.0
    """chains: weights begin at random between 0 and this."""
    decisive: float = 0.1
    """patterns: worth of a move that threat search proves; the player can search for these itself."""
    winner: float = 1.0
    """patterns: worth of the winner's other moves."""
    loser: float = 0.5
    """patterns: what the loser's other moves cost; as much as the winner's gain, and the weights run away."""
    nodes: int = 200
    """patterns: positions that each threat search of players and judge may visit."""
    temperature: float = 0.5
    """patterns: how far games in training stray from the best move."""
    memory: int = 1000
    """patterns: so many last games are kept to learn from."""
    lessons: int = 4
    """patterns: games out of the memory for each new one."""
    average: float = 0.05
    """patterns: the player's weights go this part of the way to the learner's in a round, which evens out chance."""

    def __post_init__(self) -> None:
        if self.games < 1 or self.memory < 1 or self.lessons < 1 or self.nodes < 1:
            raise UserError("The numbers of games, lessons and nodes and the memory must be 1 or more.")
        if self.openings < 0 or self.temperature < 0 or self.rate <= 0:
            raise UserError("The rate must be above 0; openings and temperature 0 or more.")


FREISLEBEN = ComparisonConfig("chains", "heuristic", games=1, openings=0, rate=3.0)
