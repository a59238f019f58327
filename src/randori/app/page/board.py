"""The board as an element of the page, and what it is told to show."""

from typing import Any

import numpy as np
from nicegui import ui
from numpy.typing import NDArray

from randori.app.service.room import Room
from randori.app.service.schemas import cells_by_side
from randori.game import Game

Cells = list[tuple[int, int]]

_SIDES = {
    "marks": ("cross", "nought"),
    "drop": ("red", "yellow"),
    "discs": ("black", "white"),
    "stones": ("black", "white"),
}


class Board(ui.element, component="board.js"):
    """Emits `choose` with the name of a move."""


def kind_of(game: Game) -> str:
    """How a game's board looks: marks on paper, falling discs, discs that turn, stones on lines."""
    if game.n_actions == game.shape[1]:
        return "drop"
    if game.has_pass:
        return "discs"
    return "marks" if game.in_a_row == 3 else "stones"


def side_names(game: Game) -> tuple[str, str]:
    return _SIDES[kind_of(game)]


def view_of(room: Room, liking: NDArray[np.float64] | None = None, hint: int | None = None) -> dict[str, Any]:
    """All that the board shows: plain values. `liking`, `[A]`, becomes the heat map."""
    game = room.game
    rows, columns = game.shape
    legal = np.zeros(game.n_actions, bool) if room.is_over else room.board.legal
    cells = cells_by_side(room)
    last, flips = _last_move(room)
    return {
        "id": f"board-{room.id}",
        "kind": kind_of(game),
        "ply": room.ply,
        "rows": rows,
        "columns": columns,
        "cells": cells,
        "sides": side_names(game),
        "names": [[_square_name(game, r, c) for c in range(columns)] for r in range(rows)],
        "moves": [[_move(game, legal, r, c) for c in range(columns)] for r in range(rows)],
        "column_names": [game.move_names[c].rstrip("0123456789") or game.move_names[c] for c in range(columns)],
        "row_names": [] if kind_of(game) == "drop" else [game.move_names[r * columns][1:] for r in range(rows)],
        "stars": _stars(game) if kind_of(game) == "stones" else [],
        "last": last,
        "flips": flips,
        "hint": [] if hint is None else _squares(game, cells, hint),
        "heat": None if liking is None else _heat(game, cells, liking),
        "line": _winning_line(game, cells, last),
        "label": f"{game.title}, {rows} by {columns}: arrow keys to move, Enter to play",
    }


def _square_name(game: Game, row: int, column: int) -> str:
    if kind_of(game) == "drop":
        return f"column {column + 1}, row {game.shape[0] - row}"
    return game.move_names[row * game.shape[1] + column]


def _move(game: Game, legal: NDArray[np.bool_], row: int, column: int) -> str | None:
    """The move that a click there means: in Connect Four that of the whole column."""
    action = column if kind_of(game) == "drop" else row * game.shape[1] + column
    return game.move_names[action] if legal[action] else None


def _squares(game: Game, cells: list[list[int]], action: int) -> Cells:
    """Where an action puts its piece; nowhere for a pass."""
    if kind_of(game) == "drop":
        free = [row for row in range(game.shape[0]) if not cells[row][action]]
        return [(free[-1], action)] if free else []
    return [divmod(action, game.shape[1])] if action < game.shape[0] * game.shape[1] else []


def _heat(game: Game, cells: list[list[int]], liking: NDArray[np.float64]) -> list[list[float]]:
    heat = [[0.0] * game.shape[1] for _ in range(game.shape[0])]
    for action, like in enumerate(liking):
        for row, column in _squares(game, cells, action) if like > 0 else []:
            heat[row][column] = round(float(like), 3)
    return heat


def _last_move(room: Room) -> tuple[Cells, Cells]:
    """The square that was played on last, and those whose pieces it turned."""
    if not room.board.history:
        return [], []
    before, seen_by_other = (room.game.cells(state)[0] for state in room.board.states[-2:])
    after = -seen_by_other
    placed = [(int(r), int(c)) for r, c in np.argwhere((before == 0) & (after != 0))]
    turned = [(int(r), int(c)) for r, c in np.argwhere((before != 0) & (after != before))]
    return placed, turned


def _stars(game: Game) -> Cells:
    size = game.shape[0]
    edge = 2 if size < 13 else 3
    marks = (edge, size // 2, size - 1 - edge) if size % 2 else (edge, size - 1 - edge)
    return [(row, column) for row in marks for column in marks]


def _winning_line(game: Game, cells: list[list[int]], last: Cells) -> Cells:
    """The row of pieces through the last one that is as long as the game asks for."""
    if game.in_a_row is None or not last:
        return []
    row, column = last[0]
    side = cells[row][column]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        line = [(row, column)]
        for sign in (-1, 1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < game.shape[0] and 0 <= c < game.shape[1] and cells[r][c] == side:
                line.insert(0, (r, c)) if sign < 0 else line.append((r, c))
                r, c = r + sign * down, c + sign * right
        if len(line) >= game.in_a_row:
            return line
    return []
