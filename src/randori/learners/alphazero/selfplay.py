"""Games of a network against itself, and what they teach."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.evaluate.endings import informed
from randori.evaluate.networks import Network, NetworkEvaluator
from randori.evaluate.remembering import Remembering
from randori.game import ONGOING, WIN, Bools, Game, States
from randori.learners.alphazero.config import AlphaZeroConfig
from randori.players.forest import Searched
from randori.players.lots import drawn_by, drawn_from
from randori.players.search import Search
from randori.solve import Solver, empty_squares
from randori.threats import find_wins


class Lessons(NamedTuple):
    """A row for each position: what to do there and what it is worth, for the side to move."""

    states: States  # [N, words]
    policies: NDArray[np.float16]  # [N, A]  all 0 where nobody searched: such a row adds nothing to a cross entropy
    values: NDArray[np.float32]  # [N]  in -1 .. 1


def concatenate(parts: list[Lessons]) -> Lessons:
    return Lessons(*(np.concatenate(column) for column in zip(*parts, strict=True)))


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
    search = _search(network, solver, config, n_games)
    resting = _resting_sides(n_games, config.handicaps, rng)
    states = game.start(n_games)
    going, plies, results = np.arange(n_games), list[_Ply](), np.zeros(n_games)
    number = 0
    while len(going):
        if number < opening:
            actions = game.pick(states, rng.random(len(states)))
        else:
            thinks = resting[going] != number % 2
            actions, policies, values = _think(search, solver, config, states, thinks, rng)
            plies.append(_Ply(going, states, policies, values))
        states = game.play(states, actions)
        number += 1
        outcomes = game.outcome(states)
        over = outcomes != ONGOING
        # Seen by the side that began: it is to move after an even number of plies.
        results[going[over]] = outcomes[over] * (1 if number % 2 == 0 else -1)
        going, states = going[~over], states[~over]
    return _lessons(plies, results, opening, config.search_values)


def _resting_sides(n_games: int, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """`[n_games]`: the side that plays without search, 0 if it began, else 1; -1 where both search."""
    if share == 0:
        return np.full(n_games, -1)
    return np.where(rng.random(n_games) < share, rng.integers(0, 2, n_games), -1)


def _search(network: Network, solver: Solver, config: AlphaZeroConfig, n_games: int) -> Search:
    game = solver.game
    knowing = informed(NetworkEvaluator(game, network), game, solver, config.exact_search, config.threats)
    evaluator = Remembering(knowing, n_games * (config.simulations + 1))  # as many as one ply asks for
    if config.search == "gumbel":
        return Search(game, evaluator, config.simulations, "gumbel", noise=config.noise, considered=config.considered)
    plies = config.temperature_plies
    return Search(
        game, evaluator, config.simulations, "puct", noise=config.noise, temperature=1.0, temperature_plies=plies
    )


def _think(
    search: Search, solver: Solver, config: AlphaZeroConfig, states: States, thinks: Bools, rng: np.random.Generator
) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]:
    """Actions, policies to learn (all 0: none), and values to learn (nan: the result of the game).

    Where the side to move does not think, and nothing is known for certain, its moves are drawn by the network's policy.
    """
    game, n = solver.game, len(states)
    actions, policies, values = np.empty(n, np.int16), np.zeros((n, game.n_actions)), np.full(n, np.nan)
    ending = empty_squares(game, states) <= config.exact
    if ending.any():
        keeping = solver.keeping(states[ending])
        # Both sides keep the exact value from here on, so that the result of the game is the exact one.
        actions[ending], policies[ending] = drawn_from(keeping, rng), keeping / keeping.sum(axis=1, keepdims=True)
    wins = find_wins(game, states, config.threats)
    forced = (wins >= 0) & ~ending
    actions[forced], policies[forced, wins[forced]], values[forced] = wins[forced], 1.0, WIN
    guessing = np.flatnonzero(~ending & ~forced & ~thinks)
    if len(guessing):
        policy = search.evaluator(states[guessing], rng).policy
        assert policy is not None
        actions[guessing] = drawn_by(policy, rng)
    thinking = np.flatnonzero(~ending & ~forced & thinks)
    if len(thinking):
        found = search.search(states[thinking], rng)
        actions[thinking] = search.drawn(states[thinking], found, rng)
        policies[thinking], values[thinking] = found.policy, _root_values(found)
    return actions, policies, values


def _root_values(found: Searched) -> NDArray[np.float64]:
    """`[B]`: the mean of all simulations."""
    return np.asarray((found.visits * found.values).sum(axis=1) / found.visits.sum(axis=1))


def _lessons(plies: list[_Ply], results: NDArray[np.float64], opening: int, search_share: float) -> Lessons:
    parts = []
    for number, ply in enumerate(plies, start=opening):
        result = results[ply.games] * (1 if number % 2 == 0 else -1)
        mixed = (1 - search_share) * result + search_share * ply.values
        values = np.where(np.isnan(ply.values), result, mixed)
        parts.append(Lessons(ply.states, ply.policies.astype(np.float16), values.astype(np.float32)))
    return concatenate(parts)
