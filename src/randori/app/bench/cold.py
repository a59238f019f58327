"""What a first reply costs: a new process with an empty cache loads a player of the zoo and makes one move."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import randori
from randori.app.bench.benchmark import Reading
from randori.players.files import ZOO, read_card

# The kernel's other count, `ru_maxrss`, begins with the memory of the process that started this one.
_FIRST_REPLY = """
import re, sys, time
import numpy as np
import randori
game = randori.game(sys.argv[1])
randori.player(sys.argv[2], game).choose(game.start(1), np.random.default_rng(0))
print(time.process_time(), int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""


class _Reply(NamedTuple):
    cpu_seconds: float
    megabytes: float
    """At most, of resident memory."""


def benchmarks() -> Iterator[Reading]:
    """CPU seconds with the imports and whatever has to be compiled; memory once everything is compiled."""
    if not Path("/proc/self/status").exists():
        return
    for path in sorted(ZOO.glob("*.safetensors")):
        game, spec = read_card(path).game, f"zoo/{path.stem}"
        yield Reading(f"cold/{path.stem}", "CPU s", partial(_seconds_when_cold, game, spec))
        yield Reading(f"memory/{path.stem}", "MB", partial(_megabytes, game, spec))


def _seconds_when_cold(game: str, spec: str) -> float:
    with tempfile.TemporaryDirectory(prefix="randori-cold-") as folder:
        return _first_reply(game, spec, RANDORI_CACHE=folder).cpu_seconds


def _megabytes(game: str, spec: str) -> float:
    _first_reply(game, spec)  # compiles what is not kept yet, which takes memory of its own
    return _first_reply(game, spec).megabytes


def _first_reply(game: str, spec: str, **environment: str) -> _Reply:
    variables = os.environ | {"PYTHONPATH": str(Path(randori.__file__).parents[1])} | environment
    command = [sys.executable, "-c", _FIRST_REPLY, game, spec]
    output = subprocess.run(command, env=variables, check=True, capture_output=True, text=True).stdout
    return _Reply(*map(float, output.split()))
