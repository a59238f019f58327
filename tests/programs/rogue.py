"""An engine that does something bad: `rogue.py PROTOCOL WHEN WHAT TAG`.

WHEN is `start` for at once, `move` for the second time it is asked for a move, `always` for what goes on beside proper
play. TAG is on the command line of whatever it starts.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

PROTOCOL, WHEN, WHAT, TAG = sys.argv[1:]
ASKS_FOR_A_MOVE = {"gtp": ("genmove",), "nboard": ("go",), "gomocup": ("BEGIN", "DONE", "TURN")}[PROTOCOL]


def is_silent() -> None:
    while True:
        time.sleep(600)


def dies() -> None:
    sys.exit("the data file is missing")


def prints_one_endless_line() -> None:
    while True:
        os.write(1, b"x" * 65536)


def prints_endless_lines() -> None:
    while True:
        os.write(1, b"noise\n" * 10000)


def answers_without_end() -> None:
    os.write(1, b"= \n")
    prints_endless_lines()


def floods_stderr() -> None:
    while True:
        os.write(2, b"oh no! " * 10000)


def prints_garbage() -> None:
    for line in sys.stdin:
        os.write(1, os.urandom(200).replace(b"\n", b"") + line.encode() + b"\n\n")


def closes_its_output() -> None:
    os.close(1)
    is_silent()


def plays_illegally() -> None:
    illegal = {"gtp": "= a99\n", "nboard": "=== Z9", "gomocup": "99,99"}[PROTOCOL]
    print(illegal, flush=True)


def clings() -> None:
    """Nothing but a kill ends it, and the child that it leaves holds all the pipes, too."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", TAG])


def play(misbehave: Callable[[], None]) -> None:
    import numpy as np

    import randori
    from randori.core.game import Game, States
    from randori.engines import GomocupEngine, GtpEngine, Inbox, NboardEngine
    from randori.players import Choice

    class Lowest:
        name = "lowest"

        def __init__(self, game: Game) -> None:
            self._game = game

        def choose(self, states: States, rng: np.random.Generator) -> Choice:
            return Choice(self._game.legal(states).argmax(axis=1).astype(np.int16))

    make: Any = {"gtp": GtpEngine, "nboard": NboardEngine, "gomocup": GomocupEngine}[PROTOCOL]
    engine = make(randori.game("gomoku9" if PROTOCOL == "gomocup" else "othello4"), Lowest, Inbox(), 0)
    n_moves = 0
    for line in sys.stdin:
        if line.split()[:1] and line.split()[0] in ASKS_FOR_A_MOVE:
            n_moves += 1
            if n_moves == 2 and WHEN == "move":
                misbehave()
                continue
        for text in engine.answer(line.strip()):
            print(text, flush=True)
        if engine.over and WHAT != "clings":
            return
    if WHAT == "clings":
        is_silent()


if __name__ == "__main__":
    act: Callable[[], None] = globals()[WHAT]
    if WHEN != "move":
        act()
    play(act)
