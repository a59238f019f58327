"""What players of Othello say of a bad move: corners given away or left, and the squares that lead there."""

from itertools import product

from randori.core.game import Game, States


def remarks(game: Game, state: States, action: int) -> list[str]:
    """All that is true of a move, in words to follow "it"."""
    if action == game.pass_action:
        return []
    cells, mine = game.cells(state), game.legal(state)[0]
    theirs_before = game.legal(game.from_cells(-cells))[0]
    theirs_after = game.legal(game.play(state, [action]))[0]
    corners = _corners(game)
    given = [it for it in corners if theirs_after[it] and not theirs_before[it]]
    left = [it for it in corners if mine[it] and action not in corners]
    phrases = [f"gave {_named(game, given)} away"] if given else []
    phrases += [f"left {_named(game, left)} untaken"] if left else []
    phrases += [
        f"took the X square {game.square_names[action]} beside the empty corner {game.square_names[corner]}"
        for corner, beside in corners.items()
        if action == beside and cells[0].flat[corner] == 0
    ]
    return phrases


def _corners(game: Game) -> dict[int, int]:
    """Each corner with the square diagonal to it."""
    height, width = game.shape
    ends = product(((0, 1), (height - 1, height - 2)), ((0, 1), (width - 1, width - 2)))
    return {row * width + column: beside * width + along for (row, beside), (column, along) in ends}


def _named(game: Game, corners: list[int]) -> str:
    names = [game.square_names[it] for it in corners]
    return f"the corner {names[0]}" if len(names) == 1 else f"the corners {', '.join(names[:-1])} and {names[-1]}"
