"""Pictures of self-organizing maps as SVG: what each neuron stands for, its worth, how often it wins, a game's path."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.chart import COLOURS, STYLE, Axis

MARGIN, HEAD, GAP = 24, 78, 28
SIZES = 7
GOOD, BAD = COLOURS[0], COLOURS[1]
SIDES = (("who began", COLOURS[2]), ("the other", COLOURS[3]))

_MORE_STYLE = """
  .mine { stroke: #16191d } .theirs { stroke: #ffffff } .board { fill: #7fa98a } .never { fill: #8c959f; fill-opacity: 0.25 }
  .small { font-size: 12px } .halo { font-size: 11px; fill: #16191d; stroke: #ffffff; stroke-width: 3; paint-order: stroke }
  .frame { fill: none; stroke: #8c959f; stroke-width: 0.6 }
"""


class MapView(NamedTuple):
    """One map and statistics of it, neurons row by row."""

    shape: tuple[int, int]
    weights: NDArray[np.float32]
    """`[neurons, squares]`: 1 the side that has just moved."""
    values: NDArray[np.float64]
    """`[neurons]` for that side, -1 to 1; nan where the neuron never won, or games are searched to their end."""
    wins: NDArray[np.int64]
    """`[neurons]`: how many positions each neuron won."""
    title: str


class Step(NamedTuple):
    """A position of a game: its map and neuron, the number of the move before it, and its value for the side that made
    that move.
    """

    stage: int
    neuron: int
    move: int
    side: int
    """0 for whoever began."""
    value: float | None
    """None where the game is searched to its end."""


def draw_map(view: MapView, board_shape: tuple[int, int], title: str) -> str:
    """The positions that the neurons stand for, large, and beside it their values and how often they win."""
    height, width = view.shape
    tile = max(14.0, min(44.0, 800 / width))
    small = max(3.0, min(12.0, 240 / width))
    big_width, big_height = tile * width, tile * height
    side_x = MARGIN + big_width + GAP
    side_width = max(small * width, 220.0)
    heat = small * height
    total_width = side_x + side_width + MARGIN
    total_height = max(HEAD + big_height, HEAD + 2 * heat + 116) + MARGIN
    parts = _open(total_width, total_height, title)
    parts.append(_text(MARGIN, HEAD - 14, f"{view.title}: squares as large as their weights are sure", "muted small"))
    parts += _boards(view, board_shape, MARGIN, HEAD, tile)
    parts.append(_text(side_x, HEAD - 14, "worth to the side shown black", "muted small"))
    parts += _heat(view, _value_colours(view.values), side_x, HEAD, small)
    parts += _scale(side_x, HEAD + heat + 10, min(side_width, 200.0))
    wins_y = HEAD + heat + 84
    parts.append(_text(side_x, wins_y - 14, f"how often it wins, of {int(view.wins.sum()):,} positions", "muted small"))
    parts += _heat(view, _win_colours(view.wins), side_x, wins_y, small)
    most = int(view.wins.max())
    parts.append(_text(side_x, wins_y + heat + 20, f"from never (grey) to {most:,} times (dark)", "muted small"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def draw_path(views: Sequence[MapView], steps: Sequence[Step], title: str) -> str:
    """All maps with their values, and where a game went on them; below, what each side thought of its positions."""
    columns = min(4, len(views))
    rows = -(-len(views) // columns)
    room = 190.0
    map_height = max(room * view.shape[0] / view.shape[1] for view in views)
    total_width = MARGIN + columns * (room + GAP) - GAP + MARGIN
    total_width = max(total_width, 560.0)
    chart_y = HEAD + rows * (map_height + 46)
    total_height = chart_y + 182
    parts = _open(total_width, total_height, title)
    for place, view in enumerate(views):
        x = MARGIN + place % columns * (room + GAP)
        y = HEAD + place // columns * (map_height + 46)
        cell = room / view.shape[1]
        parts.append(_text(x, y - 8, view.title, "muted small"))
        parts += _heat(view, _value_colours(view.values), x, y, cell)
        for side in (0, 1):
            here = [it for it in steps if it.stage == place and it.side == side]
            parts += _path(here, view, x, y, cell, side)
    parts += _thoughts(steps, chart_y, total_width)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _open(width: float, height: float, title: str) -> list[str]:
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size} role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}{_MORE_STYLE}</style>",
        f'<rect class="page" {size} rx="6"/>',
        f'<text class="title" x="{MARGIN}" y="32">{escape(title)}</text>',
    ]


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _boards(view: MapView, board_shape: tuple[int, int], x: float, y: float, tile: float) -> list[str]:
    """A small board for each neuron, in units of squares.

    There are tens of thousands of squares: all of one colour and size are one path of dots, lines of no length with square
    ends.
    """
    rows, columns = board_shape
    unit = tile / (max(rows, columns) + 1)
    neurons = np.arange(len(view.weights))
    lefts, tops = neurons % view.shape[1] * (columns + 1), neurons // view.shape[1] * (rows + 1)
    parts = [f'<g transform="translate({x:.1f} {y:.1f}) scale({unit:.4f})">']
    for kind, shown in (("board", view.wins > 0), ("never", view.wins == 0)):
        outline = f"h{columns}v{rows}h-{columns}z"
        corners = zip(lefts[shown], tops[shown], strict=True)
        parts.append(f'<path class="{kind}" d="{"".join(f"M{left} {top}{outline}" for left, top in corners)}"/>')
    # The area tells the weight.
    sides = np.round(np.sqrt(np.minimum(np.abs(view.weights), 1.0)) * SIZES).astype(int)
    parts.append('<g fill="none" stroke-linecap="square" transform="translate(0.5 0.5)">')
    for kind, sign in (("mine", 1), ("theirs", -1)):
        for side in range(2, SIZES + 1):
            found = np.argwhere((sides == side) & (np.sign(view.weights) == sign))
            dots = [f"M{lefts[n] + place % columns} {tops[n] + place // columns}h0" for n, place in found]
            parts.append(f'<path class="{kind}" stroke-width="{0.96 * side / SIZES:.2f}" d="{"".join(dots)}"/>')
    return [*parts, "</g></g>"]


def _heat(view: MapView, colours: list[str], x: float, y: float, cell: float) -> list[str]:
    height, width = view.shape
    parts = []
    for neuron, colour in enumerate(colours):
        left, top = x + neuron % width * cell, y + neuron // width * cell
        # A little overlap, or the page shines through between neighbours.
        parts.append(
            f'<rect x="{left:.2f}" y="{top:.2f}" width="{cell + 0.3:.2f}" height="{cell + 0.3:.2f}" {colour}/>'
        )
    parts.append(
        f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{cell * width:.1f}" height="{cell * height:.1f}"/>'
    )
    return parts


def _value_colours(values: NDArray[np.float64]) -> list[str]:
    return ['class="never"' if np.isnan(it) else f'fill="{_diverging(float(it))}"' for it in values]


def _win_colours(wins: NDArray[np.int64]) -> list[str]:
    """By the square root: a few neurons win far more often than the others."""
    most = max(1, int(wins.max()))
    shares = np.sqrt(wins / most)
    return [f'fill="{_mix("#e6f2ec", "#00573f", float(it))}"' if it > 0 else 'class="never"' for it in shares]


def _diverging(value: float) -> str:
    strength = min(1.0, abs(value)) ** 0.7  # small values are told apart, and most are small
    return _mix("#f6f3ee", GOOD if value > 0 else BAD, strength)


def _mix(one: str, other: str, share: float) -> str:
    parts = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


def _scale(x: float, y: float, width: float) -> list[str]:
    """The legend of the values."""
    n = 41
    parts = [
        f'<rect x="{x + width * i / n:.1f}" y="{y:.1f}" width="{width / n + 0.4:.1f}" height="10" '
        f'fill="{_diverging(2 * i / (n - 1) - 1)}"/>'
        for i in range(n)
    ]
    for value, share in (("loses", 0.0), ("even", 0.5), ("wins", 1.0)):
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        parts.append(_text(x + width * share, y + 26, value, "muted small", anchor))
    return parts


def _path(steps: Sequence[Step], view: MapView, x: float, y: float, cell: float, side: int) -> list[str]:
    if not steps:
        return []
    width = view.shape[1]
    points = [(x + (it.neuron % width + 0.5) * cell, y + (it.neuron // width + 0.5) * cell) for it in steps]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    ink = SIDES[side][1]
    parts = [
        f'<polyline points="{line}" fill="none" stroke="#ffffff" stroke-width="4.4" stroke-opacity="0.7"/>',
        f'<polyline points="{line}" fill="none" stroke="{ink}" stroke-width="2"/>',
    ]
    parts += [
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.6" fill="{ink}" stroke="#ffffff"><title>move {it.move}</title></circle>'
        for (a, b), it in zip(points, steps, strict=True)
    ]
    # The first one says where to begin; more numbers would hide the map.
    right = points[0][0] < x + view.shape[1] * cell / 2
    a, b = points[0][0] + (7 if right else -7), points[0][1] + 4
    return [*parts, _text(a, b, str(steps[0].move), "halo", "start" if right else "end")]


def _thoughts(steps: Sequence[Step], y: float, width: float) -> list[str]:
    """A chart of the values along the game."""
    across = Axis(0, max((it.move for it in steps), default=1) + 1, MARGIN + 34, width - MARGIN)
    up = Axis(-1, 1, y + 150, y + 18)
    parts = [_text(MARGIN, y, "what each side thought of its own positions, by move", "muted small")]
    for value in (-1.0, 0.0, 1.0):
        parts.append(f'<path class="grid" d="M{across.start} {up.at(value):.1f}H{across.end}"/>')
        parts.append(
            _text(across.start - 8, up.at(value) + 4.5, f"{value:+.0f}" if value else "0", "muted small", "end")
        )
    for move in across.ticks():
        parts.append(_text(across.at(move), y + 170, f"{move:g}", "muted small", "middle"))
    for side, (name, colour) in enumerate(SIDES):
        own = [it for it in steps if it.side == side]
        line = " ".join(f"{across.at(it.move):.1f},{up.at(it.value):.1f}" for it in own if it.value is not None)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
        left = width - MARGIN - 220 + 120 * side
        parts.append(f'<path d="M{left} {y - 4:.1f}h22" stroke="{colour}" stroke-width="3"/>')
        parts.append(_text(left + 28, y, name, "small"))
    return parts
