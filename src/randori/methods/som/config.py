"""Settings of the learner `som`: the paper's, and ours."""

from dataclasses import dataclass
from typing import Literal

from randori.errors import UserError
from randori.methods.checks import check_least, check_positive, check_shares
from randori.methods.som.atlas import SEVEN_STAGES, THREE_STAGES, Winner

Method = Literal["sparring", "td", "monte-carlo"]
MonteCarlo = Literal["divided-by-time", "split-equally"]
"""What a move gets of a game's rewards R: R/t for the agent's move t, or one share of R for each of its moves."""
Thresholds = Literal["zero", "statistical", "genetic"]


@dataclass(frozen=True)
class SomConfig:
    """Self-organizing maps remember positions, and games teach what each place on them is worth.

    Methods `td` and `monte-carlo` are those of Kamei and Kakizoe (2017): the learner begins every game, its opponent
    moves at random, and a position is worth as much as its one winning neuron. `sparring` is ours: the learner plays
    against itself, and all neurons close to the position count, each with a plane over the squares.
    """

    height: int = 20
    """Rows of neurons in each map."""
    width: int = 20
    """Columns of neurons in each map."""
    stages: tuple[int, ...] = SEVEN_STAGES
    """The last move of each map in a game of 60 moves; other games are divided in proportion."""
    by_side: bool = False
    """Two maps for each stage, one for each side to move: for games whose sides have different aims."""
    winner: Winner = "product"
    """Which neuron wins a position: the one with the greatest inner product, or the one at the least distance."""
    thresholds: Thresholds = "zero"
    """How to turn a neuron's weights back into a position, if the least distance wins."""
    data: tuple[int, ...] = (50_000,)
    """Positions to train a map with: one number for all maps, or one for each."""
    source: str = "random"
    """The player whose games against itself supply these positions."""
    source_chance: float = 0.0
    """The share of its moves made at random instead, so that no two games are the same."""
    rough: tuple[int, ...] = (40_000,)
    """Iterations of a map's first training, in which the radius shrinks from the whole map to 3."""
    fine: tuple[int, ...] = (400_000,)
    """Iterations of its second training, with the radius from 3 to 1."""
    map_training: Literal["online", "batch"] = "online"
    """One position at a time, as in the paper; or all at once in a few passes, which is ours and faster."""
    map_rounds: int = 10
    """Rounds at the start that train the maps; later rounds play."""
    maps: str | None = None
    """A run or a player file whose maps to use instead of training new ones."""
    method: Method = "sparring"
    """How values are learned, as described above."""
    monte_carlo: MonteCarlo = "divided-by-time"
    """What a move gets of a game's rewards R with `monte-carlo`: R/t, or an equal share of R."""
    games: int = 2000
    """Games per round."""
    rate: float = 0.1
    """The share of an error that is corrected (alpha)."""
    halving: int = 20_000
    """After this many games of sparring the rate is half of what it was; after three times as many, a quarter."""
    discount: float = 0.9998
    """The weight of the next position (gamma), with `td`."""
    trace_decay: float = 0.9
    """How far back an error reaches (lambda); not with `monte-carlo`."""
    exploring: float = 0.1
    """The share of moves made at random (epsilon)."""
    exact: int = 4
    """How many of the last moves are searched to the end."""
    temperature: float = 1.5
    """How many neurons count in sparring: one whose score is lower by this much counts e times less."""
    slopes: bool = True
    """Whether the planes of sparring lean; if not, a neuron has one value for all boards, as in the paper."""
    opening: int = 8
    """The most random moves at the start of a game of sparring."""

    def __post_init__(self) -> None:
        if min(self.height, self.width) < 1:
            raise UserError(
                f"A map needs at least one row and one column of neurons, not {self.height} x {self.width}."
            )
        if not self.stages or list(self.stages) != sorted(set(self.stages)) or self.stages[0] < 1:
            raise UserError(f"'stages' must be rising numbers of moves, such as 25 45 60, not {self.stages}.")
        for name in ("data", "rough", "fine"):
            numbers = getattr(self, name)
            if len(numbers) not in (1, len(self.stages)) or min(numbers) < 1:
                raise UserError(
                    f"'{name}' must be one number for all maps or one for each of {len(self.stages)}, not {numbers}."
                )
        if self.winner == "product" and self.thresholds != "zero":
            raise UserError("With 'winner product' there are no thresholds: leave 'thresholds' at 'zero'.")
        check_least(self, map_rounds=1, games=1, halving=1, opening=0, exact=0)
        check_shares(self, "rate", "discount", "trace_decay", "exploring", "source_chance")
        if self.exact > 12:
            raise UserError(f"'exact' must be at most 12 while it learns, not {self.exact}.")
        check_positive(self, "temperature")

    def each(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """One number for each stage."""
        return numbers * len(self.stages) if len(numbers) == 1 else numbers


PAPER = SomConfig(
    height=50,
    width=50,
    data=(1_900_000, 1_200_000, 1_000_000, 600_000, 600_000, 400_000, 350_000),
    rough=(9_500_000, 6_000_000, 5_000_000, 3_000_000, 3_000_000, 2_000_000, 1_750_000),
    fine=(95_000_000, 60_000_000, 50_000_000, 30_000_000, 30_000_000, 20_000_000, 17_500_000),
    map_rounds=20,
    method="td",
    games=10_000,
    rate=0.4,
    trace_decay=0.8,
)
"""Table 5 and section 7.3: seven maps, TD(lambda), the last four moves searched; a million games are 100 rounds."""

PAPER_THREE = SomConfig(
    height=50,
    width=50,
    stages=THREE_STAGES,
    data=(18_000, 14_000, 10_124),
    rough=(90_000, 70_000, 60_000),
    fine=(900_000, 700_000, 600_000),
    map_rounds=1,
    method="monte-carlo",
    games=10_000,
    rate=0.4,
    trace_decay=0.8,
    exact=0,
)
"""Table 1 and section 7.2: three maps, Monte Carlo, no search."""
