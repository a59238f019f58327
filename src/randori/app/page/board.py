"""The board as an element of the page, and what it shows."""

from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from nicegui import ui
from numpy.typing import NDArray

from randori.app.service.room import GoneOn, Room
from randori.app.service.schemas import cells_by_side
from randori.core.game import Game
from randori.core.layout import Columns, Steps

Cells = list[tuple[int, int]]
_SEATS = ("first", "second")


class BoardElement(ui.element, component="board.js"):
    """Emits `choose` with the name of a move and the ply that it is meant for."""


async def act_on(
    room: Room, ply: object, act: Callable[[Room], Awaitable[object]], follow: Callable[[Room], None]
) -> None:
    """Acts on the room, if it is still at the ply that the person saw. Everybody who looks at the room sees the result;
    if the game has moved on, `follow` gets its current state.
    """
    try:
        room.check_meant(ply if isinstance(ply, int) else -1)
        await act(room)
    except GoneOn as gone_on:
        follow(gone_on.room)
        raise


def side_names(game: Game) -> tuple[str, str]:
    return game.knowledge.look.sides


def piece_sign(game: Game, seat: int) -> str:
    """Markup of a small piece of the side at a seat, in the colour that its board gives it."""
    return f'<span class="piece-sign sign-{game.knowledge.look.kind} {_SEATS[seat]}" aria-hidden="true"></span>'


def view_of(room: Room, liking: NDArray[np.float64] | None = None, hint: int | None = None) -> dict[str, Any]:
    """Everything that the board shows, as plain values. `liking`, `[A]`, becomes the heat map; `free` are moves that need no
    confirmation, and `numbers` stand on the squares that moves go to."""
    game = room.game
    rows, columns = game.shape
    legal = np.zeros(game.n_actions, bool) if room.is_over else room.board.legal
    board = game.cells(room.board.state)[0]
    last, flips = _last_move(room)
    return {
        "id": f"board-{room.id}",
        "kind": game.knowledge.look.kind,
        "ply": room.ply,
        "mover": room.to_move,
        "now": room.ply,
        "rows": rows,
        "columns": columns,
        "cells": cells_by_side(room),
        "sides": side_names(game),
        "names": _rows(game, [_square_name(game, square) for square in range(game.n_squares)]),
        "moves": _rows(game, _moves(game, legal)),
        "steps": _steps(game, legal),
        "changes": {} if room.is_over else _changes(room),
        "column_names": game.move_names
        if _by_column(game)
        else [it.rstrip("0123456789") for it in game.square_names[:columns]],
        "row_names": [] if _by_column(game) else [it[1:] for it in game.square_names[::columns]],
        "stars": [divmod(square, columns) for square in game.knowledge.look.stars],
        # Where every empty square can be played, dots would only be noise.
        "dotted": game.knowledge.look.kind == "discs",
        "free": False,
        "last": last,
        "flips": flips,
        "hint": [] if hint is None else _touched(game, board, hint),
        "hint_word": "hint",
        "heat": None if liking is None else _heat(game, board, liking),
        "numbers": None,
        "line": _winning_line(game, room, last),
        "label": f"{game.title}, {rows} by {columns}: arrow keys to move, Enter to play",
    }


def _by_column(game: Game) -> bool:
    return isinstance(game.layout, Columns)


def _rows(game: Game, values: list[Any]) -> list[list[Any]]:
    """The values of all squares, row by row."""
    return [values[start : start + game.shape[1]] for start in range(0, game.n_squares, game.shape[1])]


def _square_name(game: Game, square: int) -> str:
    row, column = divmod(square, game.shape[1])
    return f"column {column + 1}, row {game.shape[0] - row}" if _by_column(game) else game.square_names[square]


def _moves(game: Game, legal: NDArray[np.bool_]) -> list[str | None]:
    """The move that a click on each square means, where one click is a whole move: in Connect Four that of its column."""
    if isinstance(game.layout, Steps):
        return [None] * game.n_squares
    actions = [square % game.shape[1] if _by_column(game) else square for square in range(game.n_squares)]
    return [game.move_names[action] if legal[action] else None for action in actions]


def _steps(game: Game, legal: NDArray[np.bool_]) -> dict[str, dict[str, str]]:
    """Moves from one square to another: their names by both squares, which are numbered row by row."""
    found: dict[str, dict[str, str]] = {}
    for action, (begin, end) in enumerate(game.layout.pairs if isinstance(game.layout, Steps) else ()):
        if legal[action]:
            found.setdefault(str(begin), {})[str(end)] = game.move_names[action]
    return found


def _changes(room: Room) -> dict[str, list[tuple[int, int]]]:
    """What each legal move changes: squares with their new side, as in `cells`; the square of the new piece comes first.

    A move that does nothing but put a piece on the square that was clicked is left out, and so is a pass.
    """
    game, mover = room.game, room.to_move + 1
    if game.knowledge.places and not _by_column(game):
        return {}
    before = game.cells(room.board.state)[0]
    after = game.children(room.board.state)
    sides = np.array([0, mover, 3 - mover])  # 0, 1 and -1 of the side that has moved
    found = {}
    for action, cells in zip(after.actions, -game.cells(after.states), strict=True):
        landing = game.layout.landing(int(action), before)
        if landing is None:
            continue
        others = [int(it) for it in np.flatnonzero(cells != before) if it != landing]
        if others or _by_column(game):
            flat = sides[cells.ravel()]
            found[game.move_names[action]] = [(it, int(flat[it])) for it in (landing, *others)]
    return found


def _squares(game: Game, cells: NDArray[np.int8], action: int) -> Cells:
    """Where an action puts its piece; nowhere for a pass."""
    square = game.layout.landing(action, cells)
    return [] if square is None else [divmod(square, game.shape[1])]


def _touched(game: Game, cells: NDArray[np.int8], action: int) -> Cells:
    """As `_squares`; for a step, the square that it leaves too."""
    steps = game.layout.pairs if isinstance(game.layout, Steps) else ()
    begins = [divmod(steps[action][0], game.shape[1])] if action < len(steps) else []
    return [*begins, *_squares(game, cells, action)]


def _heat(game: Game, cells: NDArray[np.int8], liking: NDArray[np.float64]) -> list[list[float]]:
    heat = [[0.0] * game.shape[1] for _ in range(game.shape[0])]
    for action, like in enumerate(liking):
        for row, column in _squares(game, cells, action) if like > 0 else []:
            heat[row][column] = max(heat[row][column], round(float(like), 3))
    return heat


def _last_move(room: Room) -> tuple[Cells, Cells]:
    """The square of the last piece, and the squares whose pieces it turned."""
    if not room.board.history:
        return [], []
    before, seen_by_other = (room.game.cells(state)[0] for state in room.board.states[-2:])
    after = -seen_by_other
    placed = _squares(room.game, before, room.board.history[-1])
    turned = [(int(r), int(c)) for r, c in np.argwhere((before != 0) & (after == -before))]
    return placed, [it for it in turned if it not in placed]


def _winning_line(game: Game, room: Room, last: Cells) -> Cells:
    """The winning line that the game shows if the last move has won."""
    shown = game.knowledge.winning_line
    if shown is None or not last:
        return []
    row, column = last[0]
    line = shown(game.cells(room.board.state)[0], row * game.shape[1] + column)
    return [divmod(square, game.shape[1]) for square in line]
