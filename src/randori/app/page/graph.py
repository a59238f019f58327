"""The course of a game as a small picture: who stood better after each move."""

from collections.abc import Sequence

WIDTH, HEIGHT, EDGE = 320, 96, 6


def value_graph(values: Sequence[float], sides: tuple[str, str]) -> str:
    """SVG. Values are for the side that began, -1 .. 1; above the middle it stands better."""
    steps = max(len(values) - 1, 8)
    points = [
        (EDGE + (WIDTH - 2 * EDGE) * ply / steps, HEIGHT / 2 - (HEIGHT / 2 - EDGE) * value)
        for ply, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    middle = HEIGHT / 2
    area = f"{points[0][0]:.1f},{middle} {line} {points[-1][0]:.1f},{middle}" if points else ""
    told = f"{sides[0]} stands at {50 + 50 * values[-1]:.0f} %" if values else "no move yet"
    dot = f'<circle class="now" cx="{points[-1][0]:.1f}" cy="{points[-1][1]:.1f}" r="4"/>' if points else ""
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Course of the game: {told}">'
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
        f'<path class="middle" d="M{EDGE} {middle}H{WIDTH - EDGE}"/>'
        f'<polygon class="area" points="{area}"/><polyline class="line" points="{line}"/>{dot}'
        f'<text x="{EDGE + 4}" y="16">{sides[0]}</text><text x="{EDGE + 4}" y="{HEIGHT - 8}">{sides[1]}</text></svg>'
    )


def value_bar(value: float) -> str:
    """A bar from lost to won for the side to move."""
    share = 50 + 50 * value
    return (
        f'<span class="bar" role="img" aria-label="{share:.0f} % for the side to move">'
        f'<span style="width:{share:.0f}%"></span></span><b>{share:.0f} %</b>'
    )
