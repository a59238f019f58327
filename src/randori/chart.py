"""Line charts as SVG, legible on light and on dark pages."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 68, 24, 48, 72
LEGEND_ROW = 20

# Okabe and Ito's colours, which colour-blind people tell apart, without black; the blue is lighter for dark pages,
# the yellow darker for light ones.
COLOURS = ("#1F83C8", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#B8A900")
DASHES = ("none", "7 4", "2 3")

STYLE = """
  text { fill: #24292f; font: 13px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  .page { fill: #ffffff } .muted { fill: #57606a } .axis { stroke: #57606a; fill: none } .grid { stroke: #d0d7de }
  .level { stroke: #57606a; stroke-dasharray: 4 4 } .small { font-size: 11px }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .page { fill: #0d1117 } .muted { fill: #9198a1 } .axis { stroke: #8d96a0 } .grid { stroke: #30363d }
    .level { stroke: #8d96a0 }
  }
"""


class Svg(str):
    """The text of an SVG file, which notebooks show as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Curve:
    """Points in the order of `x`; `low` and `high` bound the band of uncertainty where there is one."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


class Level(NamedTuple):
    """A value with a name, drawn as a line across."""

    name: str
    value: float


_LEAST_SPAN = 200.0
"""In Elo, so that a curve that hardly rises does not look steep."""
_LEVELS_ACROSS = 9
"""At most, so that their names do not cover each other."""


def levels_among(named: Mapping[str, float], low: float, high: float) -> list[Level]:
    """Those among curves from `low` to `high` and one on either side, where they lie far enough apart to be
    distinguished; for ratings."""
    rising = sorted(named.items(), key=lambda it: it[1])
    below = [elo for _, elo in rising if elo <= low]
    above = [elo for _, elo in rising if elo >= high]
    bottom, top = max(below, default=low), min(above, default=high)
    apart = max(top - bottom, _LEAST_SPAN) / _LEVELS_ACROSS
    kept: list[Level] = []
    for name, elo in rising:
        if bottom <= elo <= top and (not kept or elo - kept[-1].value >= apart):
            kept.append(Level(name, round(elo)))
    return kept


@dataclass(frozen=True)
class Axis:
    """A range of values over a range of pixels; `log` for positive values alone."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value."""
        low, high, value = (math.log10(it) if self.log else it for it in (self.low, self.high, value))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Up to nine round values within the range; on a log axis powers of ten, with 2 and 5 too if these are few."""
        if not self.log:
            step = _round_step((self.high - self.low) / 9)
            return [i * step for i in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        factors = (1,) if len(powers) > 4 else (1, 2, 5)
        values = [factor * 10.0**power for power in powers for factor in factors]
        return [value for value in values if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]


def line_chart(
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    levels: Sequence[Level] = (),
) -> Svg:
    """The whole SVG file. Curves without points appear in the legend only."""
    height = HEIGHT + LEGEND_ROW * len(curves)
    xs = [x for curve in curves for x in curve.x if not log_x or x > 0]
    ys = [y for curve in curves for part in (curve.y, curve.low or (), curve.high or ()) for y in part]
    ys += [it.value for it in levels]
    across = Axis(*_range(xs, log_x), LEFT, WIDTH - RIGHT, log_x)
    up = Axis(*_range(ys, False), HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>',
        f'<text class="title" x="{LEFT}" y="28">{escape(title)}</text>',
        *_axes(across, up, x_label, y_label),
        *(part for it in levels for part in _level(it, across, up)),
    ]
    # All bands lie under all lines.
    for draw in (_band, _line):
        for place, curve in enumerate(curves):
            parts += draw(curve, across, up, place)
    for place, curve in enumerate(curves):
        parts += _legend(curve.name, place, HEIGHT + LEGEND_ROW * place)
    return Svg("\n".join([*parts, "</svg>"]) + "\n")


def _axes(across: Axis, up: Axis, x_label: str, y_label: str) -> list[str]:
    parts = []
    for value in up.ticks():
        y = f"{up.at(value):.1f}"
        parts.append(f'<path class="grid" d="M{across.start} {y}H{across.end}"/>')
        parts.append(f'<text class="muted" x="{LEFT - 8}" y="{y}" dy="4.5" text-anchor="end">{_number(value)}</text>')
    for value in across.ticks():
        x = f"{across.at(value):.1f}"
        parts.append(f'<path class="grid" d="M{x} {up.start}V{up.end}"/>')
        parts.append(f'<text class="muted" x="{x}" y="{up.start + 20}" text-anchor="middle">{_number(value)}</text>')
    centre, middle = (across.start + across.end) / 2, (up.start + up.end) / 2
    return [
        *parts,
        f'<path class="axis" d="M{across.start} {up.end}V{up.start}H{across.end}"/>',
        f'<text x="{centre}" y="{up.start + 42}" text-anchor="middle">{escape(x_label)}</text>',
        f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>',
    ]


def _level(level: Level, across: Axis, up: Axis) -> list[str]:
    y = up.at(level.value)
    return [
        f'<path class="level" d="M{across.start} {y:.1f}H{across.end}"/>',
        f'<text class="muted small" x="{across.end - 4}" y="{y - 4:.1f}" text-anchor="end">{escape(level.name)}</text>',
    ]


def _band(curve: Curve, across: Axis, up: Axis, place: int) -> list[str]:
    if curve.low is None or curve.high is None:
        return []
    outline = _points(curve.x, curve.high, across, up) + _points(curve.x, curve.low, across, up)[::-1]
    if len(outline) == 2:  # of one point, which has no area
        return [f'<polyline points="{" ".join(outline)}" stroke="{_colour(place)}" stroke-width="1.4"/>']
    return [f'<polygon points="{" ".join(outline)}" fill="{_colour(place)}" fill-opacity="0.18"/>']


def _line(curve: Curve, across: Axis, up: Axis, place: int) -> list[str]:
    points = _points(curve.x, curve.y, across, up)
    parts = [f'<polyline points="{" ".join(points)}" fill="none" stroke-width="2.2" {_stroke(place)}/>']
    # Dots where they do not hide the line: a curve of one point would else not be seen at all.
    if len(points) <= 40:
        for x, y in (point.split(",") for point in points):
            parts.append(f'<circle cx="{x}" cy="{y}" r="2.6" fill="{_colour(place)}"/>')
    return parts


def _points(xs: Sequence[float], ys: Sequence[float], across: Axis, up: Axis) -> list[str]:
    shown = [(x, y) for x, y in zip(xs, ys, strict=True) if not across.log or x > 0]
    return [f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in shown]


def _legend(name: str, place: int, y: float) -> list[str]:
    return [
        f'<path d="M{LEFT} {y}h28" stroke-width="3" {_stroke(place)}/>',
        f'<text x="{LEFT + 38}" y="{y}" dy="4.5">{escape(name)}</text>',
    ]


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _stroke(place: int) -> str:
    """Dashes begin when the colours are used up."""
    dashes = DASHES[place // len(COLOURS) % len(DASHES)]
    return f'stroke="{_colour(place)}" stroke-dasharray="{dashes}" stroke-linejoin="round"'


def _range(values: Sequence[float], log: bool) -> tuple[float, float]:
    """From the least to the greatest value with a little room; a sensible range where there is no value, or only
    one.
    """
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    if log:
        return low / 1.1, max(high, low * 2) * 1.1
    air = (high - low) * 0.04 or abs(high) * 0.1 or 1.0
    return low - air if low else 0.0, high + air


def _round_step(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))


def _number(value: float) -> str:
    if value and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return f"{value:,.10g}"
