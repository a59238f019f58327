"""The command line: one function per command; its signature gives the flags, its docstring the help."""

import inspect
import io
import os
import sys
import textwrap
from collections.abc import Callable
from importlib import import_module
from typing import Any

from randori import interrupts
from randori.app.plugins import HELP, load_plugins
from randori.errors import UserError, suggest

# Modules are imported when their command is called, so that `randori games` need not wait for the others.
COMMANDS: dict[str, tuple[str, str]] = {
    "games": ("randori.app.commands.games:games", "Lists the games."),
    "players": ("randori.app.commands.players:players", "Lists players and their options, or who plays a game."),
    "play": ("randori.app.commands.play:play", "Opens a page to play on, or a board in the terminal."),
    "match": ("randori.app.commands.match:match", "Plays a match: score with its interval."),
    "tournament": (
        "randori.app.commands.tournament:tournament",
        "Plays everyone against everyone: ratings with intervals.",
    ),
    "solve": ("randori.app.commands.solve:solve", "Solves a position: its exact value and best moves."),
    "review": ("randori.app.commands.review:review", "Reviews a game: what each move cost, and what was better."),
    "accuracy": (
        "randori.app.commands.accuracy:accuracy",
        "Measures how many of a player's moves keep the exact value.",
    ),
    "companion": (
        "randori.app.commands.companion:companion",
        "Tests the companion on simulated people of known strength.",
    ),
    "pupil": (
        "randori.app.commands.pupil:pupil",
        "Measures what the pupil learns from simulated people.",
    ),
    "train": ("randori.app.commands.train:main", "Trains a learner on a game; the same command continues it."),
    "league": ("randori.app.commands.league:league", "Compares every method on every game, by CPU time."),
    "reproduce": ("randori.app.commands.reproduce:main", "Reproduces a paper's tables beside the published figures."),
    "inspect": ("randori.app.commands.inspect:inspect", "Shows what is known about a trained player."),
    "card": ("randori.app.commands.card:card", "Measures a trained player again, to compare with its card."),
    "export": ("randori.app.commands.export:export", "Writes a player's network as ONNX, for other programs."),
    "map": (
        "randori.app.commands.map:draw",
        "Draws what a player has learned.",
    ),
    "report": ("randori.app.commands.report:report", "Compares runs: tables, curves, rating against time."),
    "engine": ("randori.app.commands.engine:engine", "Runs a player as an engine for other programs."),
    "convert": ("randori.app.commands.convert:convert", "Converts game records from one file format to another."),
    "check-game": (
        "randori.app.commands.check_game:check_game",
        "Checks that a game keeps the laws of games.",
    ),
    "prepare": (
        "randori.app.commands.prepare:main",
        "Compiles now what would otherwise wait for its first use.",
    ),
    "bench": ("randori.app.bench.command:bench", "Measures speed on this machine, beside other programs."),
    "completion": (
        "randori.app.commands.completion:completion",
        "Prints a script that completes this command in a shell.",
    ),
}

# Their flags or their help depend on what there is: on the learner, on the papers.
_OWN_FLAGS = ("train", "reproduce")

_USAGE = "usage: randori COMMAND [--help] [--plugin FILE.py]"


def main() -> None:
    """Runs one command. Exit status: 0 fine, 1 failure, 2 bad use, 130 Ctrl-C; an error is one sentence on stderr."""
    _speak_utf8()
    try:
        try:
            _dispatch(load_plugins(sys.argv[1:]))
        finally:
            sys.stdout.flush()  # here, where a reader that has gone is no surprise
    except UserError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:
        print("randori: Interrupted.", file=sys.stderr)
        interrupts.end()
    except BrokenPipeError:
        # The reader of our output has gone (`randori ... | head`); there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename}." if error.filename else f"{error}.", 1)
    except (MemoryError, RuntimeError) as error:
        _fail(str(error) or "There is not enough memory.", 1)


def _speak_utf8() -> None:
    """Where output goes to a file or a pipe, Windows would have us write in a code page that lacks most of Unicode."""
    for stream in (sys.stdout, sys.stderr):
        if sys.platform == "win32" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")


def _dispatch(arguments: list[str]) -> None:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_overview())
        sys.exit(0 if arguments else 2)
    name = arguments[0]
    if name == "--version":
        print(_version())
        return
    if name not in COMMANDS:
        raise UserError(f"There is no command '{name}'.{suggest(name, COMMANDS)}")
    command = load_command(name)
    with interrupts.raised():
        if name in _OWN_FLAGS:
            command(arguments[1:])
            return
        # Imported here: `randori --version` need not wait for it.
        from tyro.conf import FlagCreatePairsOff

        from randori.app.parsing import parse

        parse(command, f"randori {name}", _about(command), arguments[1:], FlagCreatePairsOff)


def load_command(name: str) -> Callable[..., Any]:
    """The function of a command."""
    module, _, function = COMMANDS[name][0].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def _about(command: Callable[..., Any]) -> str:
    """Its docstring up to the flags, a line for each paragraph."""
    description = (inspect.getdoc(command) or "").partition("\n\nArgs:")[0]
    return "\n\n".join(" ".join(it.split()) for it in description.split("\n\n"))


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {summary}" for name, (_, summary) in COMMANDS.items()]
    about = "Players learn board games, are measured, and spar with people."
    return "\n".join([_USAGE, "", about, "", *lines, "", *textwrap.wrap(HELP, 80)])


def _version() -> str:
    from importlib.metadata import version

    return f"randori {version('randori')}"


def _fail(sentence: str, status: int) -> None:
    print(f"randori: {sentence}", file=sys.stderr)
    sys.exit(status)
