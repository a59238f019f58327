"""Games of a network against itself, and what they teach."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.chance import drawn_by, drawn_from
from randori.core.game import ONGOING, WIN, Game, States
from randori.core.player import Choice, Player
from randori.errors import UserError
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.alphazero.remembering import Remembering
from randori.networks import NEITHER, Network, NetworkEvaluator
from randori.players import player
from randori.search.forest import Searched
from randori.search.guided import GuidedSearch
from randori.search.informed import informed
from randori.search.solver import Solver
from randori.search.threats import find_wins


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


class _Ply(NamedTuple):
    """What happened at one ply in the games that reached it."""

    games: NDArray[np.intp]
    states: States
    policies: NDArray[np.float64]
    values: NDArray[np.float64]  # what search thinks; nan where only the result of the game counts


def play_self(game: Game, network: Network, config: AlphaZeroConfig, n_games: int, opening: int, seed: int) -> Lessons:
    """Plays games that begin with so many random plies, all in step."""
    rng = np.random.default_rng(seed)
    solver = Solver(game)  # one for all plies: what it remembers of one helps with the next
    partner = int(rng.integers(0, 2)) if config.sparring and rng.random() < config.sparring else NEITHER
    search = _search(network, solver, config, n_games, partner)
    movers: list[GuidedSearch | Player] = [search, search]
    if partner != NEITHER:
        movers[partner] = _Guessing(game, network) if config.partner is None else player(config.partner, game)
    states = game.start(n_games)
    going, plies, results = np.arange(n_games), list[_Ply](), np.zeros(n_games)
    number = 0
    while len(going):
        if number < opening:
            actions = game.pick(states, rng.random(len(states)))
        else:
            actions, policies, values = _think(movers[number % 2], solver, config, states, rng)
            plies.append(_Ply(going, states, policies, values))
        states = game.play(states, actions)
        number += 1
        outcomes = game.outcome(states)
        over = outcomes != ONGOING
        # Seen by the side that began: it is to move after an even number of plies.
        results[going[over]] = outcomes[over] * (1 if number % 2 == 0 else -1)
        going, states = going[~over], states[~over]
    return _lessons(plies, results, opening, partner, config.search_values)


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
    evaluator = Remembering(knowing, n_games * (config.simulations + 1))  # as many as one ply asks for
    if config.search == "gumbel":
        return GuidedSearch(
            game, evaluator, config.simulations, "gumbel", noise=config.noise, considered=config.considered
        )
    plies = config.temperature_plies
    return GuidedSearch(
        game, evaluator, config.simulations, "puct", noise=config.noise, temperature=1.0, temperature_plies=plies
    )


def _think(
    mover: GuidedSearch | Player, solver: Solver, config: AlphaZeroConfig, states: States, rng: np.random.Generator
) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]:
    """Actions, policies to learn, and values to learn (nan: the result of the game).

    What is known for certain a sparring partner knows as well; what else it does is learned as what to expect of it.
    """
    game, n = solver.game, len(states)
    actions, policies, values = np.empty(n, np.int16), np.zeros((n, game.n_actions)), np.full(n, np.nan)
    ending = game.moves_left(states) <= config.exact
    if ending.any():
        keeping = solver.keeping(states[ending])
        # Both sides keep the exact value from here on, so that the result of the game is the exact one.
        actions[ending], policies[ending] = drawn_from(keeping, rng), keeping / keeping.sum(axis=1, keepdims=True)
    wins = find_wins(game, states, config.threats)
    forced = (wins >= 0) & ~ending
    actions[forced], policies[forced, wins[forced]], values[forced] = wins[forced], 1.0, WIN
    unknown = np.flatnonzero(~ending & ~forced)
    if len(unknown) and isinstance(mover, GuidedSearch):
        found = mover.search(states[unknown], rng)
        actions[unknown] = mover.drawn(states[unknown], found, rng)
        policies[unknown], values[unknown] = found.policy, _root_values(found)
    elif len(unknown):
        chosen = mover.choose(states[unknown], rng)
        if chosen.forfeits:
            raise UserError(f"The sparring partner '{mover.name}' cannot go on. {chosen.forfeits[0].reason}")
        actions[unknown] = chosen.actions
        one = np.arange(game.n_actions) == chosen.actions[:, None]
        policies[unknown] = one if chosen.policy is None else chosen.policy
    return actions, policies, values


def _root_values(found: Searched) -> NDArray[np.float64]:
    """`[B]`: the mean of all simulations."""
    return np.asarray((found.visits * found.values).sum(axis=1) / found.visits.sum(axis=1))


def _lessons(
    plies: list[_Ply], results: NDArray[np.float64], opening: int, partner: int, search_share: float
) -> Lessons:
    parts = []
    for number, ply in enumerate(plies, start=opening):
        result = results[ply.games] * (1 if number % 2 == 0 else -1)
        mixed = (1 - search_share) * result + search_share * ply.values
        values = np.where(np.isnan(ply.values), result, mixed)
        roles = np.full(len(ply.states), 0 if partner == NEITHER else -1 if partner == number % 2 else 1, np.int8)
        parts.append(Lessons(ply.states, ply.policies.astype(np.float16), values.astype(np.float32), roles))
    return concatenate(parts)
