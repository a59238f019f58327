"""Games of a network against itself, and what they teach."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.arena.openings import random_openings
from randori.arena.play import play_games
from randori.core.chance import drawn_by
from randori.core.game import Game, States
from randori.core.player import Choice, Player, PlayerFailed
from randori.core.positions import longest_opening
from randori.core.record import Games
from randori.errors import UserError
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.alphazero.remembering import Remembering
from randori.networks import NEITHER, Network, NetworkEvaluator
from randori.players import player
from randori.search.guided import GuidedSearch
from randori.search.informed import informed
from randori.search.solver import Solver
from randori.search.wrappers import ExactEndings, ForcedWins


class Lessons(NamedTuple):
    """A row for each position: what to do there and what it is worth, for the side to move."""

    states: States  # [N, words]
    policies: NDArray[np.float16]  # [N, A]
    values: NDArray[np.float32]  # [N]  in -1 .. 1
    roles: NDArray[np.int8]  # [N]  1 where the other side is a sparring partner, -1 where the side to move is, else 0


def concatenate(parts: list[Lessons]) -> Lessons:
    return Lessons(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def taken(lessons: Lessons, places: NDArray[np.int64]) -> Lessons:
    return Lessons(lessons.states[places], lessons.policies[places], lessons.values[places], lessons.roles[places])


def play_self(game: Game, network: Network, config: AlphaZeroConfig, n_games: int, opening: int, seed: int) -> Lessons:
    """Plays games that begin with so many random plies, all in step."""
    rng = np.random.default_rng(seed)
    solver = Solver(game)  # one for all plies: what it remembers of one helps with the next
    partner = int(rng.integers(0, 2)) if config.sparring and rng.random() < config.sparring else NEITHER
    search = _search(network, solver, config, n_games, partner)
    movers: list[Player] = [search, search]
    if partner != NEITHER:
        movers[partner] = _Guessing(game, network) if config.partner is None else player(config.partner, game)
    # What is known for certain a sparring partner knows as well. Both sides keep the exact value of an ending, so that the
    # result of the game is the exact one.
    first, second = (
        ExactEndings(game, ForcedWins(game, it, config.threats), config.exact, solver, keeping=True) for it in movers
    )
    openings = random_openings(game, n_games, min(opening, longest_opening(game)), rng)
    try:
        games = play_games(game, first, second, openings, rng, thoughts=True)
    except PlayerFailed as failure:
        raise _cannot_go_on(failure.player, str(failure)) from None
    if games.forfeits:
        raise _cannot_go_on(movers[partner].name, games.forfeits[0].reason)
    return _lessons(games, partner, config.search_values)


def _cannot_go_on(partner: str, reason: str) -> UserError:
    return UserError(f"The sparring partner '{partner}' cannot go on. {reason}")


@dataclass(frozen=True)
class _Guessing:
    """Draws its moves by the network's policy between equals, without a search."""

    game: Game
    network: Network
    name: ClassVar[str] = "guessing"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        policy = NetworkEvaluator(self.game, self.network)(states, rng).policy
        assert policy is not None
        return Choice(drawn_by(policy, rng), policy)


def _search(network: Network, solver: Solver, config: AlphaZeroConfig, n_games: int, partner: int) -> GuidedSearch:
    game = solver.game
    knowing = informed(NetworkEvaluator(game, network, partner), game, solver, config.exact_search, config.threats)
    evaluator = Remembering(game, knowing, n_games * (config.simulations + 1))  # as many as one ply asks for
    if config.search == "gumbel":
        return GuidedSearch(
            game, evaluator, config.simulations, "gumbel", noise=config.noise, considered=config.considered
        )
    plies = config.temperature_plies
    return GuidedSearch(
        game, evaluator, config.simulations, "puct", noise=config.noise, temperature=1.0, temperature_plies=plies
    )


def _lessons(games: Games, partner: int, search_share: float) -> Lessons:
    """What each choice teaches: its policy, and the result of the game mixed with what the search thought of it."""
    assert games.thoughts is not None
    parts = []
    for ply in games.replay():
        if ply.number < games.opening_plies:
            continue
        policies, thought = games.thoughts.policies[ply.games, ply.number], games.thoughts.values[ply.games, ply.number]
        # Outcomes are for the side that began, which moves at even plies.
        result = games.outcomes[ply.games] * (1.0 if ply.number % 2 == 0 else -1.0)
        values = np.where(np.isnan(thought), result, (1 - search_share) * result + search_share * thought)
        role = 0 if partner == NEITHER else -1 if partner == ply.number % 2 else 1
        roles = np.full(len(ply.states), role, np.int8)
        parts.append(Lessons(ply.states, policies.astype(np.float16), values.astype(np.float32), roles))
    return concatenate(parts)
