"""Settings of the learner `ntuple`."""

from dataclasses import dataclass

from randori.core.game import Game
from randori.errors import UserError
from randori.methods.checks import check_least, check_positive, check_shares
from randori.search.limits import MEMORY_LIMIT, check_depth
from randori.search.solver import check_exact
from randori.search.threats import check_threats


@dataclass(frozen=True)
class NtupleConfig:
    """Learns tables of patterns from games against itself, by TD(lambda) on the values of searches."""

    games: int = 1000
    """Games per round, all with the same weights."""
    depth: int = 2
    """Plies to look ahead in these games."""
    exact: int = 8
    """Solve positions with this many empty squares or fewer; only in games that fill the board."""
    first_rounds: int = 300
    """Rounds at the start that look only one ply ahead: many quick games."""
    openings: int | None = None
    """The most random plies at the start of a game; if not given, a third of a game."""
    exploration: float = 0.05
    """The share of random moves after the opening."""
    trace_decay: float = 0.9
    """How much of a target comes from the next target instead of the search's own value (lambda)."""
    stages: int = 8
    """Sets of tables, each for one part of the game."""
    threats: int = 0
    """Nodes of a search for wins forced by threats, in each position to be learned; 0 for no such search."""
    rate: float = 1.0
    """The share of the error by which a position's value changes, as long as its weights' errors agree."""

    def __post_init__(self) -> None:
        check_least(self, games=1, depth=1, exact=0, first_rounds=0, openings=0, stages=1, threats=0)
        check_shares(self, "exploration", "trace_decay", "rate")
        check_positive(self, "rate")

    def check_suits(self, game: Game) -> None:
        """Raises UserError for what a game has no room for, before memory is taken."""
        check_depth(game, self.depth)
        check_threats(game, self.threats)
        if game.fills:
            check_exact(game, self.exact)
        if self.stages > game.n_squares + 1:
            raise UserError(f"'stages' must be at most {game.n_squares + 1} in {game.title}, not {self.stages}.")
        if self.openings is not None and self.openings >= game.max_plies:
            raise UserError(f"'openings' must be at most {game.max_plies - 1} in {game.title}, not {self.openings}.")
        most = MEMORY_LIMIT // (2 * 8 * (game.words + 1) * (game.max_plies + 1))
        if self.games > most:
            raise UserError(
                f"'games' must be at most {most:,} per round in {game.title}, for lack of memory, not {self.games:,}."
            )


CONNECT4 = NtupleConfig(first_rounds=0, openings=12, exploration=0.1, stages=6)
"""Two plies from the start, since what is threatened decides; and more random moves, since games are short."""

ROWS = NtupleConfig(
    games=500, depth=1, exact=0, first_rounds=0, openings=24, exploration=0.3, trace_decay=0.95, stages=1, rate=0.003
)
"""Small steps and many random moves: threats decide, and few positions of good games show them."""
