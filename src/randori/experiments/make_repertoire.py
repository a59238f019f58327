"""Makes the repertoire of a game: `python -m randori.experiments.make_repertoire GAME`.

One process, one large table of positions: what was found for one position answers most of the questions of the next. Every
few seconds the answers so far are kept, and the same command continues where it stopped.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from randori import games
from randori.core.game import Game
from randori.errors import UserError
from randori.search.repertoire import Answer, Ply, next_states, read_plies, write_repertoire
from randori.search.solver import Solver

_PAUSE = 5.0  # seconds between two times that answers are kept


def extend(game: Game, plies: list[Ply], n_plies: int, solver: Solver, keep: Callable[[], None]) -> None:
    """Answers the positions of the first plies that have no answer yet; calls `keep` after each."""
    while len(plies) < n_plies or not plies[-1].complete:
        if not plies or plies[-1].complete:
            plies.append(Ply(next_states(game, plies), []))
        states, answers = plies[-1]
        for row in range(len(answers), len(states)):
            answers.append(Answer(*solver.sure_action(states[row : row + 1])))
            keep()


def make_repertoire(game: Game, path: Path, n_plies: int, megabytes: int) -> None:
    """Continues the file, or begins it."""
    plies = read_plies(path, game) if path.exists() else []
    solver = Solver(game, megabytes)
    began = kept = perf_counter()

    def keep() -> None:
        nonlocal kept
        if perf_counter() - kept > _PAUSE or plies[-1].complete:
            write_repertoire(path, game, plies)
            kept = perf_counter()
            done, wanted = len(plies[-1].answers), len(plies[-1].states)
            print(f"ply {len(plies) - 1}: {done} of {wanted}, {solver.nodes:,} nodes, {kept - began:.0f} s", flush=True)

    extend(game, plies, n_plies, solver, keep)


def main(arguments: list[str]) -> None:
    """Makes or completes the repertoire of a game."""
    parser = argparse.ArgumentParser(prog="make_repertoire")
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--plies", metavar="N", type=int, default=10, help="answer positions of the first N plies")
    parser.add_argument("--memory", metavar="MB", type=int, default=2048, help="of the table of positions, at most")
    parser.add_argument("--out", metavar="FILE", type=Path, help="instead of the one that comes with the game")
    chosen = parser.parse_args(arguments)
    game = games.game(chosen.game)
    path = chosen.out or game.knowledge.repertoire
    if path is None:
        raise UserError(f"{game.title} has no file for a repertoire; --out names one.")
    make_repertoire(game, path, chosen.plies, chosen.memory)


if __name__ == "__main__":
    main(sys.argv[1:])
