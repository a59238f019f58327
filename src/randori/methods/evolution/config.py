"""Settings of the learner `evolution`."""

from dataclasses import dataclass, replace
from typing import Literal

from randori.errors import UserError
from randori.methods.checks import check_least, check_positive, check_shares


@dataclass(frozen=True)
class EvolutionConfig:
    """Evolves networks over features that judge positions (Handa and Horiuchi 2002)."""

    strategy: Literal["one-fifth", "self-adaptive", "cma"] = "one-fifth"
    """What sets the steps: the 1/5 rule, the individuals themselves, or CMA-ES, whose networks keep all links."""
    seats: Literal["apart", "together"] = "apart"
    """Two populations, one for each seat, or one network that plays both."""
    features: tuple[str, ...] = ("paper",)
    """What networks see: names of features, or the sets `paper`, `default` and `all`."""
    descendants: int = 9
    """How many descendants compete with the parent in each generation (lambda)."""
    hidden: int = 8
    """Hidden units at the start."""
    max_hidden: int = 0
    """The most hidden units that births may add up to; 0 for as many as at the start."""
    mutation: float = 0.2
    """The chance that a weight changes by a Gaussian step."""
    variance: float = 0.05
    """The variance of the first steps."""
    pruning: float = 0.005
    """The chance that a link is cut."""
    regrowth: float = 0.0
    """The chance that a cut link of a living unit grows again; 0: a cut link stays cut."""
    births: float = 0.0
    """The chance that a descendant gets one more hidden unit."""
    proposals: float = 0.0
    """The chance that a descendant sees one more feature made by mutation: a region, a shape or a product of two."""
    max_proposals: int = 8
    """The most such features in a network; a further one replaces another."""
    keep_parent: bool = False
    """Keep the parent if its best descendant is only as good: steadier, but it drifts no further."""
    keep_fitness: bool = False
    """Keep the fitness by which the parent was chosen, instead of judging it again in each generation."""
    first_weights: float = 0.5
    """Standard deviation of the first weights."""
    opponent: str = "standard"
    """The player to learn from, as a spec; `standard` is `perfect` in Tic-Tac-Toe and `heuristic` elsewhere."""
    standard_games: int = 9
    """Games of each individual against this opponent per generation."""
    elite_games: int = 1
    """Games of each individual against the best of the other population per generation."""
    openings: tuple[int, int] = (0, 0)
    """The fewest and the most random plies at the start of a game; each game draws its number."""
    same_openings: bool = False
    """Give all individuals of a generation the same openings, which makes them easier to compare."""
    scale: float = 1.0
    """A margin in discs is worth 1 / (1 + exp(-margin / scale))."""
    depth: int = 1
    """Plies that individuals look ahead."""
    exact: int = 0
    """Individuals play exactly with this many empty squares or fewer, on a board that fills."""
    final_depth: int = 0
    """Plies that the finished player looks ahead, if more than `depth`."""
    final_exact: int = 0
    """The finished player plays exactly with this many empty squares or fewer, if more than `exact`."""

    def __post_init__(self) -> None:
        check_shares(self, "mutation", "pruning", "regrowth", "births", "proposals")
        check_least(
            self, descendants=1, hidden=1, max_hidden=0, standard_games=0, elite_games=0, depth=1, exact=0, final_depth=0,
            final_exact=0, max_proposals=1,
        )  # fmt: skip
        check_positive(self, "variance", "first_weights", "scale")
        if not self.features:
            raise UserError("Name at least one feature, or the set 'default'.")
        if self.strategy == "cma" and (self.regrowth or self.births or self.proposals):
            raise UserError("CMA-ES neither cuts links nor grows them: set regrowth, births and proposals to 0.")
        if not 0 <= self.openings[0] <= self.openings[1]:
            raise UserError(
                f"'openings' must be the fewest and the most random plies, such as 0 4, not {self.openings}."
            )
        if self.standard_games + self.elite_games < 1:
            raise UserError(
                "Each individual needs at least one game per generation: raise standard_games or elite_games."
            )


PAPER = EvolutionConfig()
"""What the paper says about Tic-Tac-Toe. It gives no number of hidden units, no first weights and no scale."""

PAPER_REVERSI = replace(PAPER, descendants=19, openings=(4, 4))
"""What it says about 6x6 Reversi. It does not say what made its games vary; here random plies do."""

BEYOND = EvolutionConfig(
    strategy="cma",
    seats="together",
    features=("default",),
    descendants=23,
    hidden=1,
    pruning=0.0,
    standard_games=100,
    elite_games=0,
    openings=(4, 10),
    same_openings=True,
    scale=8.0,
    exact=6,
)
"""One hidden unit: with as many games, networks with more of them were weaker."""

OTHELLO = replace(BEYOND, final_depth=4, final_exact=14)

GROWING = replace(
    BEYOND, strategy="one-fifth", max_hidden=8, pruning=PAPER.pruning, births=0.1, regrowth=0.02, keep_parent=True
)

TICTACTOE = replace(
    PAPER,
    keep_parent=True,
    features=("default",),
    standard_games=100,
    elite_games=0,
    openings=(0, 5),
    same_openings=True,
)
