"""Pictures of what tuples have learned: the patterns of each that are worth most, and a game as its player sees it."""

from html import escape

import numpy as np
from numpy.typing import NDArray

from randori.chart import STYLE, Curve, line_chart
from randori.core.game import ONGOING, Actions
from randori.core.player import Player
from randori.core.replay import positions
from randori.core.tuples import Squares
from randori.errors import UserError
from randori.methods.ntuple.network import Network
from randori.methods.ntuple.player import Patterns
from randori.methods.ntuple.probes import own_positions
from randori.methods.pictures import Pictures

_CELL, _GAP, _LEFT, _TOP, _COLUMNS, _SHOWN = 18, 26, 24, 104, 4, 12
_RARE = 5
"""Patterns that a few games show less often say little."""
_STYLE = (
    ".cell { fill: none; stroke: #8c959f; stroke-opacity: 0.6 } .mine { fill: #24292f; stroke: #d0d7de } "
    ".theirs { fill: #ffffff; stroke: #57606a } .worth { font-weight: 600 }"
)


class TuplePictures:
    title = "Patterns"
    summary = (
        "What the side to move has learned to expect of patterns, early, in the middle and late. Its pieces are dark."
    )

    def captions(self, player: Player) -> list[str]:
        network = with_tuples(player).network
        return [_caption(network, squares) for squares in network.tuples.given]

    def usual(self, player: Player) -> int:
        return 1

    def draw(self, player: Player, number: int, called: str) -> str:
        network = with_tuples(player).network
        if not 1 <= number <= len(network.tuples.given):
            raise UserError(f"'{called}' has the tuples 1 to {len(network.tuples.given)}, not {number}.")
        return draw_patterns(network, number - 1, called)

    def draw_game(self, player: Player, actions: Actions, called: str) -> str:
        network = with_tuples(player).network
        states = positions(network.game, actions)
        plies = np.flatnonzero(network.game.outcome(states) == ONGOING)
        # For the side that began.
        values = network.values(states[plies]) * np.where(plies % 2, -1, 1)
        unit = network.game.counts or "expected result"
        if not network.by_margin:
            values = np.tanh(values)
        curve = Curve("without looking ahead, for the side that began", plies.tolist(), values.tolist())
        return line_chart([curve], title=f"{called}: a game", x_label="move", y_label=unit)


PICTURES: Pictures = TuplePictures()


def with_tuples(player: Player) -> Patterns:
    """The same player. Raises UserError where it has no tuples."""
    if not isinstance(player, Patterns):
        raise UserError(f"'{player.name}' has no tuples; name a player of the learner 'ntuple'.")
    return player


def _caption(network: Network, squares: Squares) -> str:
    names, called = network.game.square_names, network.game.knowledge.tuple_names
    where = f"{names[squares[0]]} to {names[squares[-1]]}, {len(squares)} squares"
    return where if called is None else called(network.game).get(squares, where)


def moments(network: Network) -> list[int]:
    """Numbers of pieces early, in the middle and late in the game, as far as they have tables of their own."""
    n = network.game.n_squares
    pieces = [n * quarter // 4 // 2 * 2 for quarter in (1, 2, 3)]
    return pieces if len({int(network.stages[it]) for it in pieces}) > 1 else pieces[1:2]


def draw_patterns(network: Network, number: int, called: str) -> str:
    """The whole SVG file: the best and the worst patterns of a tuple among those that come up in games.

    They are in the order of the middle of the game; what they are worth earlier and later is shown beside it.
    """
    squares, shown = network.tuples.given[number], moments(network)
    stages = [int(network.stages[it]) for it in shown]
    middle = len(stages) // 2
    patterns, worth = _common(network, number, stages, middle)
    order = np.argsort(-worth[middle], kind="stable")
    n = min(_SHOWN, len(order) // 2)
    across, down = _extent(network, squares)
    step_x, step_y = max(across * _CELL, 46 * len(stages)) + _GAP, down * _CELL + _GAP + 10
    block = -(-n // _COLUMNS) * step_y + 40
    width, height = _LEFT + _COLUMNS * step_x, _TOP + 2 * block - 16
    title = f"{called}: {_caption(network, squares)}"
    size = f'width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} role="img">',
        f"<title>{escape(title)}</title><style>{STYLE} {_STYLE}</style>",
        f'<rect class="page" {size} rx="6"/><text class="title" x="{_LEFT}" y="30">{escape(title)}</text>',
        f'<text class="muted" x="{_LEFT}" y="50">{escape(_legend(network, shown))}</text>',
    ]
    for place, (label, chosen) in enumerate((("Best", order[:n]), ("Worst", order[::-1][:n]))):
        top = _TOP + place * block
        parts.append(f'<text x="{_LEFT}" y="{top - 26}">{label} for the side to move, whose pieces are dark</text>')
        for cell, row in enumerate(chosen):
            x, y = _LEFT + cell % _COLUMNS * step_x, top + cell // _COLUMNS * step_y
            drawn = _numbers(worth[:, row], middle) + _pattern(network, squares, int(patterns[row]))
            parts.append(f'<g transform="translate({x} {y})">{drawn}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(network: Network, shown: list[int]) -> str:
    unit = f"{network.game.counts} that they add" if network.by_margin else "what they add to the sum"
    if len(shown) == 1:
        return unit[0].upper() + unit[1:]
    return f"{unit[0].upper()}{unit[1:]} with {', '.join(map(str, shown[:-1]))} and {shown[-1]} pieces on the board"


def _numbers(worth: NDArray[np.float64], middle: int) -> str:
    parts = []
    for place, value in enumerate(worth):
        label = f"{value:+.1f}" if abs(value) >= 0.05 else "0.0"
        parts.append(f'<text class="{"worth" if place == middle else "muted"}" x="{46 * place}" y="-5">{label}</text>')
    return "".join(parts)


def _common(
    network: Network, number: int, stages: list[int], middle: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The patterns of a tuple that come up in the middle of games, without their twins, and `[stages, patterns]`: their worth."""
    states = own_positions(network)
    cells = network.game.cells(states).reshape(len(states), -1)
    here = cells[network.stages[np.count_nonzero(cells, axis=1)] == stages[middle]]
    start, end = network.tuples.starts[number : number + 2]
    twins = network.tuples.twins[start:end] - start
    digits = np.where(here < 0, 2, here)
    counts = np.zeros(end - start, np.int64)
    for given, squares in network.tuples.placed:
        if given == number:
            np.add.at(counts, twins[digits[:, squares] @ 3 ** np.arange(len(squares))], 1)
    patterns = np.flatnonzero(counts >= min(_RARE, counts.max()))
    worth = network.weights.reshape(network.n_stages, -1)[np.ix_(stages, start + patterns)]
    return patterns, worth.astype(np.float64)


def _extent(network: Network, squares: Squares) -> tuple[int, int]:
    rows, columns = np.divmod(squares, network.game.shape[1])
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


def _pattern(network: Network, squares: Squares, pattern: int) -> str:
    rows, columns = np.divmod(squares, network.game.shape[1])
    parts = []
    for place, (row, column) in enumerate(zip(rows - rows.min(), columns - columns.min(), strict=True)):
        x, y = column * _CELL, row * _CELL
        parts.append(f'<rect class="cell" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}"/>')
        stone = pattern // 3**place % 3
        if stone:
            kind = "mine" if stone == 1 else "theirs"
            parts.append(f'<circle class="{kind}" cx="{x + _CELL / 2}" cy="{y + _CELL / 2}" r="{0.38 * _CELL:.1f}"/>')
    return "".join(parts)
