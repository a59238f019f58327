"""A player whose tree search is guided by a network."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from randori.core.evaluation import Evaluation
from randori.core.game import Game, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.networks import NEITHER, Network, NetworkEvaluator, board_tells_sides, sides_to_move
from randori.networks.architecture import check_fits, from_settings, to_settings
from randori.players.files import Contents
from randori.search.guided import GuidedSearch
from randori.search.informed import informed
from randori.search.solver import Solver, check_exact
from randori.search.threats import check_threats
from randori.search.wrappers import ExactEndings, ForcedWins, put_together

# A single game waits for its batch; eight leaves at a time make one that the network likes.
_LEAVES = 8


def check_sparring(game: Game, sparring: bool) -> None:
    """Raises UserError if a network cannot see which side is a partner."""
    if sparring and not board_tells_sides(game):
        raise UserError(
            f"{game.title} has no sparring partners: where sides may pass or pieces leave their squares, the board does not "
            "tell who is to move."
        )


@dataclass(frozen=True, eq=False)
class AlphaZero:
    """Plays what a search of so many `simulations` finds best.

    Where at most `exact` squares are empty it makes no mistake, and its search knows how positions with so few end. In a
    game of stones in a row it plays wins that a threat search of so many nodes, `threats`, finds, and its search knows
    of them. With `sparring` it takes the other side for the sparring partner its network learned with. With `seconds` for a
    position the time decides how many simulations there are. With `winning_moves` its search knows where a single move wins.
    """

    game: Game
    network: Network
    simulations: int = 100
    search: str = "gumbel"
    exact: int = 0
    threats: int = 0
    sparring: bool = False
    seconds: float | None = None
    winning_moves: bool = True
    name: str = "alphazero"
    kind: ClassVar[str] = "alphazero"
    chances: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_exact(self.game, self.exact)
        check_threats(self.game, self.threats)
        check_sparring(self.game, self.sparring)
        # Refuses what no search can be asked for.
        evaluator = NetworkEvaluator(self.game, self.network)
        GuidedSearch(self.game, evaluator, self.simulations, self.search, seconds=self.seconds)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return NetworkEvaluator(self.game, self.network)(states, rng)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        # One for each question, since it must not be asked by two threads at once; what it remembers serves all parts.
        solver = Solver(self.game) if self.exact else None
        thinking = ForcedWins(self.game, _Thinking(self, solver), self.threats)
        if self.seconds is None:
            return ExactEndings(self.game, thinking, self.exact, solver).choose(states, rng)
        half = 0.5 * self.seconds
        late = replace(self, exact=0, seconds=half)
        return ExactEndings(self.game, thinking, self.exact, solver, seconds=half, late=late).choose(states, rng)

    def contents(self) -> Contents:
        settings: dict[str, Any] = {
            "architecture": to_settings(self.network.architecture),
            "simulations": self.simulations,
            "search": self.search,
            "exact": self.exact,
        }
        if self.game.knowledge.forced_wins is not None:
            settings["threats"] = self.threats
        if self.sparring:
            settings["sparring"] = True
        if not self.winning_moves:
            settings["winning_moves"] = False
        return Contents(dict(self.network.tensors), settings)

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        simulations: int | None = None,
        search: str | None = None,
        exact: int | None = None,
        threats: int | None = None,
        sparring: bool = True,
        seconds: float | None = None,
        winning_moves: bool | None = None,
    ) -> Self:
        """Options that are not given are as in the file; `sparring` can be given up but not taken up, since most networks
        never had a partner."""
        tensors, settings = contents
        architecture = from_settings(settings["architecture"])
        check_fits(game, architecture)
        return cls(
            game,
            Network(architecture, tensors),
            contents.whole("simulations") if simulations is None else simulations,
            settings["search"] if search is None else search,
            contents.whole("exact") if exact is None else exact,
            # Players of other games say nothing of threats.
            contents.whole("threats", 0) if threats is None else threats,
            settings.get("sparring", False) is True and sparring,
            seconds,
            settings.get("winning_moves", True) is True if winning_moves is None else winning_moves,
        )


@dataclass(frozen=True)
class _Thinking:
    """The search, for positions of which nothing is known for certain."""

    player: AlphaZero
    solver: Solver | None
    name: ClassVar[str] = "thinking"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        game = self.player.game
        # One search has one partner.
        partners = 1 - sides_to_move(game, states) if self.player.sparring else np.full(len(states), NEITHER)
        parts = []
        for side in np.unique(partners):
            rows = np.flatnonzero(partners == side)
            parts.append((rows, self._search(len(rows), int(side)).choose(states[rows], rng)))
        return put_together(game, len(states), parts)

    def _search(self, n_states: int, partner: int) -> GuidedSearch:
        own = self.player
        leaves = _LEAVES if n_states < _LEAVES and own.search == "puct" else 1
        network = NetworkEvaluator(own.game, own.network, partner)
        evaluator = informed(network, own.game, self.solver, own.exact, own.threats, winning_moves=own.winning_moves)
        return GuidedSearch(own.game, evaluator, own.simulations, own.search, leaves=leaves, seconds=own.seconds)
