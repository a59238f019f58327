"""Stores the outcome of every position of an early ply: `python -m randori.experiments.make_outcomes GAME`.

One process, one large table of positions: neighbours in the order of the file have most of their continuations in common.
Every few seconds the outcomes so far are kept, and the same command continues where it stopped.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from randori import games
from randori.core.game import Game
from randori.core.knowledge import KnownOutcomes
from randori.errors import UserError
from randori.search.first_plies import moves_to, read_outcomes, write_outcomes
from randori.search.solver import Solver

_PAUSE = 30.0  # seconds between two times that outcomes are kept


def make_outcomes(game: Game, wanted: KnownOutcomes, megabytes: int, pause: float = _PAUSE) -> None:
    """Continues the file, or begins it."""
    path, (_, states) = wanted.file, moves_to(game, wanted.ply)
    outcomes = [int(it) for it in read_outcomes(path, game, states)] if path.exists() else []
    solver, kept, already = Solver(game, megabytes), perf_counter(), len(outcomes)
    while len(outcomes) < len(states):
        outcomes.append(solver.searched_outcome(states[[len(outcomes)]]))
        if perf_counter() - kept > pause or len(outcomes) == len(states):
            write_outcomes(path, states, np.array(outcomes, np.int8))
            kept = perf_counter()
            each = 1000 * process_time() / (len(outcomes) - already)
            print(f"{len(outcomes):,} of {len(states):,}, {each:.0f} ms of CPU time each", flush=True)


def main(arguments: list[str]) -> None:
    """Makes or completes the outcomes of a game."""
    parser = argparse.ArgumentParser(prog="make_outcomes")
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--ply", metavar="N", type=int, help="with --out: solve all positions after N plies")
    parser.add_argument("--memory", metavar="MB", type=int, default=4096, help="of the table of positions, at most")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="with --ply: instead of the file that comes with the game"
    )
    chosen = parser.parse_args(arguments)
    game = games.game(chosen.game)
    wanted = game.knowledge.outcomes
    if chosen.ply is not None and chosen.out is not None:
        wanted = KnownOutcomes(chosen.ply, chosen.out)
    if wanted is None:
        raise UserError(f"{game.title} has no file for outcomes; name one with --ply N --out FILE.")
    make_outcomes(game, wanted, chosen.memory)


if __name__ == "__main__":
    main(sys.argv[1:])
