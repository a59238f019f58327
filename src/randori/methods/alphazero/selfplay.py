"""Games of a network against itself, and what they teach."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.arena.openings import random_openings
from randori.arena.play import play_games
from randori.core.chance import drawn_by
from randori.core.game import Actions, Bools, Game, States
from randori.core.player import Choice, Player, PlayerFailed
from randori.core.positions import longest_opening
from randori.core.record import Games
from randori.core.replay import final_states
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
    """A row for each position: its policy, its value and the course of its game, for the side to move."""

    states: States  # [N, words]
    policies: NDArray[np.float16]  # [N, A]  zeros where the search was too quick to teach one
    values: NDArray[np.float32]  # [N]  in -1 .. 1
    roles: NDArray[np.int8]  # [N]  1 where the other side is a sparring partner, -1 where the side to move is, else 0
    owners: NDArray[np.int8]  # [N, squares]  of the last position: 1 own, -1 the other's, 0 nobody's
    replies: NDArray[np.int16]  # [N]  what the other side did next; -1 where the game was over
    margins: NDArray[np.float32]  # [N]  the final margin by the number of squares


def without_outcomes(
    game: Game,
    states: States,
    policies: NDArray[np.float16],
    values: NDArray[np.float32],
    roles: NDArray[np.int8] | None = None,
) -> Lessons:
    """Lessons of which no more is known, as runs kept them before there was more."""
    n = len(states)
    owners, replies = np.zeros((n, game.n_squares), np.int8), np.full(n, -1, np.int16)
    roles = np.zeros(n, np.int8) if roles is None else roles
    return Lessons(states, policies, values, roles, owners, replies, np.zeros(n, np.float32))


def concatenate(parts: list[Lessons]) -> Lessons:
    return Lessons(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def taken(lessons: Lessons, places: NDArray[np.int64]) -> Lessons:
    columns: list[Any] = [column[places] for column in lessons]
    return Lessons(*columns)


def play_self(game: Game, network: Network, config: AlphaZeroConfig, n_games: int, opening: int, seed: int) -> Lessons:
    """Plays games in lockstep, each beginning with a number of random plies."""
    rng = np.random.default_rng(seed)
    solver = Solver(game)  # one for all plies: what it remembers of one helps with the next
    partner = int(rng.integers(0, 2)) if config.sparring and rng.random() < config.sparring else NEITHER
    quick = drawn_quick(game, config.quick, rng)
    search = _search(network, solver, config, n_games, partner)
    mover = _Capped(search, replace(search, simulations=config.quick_simulations), quick) if quick.any() else search
    movers: list[Player] = [mover, mover]
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
    return lessons_of(games, quick, partner, config.search_values)


def _cannot_go_on(partner: str, reason: str) -> UserError:
    return UserError(f"The sparring partner '{partner}' cannot go on. {reason}")


def drawn_quick(game: Game, share: float, rng: np.random.Generator) -> Bools:
    """`[T]`: the plies at which all games of a batch are searched quickly (playout cap randomisation, Wu 2020,
    arXiv:1902.10565, section 3.1): more games for the values, and full searches for the policies."""
    return rng.random(game.max_plies) < share if share else np.zeros(game.max_plies, np.bool_)


@dataclass(frozen=True)
class _Capped:
    """A search, and a quicker one at some plies."""

    full: Player
    fast: Player
    quick: Bools  # [T]
    name: ClassVar[str] = "capped"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return self.full.choose(states, rng)

    def choose_after(self, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
        return (self.fast if self.quick[actions.shape[1]] else self.full).choose(states, rng)


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
    evaluator = NetworkEvaluator(game, network, partner)
    knowing = informed(evaluator, game, solver, config.exact_search, config.threats, winning_moves=config.winning_moves)
    remembering = Remembering(game, knowing, n_games * (config.simulations + 1))  # as many as one ply asks for
    if config.search == "gumbel":
        return GuidedSearch(
            game, remembering, config.simulations, "gumbel", noise=config.noise, considered=config.considered
        )
    plies = config.temperature_plies
    return GuidedSearch(
        game, remembering, config.simulations, "puct", noise=config.noise, temperature=1.0, temperature_plies=plies
    )


def lessons_of(games: Games, quick: Bools, partner: int, search_share: float) -> Lessons:
    """What each choice teaches: its policy, the result of the game mixed with what the search thought of it, and what came
    of it. At plies that are `quick`, `[T]`, no policy of a search is learned, only what needed none.
    """
    assert games.thoughts is not None
    game, lengths = games.game, games.lengths
    last = game.cells(final_states(game, games.actions)).reshape(len(games), -1)
    parts = []
    for ply in games.replay():
        if ply.number < games.opening_plies:
            continue
        rows = ply.games
        policies, thought = games.thoughts.policies[rows, ply.number], games.thoughts.values[rows, ply.number]
        is_known = np.isnan(thought)
        if quick[ply.number]:
            policies = np.where(is_known[:, None], policies, 0.0)
        # Outcomes are for the side that began, which moves at even plies; the last position is seen by who would move there.
        side = 1 if ply.number % 2 == 0 else -1
        view = np.where((lengths[rows] - ply.number) % 2 == 0, 1, -1)
        result = games.outcomes[rows] * float(side)
        values = np.where(is_known, result, (1 - search_share) * result + search_share * thought)
        role = 0 if partner == NEITHER else -1 if partner == ply.number % 2 else 1
        after = (
            games.actions[rows, ply.number + 1] if ply.number + 1 < games.actions.shape[1] else np.full(len(rows), -1)
        )
        parts.append(
            Lessons(
                ply.states,
                policies.astype(np.float16),
                values.astype(np.float32),
                np.full(len(rows), role, np.int8),
                (last[rows] * view[:, None]).astype(np.int8),
                after.astype(np.int16),
                (games.margins[rows] * side / game.n_squares).astype(np.float32),
            )
        )
    return concatenate(parts)
