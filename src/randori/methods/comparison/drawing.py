"""A drawing of what Freisleben's network looks at around a square, made from the wiring that it plays with.

`python -m randori.methods.comparison.drawing FILE.svg` writes it.
"""

import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

from randori.chart import COLOURS, STYLE
from randori.methods.comparison.chains_player import RAYS, Chain, Square, geometry
from randori.tensorfile import write_whole

CELL, GAP, TOP, COLUMNS = 22, 34, 92, 3
REACH = 4  # squares to each side of the middle
SIDE = CELL * (2 * REACH + 1)
PANEL = SIDE + GAP, SIDE + GAP + 26
K = 5

_STYLE = (
    ".cell { fill: none; stroke: #d0d7de } .seen { fill: #eaeef2; stroke: #d0d7de } "
    ".chain { stroke-width: 8; stroke-linecap: round; stroke-opacity: 0.62 } .middle { fill: #24292f }"
)


def draw_wiring() -> str:
    """The whole SVG file: the window, the chains and one of eight orientations of each pattern."""
    net = geometry(K)
    straight, diagonal = RAYS[0], RAYS[7]
    panels = [
        _panel(f"window: {len(net.window)} squares", []),
        _panel(f"{len(net.stars)} chains through the square", net.stars),
        _panel(
            f"{len(net.outer)} chains that miss it", _crossing(net.outer, straight) + _crossing(net.outer, diagonal)
        ),
        _panel("pattern 1: an angle of 45 degrees", net.units[7]),
        _panel("pattern 2: a right angle", net.units[14]),
        _panel("pattern 3: a line and two that cross it", net.units[16]),
    ]
    width = COLUMNS * PANEL[0] + GAP
    height = TOP + len(panels) // COLUMNS * PANEL[1]
    size = f'width="{width}" height="{height}"'
    title = "What the network looks at around an empty square"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} role="img">',
        f"<title>{escape(title)}</title><style>{STYLE} {_STYLE}</style>",
        f'<rect class="page" {size} rx="6"/><text class="title" x="{GAP}" y="30">{escape(title)}</text>',
        f'<text x="{GAP}" y="50">Chains that miss it are drawn for two of the eight rays, patterns for one.</text>',
    ]
    for place, panel in enumerate(panels):
        x, y = GAP + place % COLUMNS * PANEL[0], TOP + place // COLUMNS * PANEL[1]
        parts.append(f'<g transform="translate({x} {y})">{panel}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _crossing(chains: Sequence[Chain], ray: Square) -> list[Chain]:
    """The chains whose middle square is on a ray."""
    points = {(distance * ray[0], distance * ray[1]) for distance in range(1, K)}
    return [chain for chain in chains if chain.squares(K)[K // 2] in points]


def _panel(title: str, chains: Sequence[Chain]) -> str:
    window = set(geometry(K).window)
    parts = [f'<text x="0" y="-8">{escape(title)}</text>']
    for row in range(-REACH, REACH + 1):
        for column in range(-REACH, REACH + 1):
            kind = "seen" if (row, column) in window else "cell"
            x, y = (column + REACH) * CELL, (row + REACH) * CELL
            parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>')
    # Chains of one line lie over each other but for a little.
    beside = {chain: place % K - K // 2 for place, chain in enumerate(chains)} if len(chains) > K + 1 else {}
    for place, chain in enumerate(chains):
        colour = COLOURS[place % len(COLOURS)] if not beside else COLOURS[chain.direction]
        parts.append(_line(chain, colour, beside.get(chain, 0) if len(chains) == 20 else 0, bool(beside)))
    middle = (REACH + 0.5) * CELL
    parts.append(f'<circle class="middle" cx="{middle}" cy="{middle}" r="6"/>')
    return "".join(parts)


def _line(chain: Chain, colour: str, aside: int, thin: bool) -> str:
    first, last = chain.squares(K)[0], chain.squares(K)[-1]
    across = (last[1] - first[1], first[0] - last[0])
    length = (across[0] ** 2 + across[1] ** 2) ** 0.5
    down, right = (3.6 * aside * it / length for it in across)
    (x1, y1), (x2, y2) = (((c + REACH + 0.5) * CELL + right, (r + REACH + 0.5) * CELL + down) for r, c in (first, last))
    width = ' style="stroke-width:2.6"' if thin else ""
    return f'<path class="chain" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}"{width}/>'


if __name__ == "__main__":
    write_whole(Path(sys.argv[1]), draw_wiring().encode())
