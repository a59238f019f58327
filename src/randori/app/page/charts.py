"""Interactive charts: ECharts draws them in the browser, and a table holds their values for people who cannot see them.

They are drawn as SVG, so that colours may be variables of our stylesheet: charts follow the theme by themselves.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from randori.app.page.parts import box, change, event_handler, scrolling, text
from randori.chart import COLOURS, Curve, Level
from randori.reading import is_number

_MOST_ROWS = 25
"""Rows of the table for one curve."""
_INK, _SOFT, _LINE, _SHEET = (f"var(--{it})" for it in ("ink", "soft", "line", "sheet"))
_NUMBER = "(value) => value.toLocaleString('en', {maximumSignificantDigits: 4})"
# Names are people's own: they are written as text, never as markup.
_AXIS_TOOLTIP = """(points) => {
  const shown = document.createElement('div');
  const number = (value) => value.toLocaleString('en', {maximumSignificantDigits: 4});
  const say = (words, bold) => {
    const line = shown.appendChild(document.createElement(bold ? 'b' : 'div'));
    line.textContent = words;
  };
  const all = [points].flat().filter((it) => it.value.length > 1);
  if (all.length) say(`${number(all[0].value[0])} X_LABEL`, true);
  for (const {seriesName, value} of all)
    say(`${seriesName}: ${number(value[1])}` + (value.length > 2 ? ` (${number(value[2])} to ${number(value[3])})` : ''));
  return shown;
}"""
_ITEM_TOOLTIP = """(point) => {
  const shown = document.createElement('div');
  const [value, what, low, high] = point.value;
  const number = (it) => it.toLocaleString('en', {maximumSignificantDigits: 4});
  const interval = low == null ? '' : ` (${number(low)} to ${number(high)})`;
  shown.textContent = `${what}: ${point.seriesName} ${number(value)}${interval}`;
  return shown;
}"""


@dataclass(frozen=True)
class Lines:
    """Curves over a common quantity, such as games."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    levels: Sequence[Level] = ()
    log_x: bool = False
    """For positive values alone."""

    @property
    def height(self) -> int:
        return 340

    def options(self) -> dict[str, Any]:
        formatter = _AXIS_TOOLTIP.replace("X_LABEL", self.x_label)
        several = len(self.curves) > 1
        return {
            "animation": False,
            "grid": {"left": 64, "right": 18, "top": 36 if several else 14, "bottom": 46},
            "legend": {"show": several, "type": "scroll", "top": 0, "textStyle": {"color": _INK}},
            "tooltip": {"trigger": "axis", ":formatter": formatter, **_TOOLTIP},
            "xAxis": {**_axis(self.x_label, 28), **({"type": "log"} if self.log_x else {})},
            "yAxis": {**_axis(self.y_label, 48), "scale": True, **self._bounds()},
            # The wheel alone scrolls the page.
            "dataZoom": [{"type": "inside", "zoomOnMouseWheel": "ctrl", "moveOnMouseMove": False}],
            "series": [part for place, it in enumerate(self.curves) for part in self._series(it, place)],
        }

    def _bounds(self) -> dict[str, float]:
        """Bounds of the axis if there are levels: by itself it would leave out levels beyond the curves."""
        if not self.levels:
            return {}
        parts = [part for it in self.curves for part in (it.y, it.low or (), it.high or ())]
        values = [*(value for part in parts for value in part), *(it.value for it in self.levels)]
        step = 100.0 if max(values) - min(values) < 1000 else 200.0
        return {"min": math.floor(min(values) / step) * step, "max": math.ceil((max(values) + step / 4) / step) * step}

    def _series(self, curve: Curve, place: int) -> list[dict[str, Any]]:
        colour = COLOURS[place % len(COLOURS)]
        rows = list(zip(curve.x, curve.y, *((curve.low, curve.high) if curve.low and curve.high else ()), strict=True))
        line: dict[str, Any] = {
            **_series_of(curve.name, [list(it) for it in rows], colour),
            "showSymbol": len(rows) <= 40,
            "lineStyle": {"width": 2.2, "type": ["solid", "dashed", "dotted"][place // len(COLOURS) % 3]},
        }
        if place == 0 and self.levels:
            line["markLine"] = _level_lines(self.levels)
        if not (curve.low and curve.high):
            return [line]
        # The band is what lies between two invisible lines, the upper of which is stacked upon the lower.
        unseen = {"lineStyle": {"opacity": 0}, "symbol": "none", "silent": True, "tooltip": {"show": False}}
        stacked = {**unseen, "stack": f"band {place}", "stackStrategy": "all"}
        lows = [[x, low] for x, low in zip(curve.x, curve.low, strict=True)]
        spans = [[x, high - low] for x, low, high in zip(curve.x, curve.low, curve.high, strict=True)]
        area = {"areaStyle": {"color": colour, "opacity": 0.16}}
        band = [_series_of(curve.name, lows, colour) | stacked, _series_of(curve.name, spans, colour) | stacked | area]
        return [line, *band]

    def table(self) -> str:
        """The points of every curve, thinned to what people can read."""
        heads = f"<tr><th>curve</th><th>{escape(self.x_label)}</th><th>{escape(self.y_label or 'value')}</th></tr>"
        rows = []
        for curve in self.curves:
            step = -(-len(curve.x) // _MOST_ROWS) or 1
            for place in range(0, len(curve.x), step):
                value = f"{curve.y[place]:,.4g}"
                if curve.low and curve.high:
                    value = f"{_figure(curve.y[place])} ({_figure(curve.low[place])} to {_figure(curve.high[place])})"
                rows.append(f"<tr><td>{escape(curve.name)}</td><td>{curve.x[place]:,.10g}</td><td>{value}</td></tr>")
        rows += [f"<tr><td>{escape(it.name)}</td><td></td><td>{it.value:,.0f}</td></tr>" for it in self.levels]
        return f"<table>{heads}{''.join(rows)}</table>"


@dataclass(frozen=True)
class Pair:
    """Our figure with its interval, and the published one; None if there is none."""

    what: str
    ours: float
    interval: tuple[float, float] | None
    published: float | None


@dataclass(frozen=True)
class Beside:
    """Our figures beside the published ones, one row each."""

    title: str
    pairs: Sequence[Pair]

    @property
    def height(self) -> int:
        return 80 + 44 * len(self.pairs)

    def options(self) -> dict[str, Any]:
        names = [it.what for it in self.pairs]
        ours = [[it.ours, it.what, *(it.interval or ())] for it in self.pairs]
        published = [[it.published, it.what] for it in self.pairs if it.published is not None]
        whiskers = [
            [{"coord": [it.interval[0], it.what]}, {"coord": [it.interval[1], it.what]}]
            for it in self.pairs
            if it.interval is not None
        ]
        bars = {"symbol": "none", "silent": True, "data": whiskers, "lineStyle": {"type": "solid", "width": 3}}
        drawn = [_dots("ours", ours, COLOURS[0], "circle") | {"markLine": {**bars, "animation": False}}]
        drawn += [_dots("published", published, COLOURS[1], "diamond")] if published else []
        # The axis only reaches as far as points do, so invisible points mark the ends of the whiskers.
        ends = [[value, it.what] for it in self.pairs for value in it.interval or ()]
        drawn.append(_dots("ours", ends, COLOURS[0], "none") | {"silent": True, "tooltip": {"show": False}})
        return {
            "animation": False,
            "grid": {"left": 12, "right": 24, "top": 38, "bottom": 26},
            "legend": {"top": 0, "left": 0, "textStyle": {"color": _INK}},
            "tooltip": {"trigger": "item", ":formatter": _ITEM_TOOLTIP, **_TOOLTIP},
            "xAxis": {**_axis("", 0), "scale": True},
            "yAxis": {**_axis("", 0), "type": "category", "data": names, "inverse": True, **_NAMES_INSIDE},
            "series": drawn,
        }

    def table(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(it.what)}</td><td>{it.ours:,.4g}</td>"
            f"<td>{f'{it.interval[0]:,.4g} to {it.interval[1]:,.4g}' if it.interval else ''}</td>"
            f"<td>{'' if it.published is None else f'{it.published:,.4g}'}</td></tr>"
            for it in self.pairs
        )
        return f"<table><tr><td></td><th>ours</th><th>95% interval</th><th>published</th></tr>{rows}</table>"


class Drawn:
    """A chart on the page, with its title and its table, drawn again by `show`."""

    def build(self, drawing: Lines | Beside, on_point: Callable[[str, float], None] | None = None) -> None:
        """`on_point` gets the curve and the x value of a point that is clicked."""
        with box("figure", "chart"):
            self._caption = text("figcaption", drawing.title)
            self._chart = ui.echart(drawing.options(), renderer="svg").style(f"height: {drawing.height}px")
            change(self._chart, role="img", aria_label=f"{drawing.title}: a chart; its values are in the table below")
            if on_point is not None:
                self._chart.on("componentClick", event_handler(partial(_pass_point, on_point)), ["seriesName", "value"])
            with box("details"):
                text("summary", "Values", "note")
                self._table = scrolling(drawing.table(), "Values")

    def show(self, drawing: Lines | Beside) -> None:
        self._chart.options.clear()
        self._chart.options.update(drawing.options())
        self._chart.update()
        self._caption.set_content(escape(drawing.title))
        self._table.set_content(drawing.table())


def _pass_point(on_point: Callable[[str, float], None], event: Any) -> None:
    match event.args:
        case {"seriesName": str(name), "value": [across, *_]} if is_number(across):
            on_point(name, across)


_TOOLTIP = {
    "confine": True,
    "backgroundColor": _SHEET,
    "borderColor": _LINE,
    "textStyle": {"color": _INK, "fontWeight": "normal", "fontSize": 13},
    "axisPointer": {"lineStyle": {"color": _SOFT}},
}
# Names stand above their rows: on a phone, names beside them would leave no room for the dots.
_NAMES_INSIDE = {
    "axisLabel": {"color": _INK, "inside": True, "verticalAlign": "bottom", "padding": [0, 0, 11, 0], "fontSize": 12},
    "axisTick": {"show": False},
    "z": 10,
}


def _figure(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1 else f"{value:,.0f}"


def _axis(name: str, gap: int) -> dict[str, Any]:
    return {
        "type": "value",
        "name": name,
        "nameLocation": "middle",
        "nameGap": gap,
        "nameTextStyle": {"color": _SOFT},
        "axisLabel": {"color": _SOFT, "hideOverlap": True, ":formatter": _NUMBER},
        "axisLine": {"lineStyle": {"color": _LINE}},
        "splitLine": {"lineStyle": {"color": _LINE, "opacity": 0.6}},
    }


def _series_of(name: str, data: list[Any], colour: str) -> dict[str, Any]:
    return {
        "type": "line",
        "name": name,
        "data": data,
        "color": colour,
        "symbol": "circle",
        "symbolSize": 6,
        "emphasis": {"disabled": True},  # it would mix colours that are variables
    }


def _dots(name: str, data: list[Any], colour: str, symbol: str) -> dict[str, Any]:
    return _series_of(name, data, colour) | {"type": "scatter", "symbol": symbol, "symbolSize": 12}


def _level_lines(levels: Sequence[Level]) -> dict[str, Any]:
    label = {"position": "insideStartTop", "formatter": "{b}", "color": _SOFT, "fontSize": 11}
    return {
        "symbol": "none",
        "silent": True,
        "animation": False,
        "label": label,
        "lineStyle": {"color": _SOFT, "type": "dashed", "width": 1, "opacity": 0.7},
        "data": [{"name": it.name, "yAxis": it.value} for it in levels],
    }
