"""Openings: the first plies, by chance or from a book, so that players without chance do not replay one game."""

import numpy as np

from randori.core.game import ONGOING, Actions, Game
from randori.errors import UserError


def random_openings(game: Game, n: int, plies: int, rng: np.random.Generator) -> Actions:
    """`[n, plies]` random legal actions after which no game is over."""
    openings = np.empty((n, plies), np.int16)
    missing = np.arange(n)
    for _ in range(1000):
        states = game.start(len(missing))
        played = np.empty((len(missing), plies), np.int16)
        going = np.ones(len(missing), np.bool_)
        for ply in range(plies):
            actions = game.pick(states, rng.random(len(states)))
            going &= actions >= 0
            played[going, ply] = actions[going]
            states[going] = game.play(states[going], actions[going])
        going &= game.outcome(states) == ONGOING
        openings[missing[going]] = played[going]
        missing = missing[~going]
        if not len(missing):
            return openings
    raise UserError(f"Too few games of {game.title} last longer than {plies} plies; choose shorter openings.")


def drawn_openings(book: Actions, begin: int, n: int, seed: int, spawn_key: tuple[int, ...]) -> Actions:
    """`[n, plies]` openings from a book: those from `begin` on, in an endless random order.

    Each line comes once before any comes twice. The order depends on the seed and key alone, so that tasks which play
    different stretches of it share out the book among themselves.
    """
    times = range(begin // len(book), -(-(begin + n) // len(book)))  # through the book
    shuffled = [np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*spawn_key, it))) for it in times]
    order = np.concatenate([np.empty(0, np.intp), *(rng.permutation(len(book)) for rng in shuffled)])
    return book[order[begin % len(book) :][:n]]
