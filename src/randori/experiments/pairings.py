"""Plays the games that a learner asks for."""

import numpy as np

from randori.arena import play_games
from randori.arena.openings import random_openings
from randori.core.game import Game
from randori.core.record import Games, concatenate
from randori.methods import Pairing
from randori.workers import Workers

GAMES_A_TASK = 64


def play_pairings(game: Game, pairings: list[Pairing], seed: int, round: int, workers: Workers) -> list[Games]:
    """The games of each pairing. Tasks and their seeds depend on the pairings alone, never on the workers."""
    tasks = []
    for place, pairing in enumerate(pairings):
        starts = range(0, pairing.n_games, GAMES_A_TASK)
        tasks += [(game, _part(pairing, start), seed, (round, place, start)) for start in starts]
    played = workers.map(_play, tasks)
    by_pairing: list[list[Games]] = [[] for _ in pairings]
    for task, games in zip(tasks, played, strict=True):
        by_pairing[task[3][1]].append(games)
    return [concatenate(parts) for parts in by_pairing]


def _part(pairing: Pairing, start: int) -> Pairing:
    end = min(start + GAMES_A_TASK, pairing.n_games)
    given = pairing.openings if isinstance(pairing.openings, int) else pairing.openings[start:end]
    return pairing._replace(n_games=end - start, openings=given)


def _play(game: Game, pairing: Pairing, seed: int, spawn_key: tuple[int, ...]) -> Games:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))
    openings = pairing.openings
    if isinstance(openings, int):
        openings = random_openings(game, pairing.n_games, openings, rng)
    return play_games(game, pairing.first, pairing.second, openings, rng)
