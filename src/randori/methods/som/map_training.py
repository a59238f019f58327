"""Training maps on the positions of games (section 3 and Tables 1 and 5 of the paper)."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import players
from randori.core.game import ONGOING, Game
from randori.core.player import Player
from randori.methods.som.atlas import Boards, Span, Weights, Winner, boards_of, n_moves
from randori.methods.som.kernels import maps
from randori.players.simple import Exploring

View = Literal["first", "mover"]
"""Whose stones are 1: those of the side that began, as in the paper, or of the side that has just moved."""

GAMES_AT_A_TIME = 10_000
# Of a stage's boards, so many times the games that would do if all reached it, and some more.
PATIENCE, GAMES_AT_LEAST = 2, 500


class Phase(NamedTuple):
    """One training: rates fall to 0, radii from the first to the last."""

    rate: float
    radius: float | None
    """None: the whole map."""
    last_radius: float


ROUGH, FINE = Phase(0.1, None, 3.0), Phase(0.01, 3.0, 1.0)


class Stage(NamedTuple):
    """The positions of a game that one map is for."""

    game: Game
    span: Span
    view: View

    def holds(self, moves: NDArray[np.int64], stones: NDArray[np.int64]) -> NDArray[np.bool_]:
        """`[B]`: whether positions are of this stage, by their numbers of moves and stones."""
        inside = (moves >= self.span.first) & (moves <= self.span.last)
        return inside if self.span.odd is None else inside & (stones % 2 == self.span.odd)

    @property
    def boards_a_game(self) -> int:
        """In games that reach its end."""
        n = self.span.last - self.span.first + 1
        return n if self.span.odd is None else max(1, n // 2)


class Source(NamedTuple):
    """The player whose games against itself give the boards. The paper's were played "between computer programs"."""

    player: str
    """A spec."""
    chance: float
    """The share of its moves that are drawn by lot instead."""

    def player_of(self, game: Game) -> Player:
        player = players.player(self.player, game)
        return Exploring(game, player, self.chance) if self.chance else player


BY_CHANCE = Source("random", 0.0)


class Data(NamedTuple):
    """Boards given by a seed: to send the boards themselves to a worker would take too long."""

    stage: Stage
    source: Source
    n: int
    seed: int

    def boards(self) -> Boards:
        return some_boards(self.stage, self.source, self.n, np.random.default_rng(self.seed))


class Map(NamedTuple):
    """One map."""

    weights: Weights
    """`[neurons, inputs]`"""
    shape: tuple[int, int]
    winner: Winner


class GameBoards(NamedTuple):
    """Boards of some games: from which game each comes, and after which move."""

    games: NDArray[np.int64]
    moves: NDArray[np.int64]
    boards: Boards


