"""Settings of the learner `evolution`."""

from dataclasses import dataclass, replace
from typing import Literal

from randori.errors import UserError
from randori.methods.checks import check_least, check_positive, check_shares


@dataclass(frozen=True)
class EvolutionConfig:
    """Evolves networks over features that judge positions (Handa and Horiuchi 2002)."""

    strategy: Literal["one-fifth", "self-adaptive", "cma"] = "one-fifth"
    """Where steps come from: the 1/5 rule, the individuals themselves, or CMA-ES, whose networks keep all links."""
    seats: Literal["apart", "together"] = "apart"
    """Whether first and second movers evolve apart, in two populations, or one network plays both."""
    features: tuple[str, ...] = ("paper",)
    """What networks see: names of features, or the sets `paper`, `default` and `all`."""
    descendants: int = 9
    """Lambda: how many compete with the parent in each generation."""
    hidden: int = 8
    """Hidden units at the beginning."""
    max_hidden: int = 0
    """Hidden units that births may lead to, where there are more than at the beginning."""
    mutation: float = 0.2
    """Chance of each weight to change by a Gaussian step."""
    variance: float = 0.05
    """Of the first steps."""
    pruning: float = 0.005
    """Chance of each link to be cut."""
    regrowth: float = 0.0
    """Chance of each cut link of a living unit to grow again; 0: a cut link stays cut."""
    births: float = 0.0
    """Chance of a descendant to get one more hidden unit."""
    proposals: float = 0.0
    """Chance of a descendant to see one more feature, which mutation makes: a region, a shape or a product of two."""
    max_proposals: int = 8
    """Such features that a network may have; a further one takes the place of another."""
    keep_parent: bool = False
    """Whether the parent stays where its best descendant is only as good: steadier, but it drifts no further."""
    keep_fitness: bool = False
    """Whether the parent keeps the fitness that it was chosen by, instead of being judged anew in each generation."""
    first_weights: float = 0.5
    """Standard deviation of the first weights."""
    opponent: str = "standard"
    """The program to learn from, as a player's spec; `standard`: perfect in Tic-Tac-Toe, else heuristic."""
    standard_games: int = 9
    """Games of each individual against it in a generation."""
    elite_games: int = 1
    """Games against the best of the other population."""
    openings: tuple[int, int] = (0, 0)
    """Random plies that games begin with, at least and at most; each game draws how many."""
    same_openings: bool = False
    """Whether all individuals of a generation have the same openings, which makes them easier to compare."""
    scale: float = 1.0
    """Margins, in discs, are worth 1 / (1 + exp(-margin / scale))."""
    depth: int = 1
    """Plies that individuals look ahead."""
    exact: int = 0
    """Empty squares from which on they play exactly, on a board that fills."""
    final_depth: int = 0
    """Plies that the finished player looks ahead, where these are more."""
    final_exact: int = 0
    """Empty squares from which on the finished player plays exactly, where these are more."""

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
            raise UserError(f"'openings' are the least and the most random plies, such as 0 4, not {self.openings}.")
        if self.standard_games + self.elite_games < 1:
            raise UserError("An individual needs at least one game in a generation to be judged by.")


PAPER = EvolutionConfig()
"""What the paper tells of Tic-Tac-Toe. It does not tell the number of hidden units, the first weights or the scale."""

PAPER_REVERSI = replace(PAPER, descendants=19, openings=(4, 4))
"""What it tells of 6x6 Reversi. Where the variety of its games came from it does not tell: here from random plies."""

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
"""One hidden unit: with as many games, networks with more of them came out weaker."""

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
