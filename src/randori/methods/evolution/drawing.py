"""A drawing of a small network, like figure 5 of Handa and Horiuchi (2002)."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from randori.chart import COLOURS, STYLE
from randori.methods.evolution.networks import prune_dead

WIDTH, ROW, TOP = 760, 34, 64
COLUMNS = (170, 430, 680)
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[1]
WIDEST = 6.0  # pixels, of the strongest link


def draw_network(network: NDArray[np.float64], inputs: Sequence[str], title: str) -> str:
    """The whole SVG file of a network `[H, F + 2]`: links that are cut or lead nowhere are left out."""
    living = prune_dead(network)
    living = living[living[:, -1] != 0]
    names = [*inputs, "1"]
    height = TOP + ROW * max(len(names), len(living)) + 10
    left, middle, right = _column(len(names), height), _column(len(living), height), _column(1, height)
    strongest = float(np.abs(living).max()) if living.size else 1.0
    size = f'width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {size} role="img">',
        f"<title>{escape(title)}</title><style>{STYLE} .node {{ fill: #ffffff; stroke: #57606a }}</style>",
        f'<rect class="page" {size} rx="6"/><text class="title" x="24" y="28">{escape(title)}</text>',
    ]
    for unit, weights in enumerate(living):
        for place, weight in enumerate(weights[:-1]):
            if weight != 0:
                parts.append(_link(COLUMNS[0], left[place], COLUMNS[1], middle[unit], weight / strongest))
        parts.append(_link(COLUMNS[1], middle[unit], COLUMNS[2], right[0], weights[-1] / strongest))
    for x, column in zip(COLUMNS, (left, middle, right), strict=True):
        parts += [f'<circle class="node" cx="{x}" cy="{y:.1f}" r="9"/>' for y in column]
    for name, y in zip(names, left, strict=True):
        parts.append(f'<text x="{COLUMNS[0] - 18}" y="{y:.1f}" dy="4.5" text-anchor="end">{escape(name)}</text>')
    parts.append(f'<text x="{COLUMNS[2] + 16}" y="{right[0]:.1f}" dy="4.5">value</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _column(n: int, height: float) -> list[float]:
    """Heights of n nodes around the middle."""
    middle = (TOP + height) / 2 - 10
    return [middle + ROW * (place - (n - 1) / 2) for place in range(n)]


def _link(x1: float, y1: float, x2: float, y2: float, strength: float) -> str:
    """`strength` is the weight by the strongest one, -1 .. 1."""
    width = max(0.6, WIDEST * abs(strength))
    colour = POSITIVE if strength > 0 else NEGATIVE
    return (
        f'<path d="M{x1} {y1:.1f}L{x2} {y2:.1f}" stroke="{colour}" stroke-width="{width:.1f}" stroke-opacity="0.75"/>'
    )
