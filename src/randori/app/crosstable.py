"""A tournament as a page of its own: ratings with their intervals, and who scored what against whom."""

from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Protocol

from randori.arena import Tournament
from randori.arena.match import Forfeited
from randori.arena.ratings import Rating

_STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c2128, #e6e9ee); --line: light-dark(#d5dae1, #3b434e);
  --paper: light-dark(#fbfaf8, #16191e); --bar: light-dark(#3d6b8e, #7fb2d9); }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1.5rem 0; } caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .35rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child, .name { text-align: left; } td.score { min-width: 3.2rem; }
svg { display: block } .whisker { stroke: var(--bar); stroke-width: 2 } .dot { fill: var(--bar) }
"""


class Standings(Protocol):
    """What the tables show: a tournament that was played just now, or one that was kept."""

    @property
    def ratings(self) -> list[Rating]: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def forfeited(self) -> list[Forfeited]: ...

    @property
    def failures(self) -> dict[str, str]: ...

    def score(self, name: str, opponent: str) -> float | None: ...

    def forfeits(self, name: str, opponent: str | None = None) -> int: ...


_NO_TITLES: Mapping[str, str] = MappingProxyType({})


def cross_table_html(played: Tournament) -> str:
    """One page without anything from outside."""
    note = "" if played.complete else "<p>The tournament was interrupted; these are the games that had ended.</p>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(played.game.title)}</title>"
        f"<meta name=viewport content='width=device-width'><style>{_STYLE}</style>"
        f"<h1>{escape(played.game.title)}</h1>{note}{ratings_table(played)}{score_table(played)}</html>"
    )


def ratings_table(played: Standings, titles: Mapping[str, str] = _NO_TITLES) -> str:
    """A table of ratings with their intervals, the strongest first; `titles` are what people call the players."""
    low = min((it.low for it in played.ratings), default=0.0)
    span = max((it.high for it in played.ratings), default=1.0) - low or 1.0
    forfeits = bool(played.forfeited)
    rows = "".join(
        f"<tr><td>{place}</td><td class=name>{_called(it.name, titles)}</td><td>{it.elo:.0f}</td>"
        f"<td>{it.low:.0f} .. {it.high:.0f}</td><td>{whisker(it.low, it.elo, it.high, low, span)}</td>"
        f"<td>{it.games}</td><td>{100 * it.score:.1f}%</td>"
        f"{f'<td>{played.forfeits(it.name)}</td>' if forfeits else ''}</tr>"
        for place, it in enumerate(played.ratings, start=1)
    )
    return (
        f"<table><caption>Ratings (Elo scale, random = 0, 95% intervals)</caption>"
        f"<tr><td></td><th class=name>player</th><th>rating</th><th>interval</th><td></td><th>games</th>"
        f"<th>score</th>{'<th>forfeits</th>' if forfeits else ''}</tr>{rows}</table>"
    )


def score_table(played: Standings, titles: Mapping[str, str] = _NO_TITLES) -> str:
    """Who scored what against whom; cells are coloured from all lost to all won."""
    names = played.names
    header = "".join(f"<th>{place}</th>" for place in range(1, len(names) + 1))
    rows = "".join(
        f"<tr><td>{place} {_called(name, titles)}</td>{''.join(_cell(played, name, other) for other in names)}</tr>"
        for place, name in enumerate(names, start=1)
    )
    return (
        f"<table class=cross><caption>Score of the row against the column, in %</caption>"
        f"<tr><td></td>{header}</tr>{rows}</table>{_notes(played, titles)}"
    )


def _notes(played: Standings, titles: Mapping[str, str]) -> str:
    """Why games were forfeited, and who left."""
    notes = [
        f"{_called(it.player, titles)} forfeited {it.games} {'game' if it.games == 1 else 'games'}: {escape(it.reason)}"
        for it in played.forfeited
    ]
    if notes:
        notes.insert(0, "* counts forfeited games as lost; ratings leave them out.")
    return "".join(f"<p>{it}</p>" for it in [*notes, *map(escape, played.failures.values())])


def _called(spec: str, titles: Mapping[str, str]) -> str:
    return f"<span title='{escape(spec)}'>{escape(titles[spec])}</span>" if spec in titles else escape(spec)


def whisker(low: float, middle: float, high: float, least: float, span: float) -> str:
    """A rating and its interval on a scale that begins at `least`."""
    left, dot, right = (4 + 192 * (value - least) / span for value in (low, middle, high))
    return (
        f"<svg width=200 height=16 role=img aria-label='{low:.0f} to {high:.0f}'>"
        f"<line class=whisker x1={left:.1f} y1=8 x2={right:.1f} y2=8 /><circle class=dot cx={dot:.1f} cy=8 r=4 /></svg>"
    )


def _cell(played: Standings, name: str, other: str) -> str:
    score = played.score(name, other)
    if score is None:
        return "<td></td>"
    hue, mark = 10 + 130 * score, "*" if played.forfeits(name, other) else ""
    return f"<td class=score style='background:hsl({hue:.0f} 55% 50% / 0.35)'>{100 * score:.0f}{mark}</td>"