def some_boards(stage: Stage, source: Source, n: int, rng: np.random.Generator) -> Boards:
    """The first `n` boards of a stage, game after game; fewer of a stage that games hardly ever reach."""
    found: list[Boards] = []
    n_games = -(-n // stage.boards_a_game)
    missing, games_left = n, PATIENCE * n_games + GAMES_AT_LEAST
    while missing > 0 and games_left > 0:
        n_games = min(n_games, GAMES_AT_A_TIME, games_left)
        batch = GameBoards(*map(np.concatenate, zip(*boards_of_games(stage, source, n_games, rng), strict=True)))
        found.append(batch.boards[np.argsort(batch.games, kind="stable")][:missing])
        missing, games_left = missing - len(found[-1]), games_left - n_games
    return np.concatenate(found)


def boards_of_games(stage: Stage, source: Source, n_games: int, rng: np.random.Generator) -> Iterator[GameBoards]:
    """The boards of a stage in so many games, ply by ply."""
    game = stage.game
    player = source.player_of(game)
    before = game.shape[0] * game.shape[1] - n_moves(game)
    numbers, states, ply = np.arange(n_games), game.start(n_games), 0
    while len(states):
        boards = boards_of(game, states)
        stones = np.count_nonzero(boards, axis=1)
        moves = stones - before
        inside = stage.holds(moves, stones)
        # After an even number of plies the side that moved last is not the one that began.
        viewed = boards[inside] if stage.view == "mover" or ply % 2 == 1 else -boards[inside]
        yield GameBoards(numbers[inside], moves[inside], viewed)
        going_on = (game.outcome(states) == ONGOING) & (moves < stage.span.last)
        numbers, states = numbers[going_on], states[going_on]
        if len(states):
            states = game.play(states, player.choose(states, rng).actions)
        ply += 1


def first_weights(shape: tuple[int, int], n_inputs: int, rng: np.random.Generator) -> Weights:
    """Small random weights, `[neurons, inputs]`."""
    return rng.uniform(-0.1, 0.1, (shape[0] * shape[1], n_inputs)).astype(np.float32)


class Part(NamedTuple):
    """Some of the iterations of one phase."""

    phase: Phase
    done: int
    n: int
    total: int


def parts(rough: int, fine: int, round: int, n_rounds: int) -> list[Part]:
    """What one of `n_rounds` rounds does: its share of all iterations, of one phase or of both."""
    start, end = ((rough + fine) * number // n_rounds for number in (round, round + 1))
    cut = [(ROUGH, min(start, rough), min(end, rough), rough), (FINE, max(start - rough, 0), max(end - rough, 0), fine)]
    return [Part(phase, first, last - first, total) for phase, first, last, total in cut if last > first]


def train_online(trained: Map, data: Data, work: list[Part], seed: int) -> Weights:
    """The weights after some iterations; a task for a worker."""
    weights, shape, winner = trained
    boards = data.boards()
    if not len(boards):
        return weights
    blocks, biases = maps.lay_out(weights), maps.biases_of(weights, winner == "distance")
    stream = np.array([seed], np.uint64)
    for phase, done, n, total in work:
        radius = float(max(shape)) if phase.radius is None else min(phase.radius, float(max(shape)))
        last = min(phase.last_radius, radius)
        course = maps.Course(phase.rate, radius, last, done, n, total)
        maps.train(blocks, biases, winner == "distance", shape, boards, course, stream)
    return maps.read_out(blocks, len(weights))


def train_batch(trained: Map, data: Data, radii: NDArray[np.float64]) -> Weights:
    """Ours, not the paper's: each pass moves every neuron to the mean of all boards, weighted by the neighbourhood.

    One pass for each radius.
    """
    (weights, shape, winner), boards = trained, data.boards()
    height, width = shape
    if not len(boards):
        return weights
    for radius in radii:
        winners, tops = np.empty(len(boards), np.int64), np.empty(len(boards), np.float32)
        maps.find_winners(maps.lay_out(weights), maps.biases_of(weights, winner == "distance"), boards, winners, tops)
        counts = np.bincount(winners, minlength=len(weights))
        # Sums by winner: sorted, each winner's boards are one stretch.
        order = np.argsort(winners, kind="stable")
        starts = np.searchsorted(winners[order], np.flatnonzero(counts))
        sums = np.zeros(weights.shape)
        sums[counts > 0] = np.add.reduceat(boards[order].astype(np.float64), starts)
        down, across = (_gaussian(n, radius) for n in (height, width))
        spread = np.einsum("ij,kl,jlf->ikf", down, across, sums.reshape(height, width, -1), optimize=True)
        reached = down @ counts.reshape(height, width) @ across
        weights = (spread / np.maximum(reached, 1e-12)[..., None]).reshape(weights.shape).astype(np.float32)
    return weights


def _gaussian(n: int, radius: float) -> NDArray[np.float64]:
    distances = np.arange(n)[:, None] - np.arange(n)
    return np.asarray(np.exp(-np.square(distances) / (2.0 * radius**2)))
