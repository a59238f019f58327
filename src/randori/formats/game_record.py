"""GameRecord: one game as a file has it, complete or not, with the names of those who played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from randori.core.game import LOSS, ONGOING, WIN, Actions, Game
from randori.core.notation import transcript
from randori.core.record import Games, record
from randori.core.replay import final_states
from randori.errors import UserError

Ending = Literal["played", "resigned", "time", "agreed"]

_SHOWN = 40  # characters of a game, enough to find it in its file


@dataclass(frozen=True)
class GameRecord:
    """One game. `first` had the first move: Black, in the games that have colours."""

    actions: tuple[int, ...]
    """Passes included, whether or not the file writes them."""
    first: str = ""
    second: str = ""
    event: str = ""
    date: str = ""
    outcome: int | None = None
    """WIN, DRAW or LOSS for the side that began, as the file says; None where it does not."""
    margin: float | None = None
    """The difference in discs for the side that began, empty squares given to the winner, as is the custom."""
    ending: Ending = "played"
    start: str | None = None
    """The position it began from, as `position_text` writes it; None: the usual one."""


MOST_GAMES = 500_000
"""In one file; each takes about a kilobyte of memory."""
_GAMES_AT_A_TIME = 10_000


def check_count(n_games: int) -> None:
    if n_games > MOST_GAMES:
        raise UserError(f"The file holds more than {MOST_GAMES:,} games; split it.")


def with_passes(game: Game, squares: Actions, before: int = 0) -> Actions:
    """The actions, `[B, T]`, of games of which only the placements are known, `[B, S]`, both filled up with -1.

    Raises UserError that names the move that cannot be played, and its game, counted with so many `before` these.
    """
    n, width = squares.shape
    ends = np.append(squares, np.full((n, 1), -1, np.int16), axis=1)
    actions = np.full((n, 2 * width), -1, np.int16)
    states = game.start(n)
    done = np.zeros(n, np.intp)
    going = np.flatnonzero(ends[:, 0] >= 0)
    ply = 0
    while len(going):
        given = ends[going, done[going]]
        legal = game.legal(states[going])
        if game.pass_action is not None:
            # Some programs write two passes where the game is over.
            superfluous = ~legal.any(axis=1) & (given == game.pass_action)
            going, given, legal = going[~superfluous], given[~superfluous], legal[~superfluous]
        rows = np.arange(len(going))
        chosen = np.where(given < game.n_actions, given, -1)
        fits = (chosen >= 0) & legal[rows, chosen]
        if game.pass_action is not None:
            chosen = np.where(~fits & legal[:, game.pass_action], np.int16(game.pass_action), chosen)
            fits |= legal[:, game.pass_action]
        if not fits.all():
            wrong = int(np.argmin(fits))
            name = game.move_names[given[wrong]] if 0 <= given[wrong] < game.n_actions else f"square {given[wrong]}"
            number = done[going[wrong]] + 1
            which = before + going[wrong] + 1
            raise UserError(f"Move {number} of game {which}, '{name}', is not legal there in {game.title}.")
        actions[going, ply] = chosen
        states[going] = game.play(states[going], chosen)
        done[going] += chosen == given
        going = going[ends[going, done[going]] >= 0]
        ply += 1
    return actions[:, :ply]


def records_of(games: Games, first: str = "", second: str = "", event: str = "", date: str = "") -> list[GameRecord]:
    """Played games as records of two named players. Forfeited games end where they were given up."""
    forfeited = {it.row for it in games.forfeits}
    margins = _customary_margins(games)
    return [
        GameRecord(
            tuple(int(action) for action in actions if action >= 0),
            first,
            second,
            event,
            date,
            int(games.outcomes[row]),
            None if row in forfeited else margins[row],
            "resigned" if row in forfeited else "played",
        )
        for row, actions in enumerate(games.actions)
    ]


def _customary_margins(games: Games) -> list[float | None]:
    """Discs of the side that began less the other's, the empty squares being the winner's; None in other games."""
    if games.game.counts is None:
        return [None] * len(games)
    states = final_states(games.game, games.actions)
    empty = (games.game.cells(states) == 0).sum(axis=(1, 2))
    return [float(margin + np.sign(margin) * left) for margin, left in zip(games.margins, empty, strict=True)]


def games_of(game: Game, records: Sequence[GameRecord]) -> Games:
    """Those games that began as usual and were played to their end, to learn from; the rules tell their outcomes.

    Others, resigned or begun from a position of their own, are left out: compare the lengths to see how many.
    """
    usual = [it for it in records if it.start is None]
    actions = _padded([it.actions for it in usual])
    over = game.outcome(final_states(game, actions)) != ONGOING
    return record(game, actions[over])


def openings_of(game: Game, records: Sequence[GameRecord], plies: int | None = None) -> Actions:
    """The distinct lines of the games that began as usual, whole or their first `plies`; `[N, T]`, filled up with -1.

    Raises UserError that names the first of them after which the game is over.
    """
    if plies is not None and plies < 0:
        raise UserError(f"An opening has 0 or more plies, not {plies}.")
    usual = {number: it.actions[:plies] for number, it in enumerate(records, start=1) if it.start is None}
    over = game.outcome(final_states(game, _padded(list(usual.values())))) != ONGOING
    for (number, line), ended in zip(usual.items(), over, strict=True):
        if ended:
            moves = transcript(game, np.array(line, np.int16))
            shown = moves if len(moves) <= _SHOWN else f"{moves[:_SHOWN]}..."
            raise UserError(
                f"Game {number} of the book, {shown}, is over after {len(line)} plies, so no game can begin with it: "
                "take it out, or begin with fewer plies of each (--openings)."
            )
    return _padded(sorted(set(usual.values())))


def _padded(lines: Sequence[Sequence[int]]) -> Actions:
    padded = np.full((len(lines), max(map(len, lines), default=0)), -1, np.int16)
    for row, line in enumerate(lines):
        padded[row, : len(line)] = line
    return padded


def checked(game: Game, squares: Sequence[Sequence[int]], starts: Sequence[str | None]) -> list[tuple[int, ...]]:
    """The actions of games whose moves come from a file, with missing passes put in.

    Games begun from a position of their own keep what the file says; whoever sets up the position replays them.
    """
    check_count(len(squares))
    # Some programs write passes where a game is over.
    most = 2 * game.max_plies
    if any(len(line) > most for line in squares):
        raise UserError(f"A game has more moves than the {game.max_plies} plies that {game.title} can last.")
    usual = [row for row, start in enumerate(starts) if start is None]
    lines = [tuple(int(it) for it in line) for line in squares]
    for begin in range(0, len(usual), _GAMES_AT_A_TIME):
        rows = usual[begin : begin + _GAMES_AT_A_TIME]
        for row, actions in zip(rows, with_passes(game, _padded([squares[it] for it in rows]), begin), strict=True):
            lines[row] = tuple(int(action) for action in actions if action >= 0)
    return lines


def outcome_of(margin: float) -> int:
    return WIN if margin > 0 else LOSS if margin < 0 else 0
