"""Times the solver on endings of Othello and writes docs/solver.md: `python -m randori.experiments.make_endings FILE`.

Random endings are those of `randori bench`; the others are numbers 40 to 44 of the test positions that the French Othello
Federation published, the common measure of programs that solve endings.
"""

import platform
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from llvmlite.binding import get_host_cpu_name

from randori import games
from randori.core.game import Game, States
from randori.search.effort import random_endings
from randori.search.solver import Solution, Solver

SEED = 0
SIZES = {12: 100, 14: 100, 16: 50, 18: 50, 20: 30}
"""How many random endings are solved for each number of empty squares."""
MEGABYTES = 256

_HEAD = """# How fast endings are solved

Value and all best moves of Othello endings, each from an empty table of at most {megabytes} MB, in CPU seconds on one core.
Written by `python -m randori.experiments.make_endings docs/solver.md` on {machine}.

## Random endings

Positions of random games, seed {seed}. A node is a position that the search looked at; the last five squares count as one.

| empty squares | positions | mean | median | slowest | nodes, mean |
|--:|--:|--:|--:|--:|--:|
"""

_KNOWN = """
## Known endings

Test positions of the French Othello Federation (FFO). All values are the published ones.

| | empty squares | value | best moves | nodes | seconds |
|:--|--:|--:|:--|--:|--:|
"""


class Ending(NamedTuple):
    """A published position, row by row from the top left, with X for black and O for white, and what it is worth."""

    board: str
    side: str
    margin: int


FFO = {
    40: Ending("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------", "X", 38),
    41: Ending("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O-", "X", 0),
    42: Ending("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO--", "X", 6),
    43: Ending("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX-", "O", -12),
    44: Ending("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX--", "O", -14),
}


def state_of(game: Game, ending: Ending) -> States:
    cells = [0 if it == "-" else 1 if it == ending.side else -1 for it in ending.board]
    return game.from_cells(np.array(cells, np.int8).reshape(1, *game.shape))


def solve(game: Game, state: States) -> tuple[Solution, float]:
    """The solution and the CPU seconds that it took."""
    began = time.process_time()
    solution = Solver(game, MEGABYTES).solve(state)
    return solution, time.process_time() - began


def _random_row(game: Game, empty: int, n: int) -> str:
    states = random_endings(game, n, empty, np.random.default_rng(SEED))
    solved = [solve(game, states[i : i + 1]) for i in range(len(states))]
    seconds = [it for _, it in solved]
    times = " | ".join(_duration(it) for it in (float(np.mean(seconds)), float(np.median(seconds)), max(seconds)))
    return f"| {empty} | {len(states)} | {times} | {np.mean([it.nodes for it, _ in solved]):,.0f} |\n"


def _known_row(game: Game, number: int) -> str:
    ending = FFO[number]
    solution, seconds = solve(game, state_of(game, ending))
    assert solution.value == ending.margin, f"FFO {number} is worth {ending.margin}, not {solution.value}"
    best = ", ".join(game.move_names[action] for action in sorted(solution.best))
    value = f"{ending.margin:+d}" if ending.margin else "0"
    return f"| FFO {number} | {ending.board.count('-')} | {value} | {best} | {solution.nodes:,} | {seconds:.1f} |\n"


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.1f} ms"


def main(path: Path) -> None:
    game = games.game("othello8")
    Solver(game)  # compiles before any clock runs
    machine = f"{platform.system()}, CPU {get_host_cpu_name()}, Python {platform.python_version()}"
    text = _HEAD.format(megabytes=MEGABYTES, machine=machine, seed=SEED)
    text += "".join(_random_row(game, empty, n) for empty, n in SIZES.items())
    text += _KNOWN + "".join(_known_row(game, number) for number in FFO)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
