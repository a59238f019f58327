"""With which options a snapshot plays, and what that costs. The options are chosen once, by CPU time, and kept."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from randori import games, players
from randori.arena import play_games
from randori.arena.openings import random_openings
from randori.core.game import Game, States
from randori.errors import UserError
from randori.experiments.accuracy import N_POSITIONS as N_EXAMINED
from randori.experiments.accuracy import Exam, measure_accuracy, prepare_exam
from randori.experiments.kept import kept
from randori.experiments.league.plan import Question
from randori.methods import Thinking, thinking_of
from randori.players import Player
from randori.players.files import load_player, read_card

N_POSITIONS = 24
"""How many positions the time per move is measured on."""
_GAMES = 8
_MOST_EFFORT = 1 << 17


@dataclass(frozen=True)
class Entrant:
    """A participant of a tournament: a player file with options, or a spec."""

    name: str
    file: str | None
    options: str
    """Of the file; or the whole spec where there is none."""
    digest: str
    """A hash of everything that decides how it plays."""

    def player(self, game: Game) -> Player:
        if self.file is None:
            return players.player(self.options, game)
        return load_player(Path(self.file), game, self.options, name=self.name)


def entrant(name: str, file: Path | None, options: str) -> Entrant:
    digest = hashlib.sha256(b"" if file is None else file.read_bytes())
    digest.update(f"{name}:{options}".encode())
    return Entrant(name, None if file is None else str(file), options, digest.hexdigest()[:16])


@lru_cache(maxsize=16)
def shared_player(it: Entrant, game: str) -> Player:
    """The player of an entrant, shared by all tasks in one process."""
    return it.player(games.game(game))


def examine(
    path: Path, file: Path, game: str, question: Question, milliseconds: float, seed: int, options: str | None
) -> dict[str, Any]:
    """Chooses the options of a player file, unless they are given, and measures what they cost and how many moves are right.

    The result is kept at the path.
    """
    of = {"file": hashlib.sha256(file.read_bytes()).hexdigest(), "question": question, "milliseconds": milliseconds}
    of |= {"seed": seed, "options": options}
    found: dict[str, Any] = kept(
        path, of, lambda: _examine(file, games.game(game), question, milliseconds, seed, options)
    )
    return found


def _examine(
    file: Path, game: Game, question: Question, milliseconds: float, seed: int, options: str | None
) -> dict[str, Any]:
    states, thinking = typical_positions(game.name, seed), thinking_of(read_card(file).player)
    if options is None and question == "knowledge":
        options = thinking.alone
    elif options is None:
        options = options_within(thinking, milliseconds, lambda tried: _cost(load_player(file, game, tried), states))
    player = load_player(file, game, options)
    cost = round(_cost(player, states), 3)
    return {"options": options, "milliseconds": cost, "accuracy": _accuracy(player, game, seed)}


def options_within(thinking: Thinking, milliseconds: float, cost: Callable[[str], float]) -> str:
    """The options with which a player thinks as long as it may; if even the least takes longer, that."""
    if thinking.effort is None:
        return ""
    effort, below = thinking.least, 0.0
    while effort < _MOST_EFFORT:
        more = effort + 1 if thinking.in_steps else 2 * effort
        try:
            below = below or cost(f"{thinking.effort}={effort}")
            above = cost(f"{thinking.effort}={more}")
        except UserError:  # more than the player has room for
            break
        if above > milliseconds:
            if not thinking.in_steps and below < milliseconds:
                # Between the two the time grows as a power of the effort.
                effort = _two_digits(effort * 2 ** (np.log(milliseconds / below) / np.log(above / below)))
            break
        effort, below = more, above
    return f"{thinking.effort}={effort}"


def _two_digits(value: float) -> int:
    """Rounded down."""
    unit = 10 ** max(len(str(int(value))) - 2, 0)
    return int(value // unit) * unit


def _cost(player: Player, states: States) -> float:
    """Mean CPU milliseconds of a move, one position at a time as at a board."""
    rng = np.random.default_rng(0)
    player.choose(states[:1], rng)
    began = time.process_time()
    for state in states[:, None]:
        player.choose(state, rng)
    return 1000 * (time.process_time() - began) / len(states)


@cache
def typical_positions(game: str, seed: int) -> States:
    """Positions of sensible games from random openings, spread over all their plies."""
    rules, rng = games.game(game), np.random.default_rng(seed)
    plies = min(rules.opening_plies + 2, rules.max_plies // 2)
    openings = random_openings(rules, _GAMES, plies, rng)
    thinker = players.player("heuristic", rules)
    reached = [it.states for it in play_games(rules, thinker, thinker, openings, rng).replay()]
    states = np.concatenate(reached)
    return states[np.linspace(0, len(states) - 1, min(N_POSITIONS, len(states))).astype(np.intp)]


@cache
def _exam(game: str, seed: int) -> Exam | None:
    try:
        return prepare_exam(games.game(game), N_EXAMINED, seed)
    except UserError:
        return None


def _accuracy(player: Player, game: Game, seed: int) -> dict[str, Any] | None:
    """None where no solver knows the truth."""
    exam = _exam(game.name, seed)
    if exam is None or not len(exam.states):
        return None
    summary = measure_accuracy(player, exam, seed).summary()
    return {key: summary[key] for key in ("share", "interval", "positions")}
