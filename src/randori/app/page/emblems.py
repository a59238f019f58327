"""Small pictures of the boards: a corner of each."""

_MARKS = """
<path d="M16 4V44M32 4V44M4 16H44M4 32H44"/><path class="a" d="M6 6l8 8m0-8l-8 8"/>
<circle class="b ring" cx="24" cy="24" r="5"/>
"""
_DROP = """
<rect class="frame" x="3" y="3" width="42" height="42" rx="5"/>
<circle class="a" cx="14" cy="34" r="6.5"/><circle class="b" cx="34" cy="34" r="6.5"/>
<circle class="b" cx="14" cy="15" r="6.5"/><circle class="hole" cx="34" cy="15" r="6.5"/>
"""
_DISCS = """
<rect class="felt" x="3" y="3" width="42" height="42" rx="5"/><path d="M24 3V45M3 24H45"/>
<circle class="w" cx="13.5" cy="13.5" r="7"/><circle class="k" cx="34.5" cy="13.5" r="7"/>
<circle class="k" cx="13.5" cy="34.5" r="7"/><circle class="w" cx="34.5" cy="34.5" r="7"/>
"""
_STONES = """
<rect class="wood" x="3" y="3" width="42" height="42" rx="5"/>
<path d="M12 3V45M24 3V45M36 3V45M3 12H45M3 24H45M3 36H45"/>
<circle class="k" cx="24" cy="24" r="5.5"/><circle class="w" cx="36" cy="12" r="5.5"/>
<circle class="k" cx="12" cy="36" r="5.5"/>
"""
_HEXAGONS = """
<g transform="translate(-1.5 -2.7)">
<path class="cell" d="M10.5 5l7.5 4.3v8.7l-7.5 4.3-7.5-4.3v-8.7zM25.5 5l7.5 4.3v8.7l-7.5 4.3-7.5-4.3v-8.7z"/>
<path class="cell" d="M18 18l7.5 4.3v8.7l-7.5 4.3-7.5-4.3v-8.7zM33 18l7.5 4.3v8.7l-7.5 4.3-7.5-4.3v-8.7z"/>
<path class="cell" d="M25.5 31l7.5 4.3v8.7l-7.5 4.3-7.5-4.3v-8.7zM40.5 31l7.5 4.3v8.7l-7.5 4.3-7.5-4.3v-8.7z"/>
<circle class="a" cx="25.5" cy="13.7" r="4.8"/><circle class="a" cx="18" cy="26.7" r="4.8"/>
<circle class="b" cx="33" cy="26.7" r="4.8"/></g>
"""
_EMBLEMS = {"marks": _MARKS, "drop": _DROP, "discs": _DISCS, "stones": _STONES, "hexagons": _HEXAGONS}


def emblem(kind: str) -> str:
    """SVG for a kind of board."""
    return f'<svg viewBox="0 0 48 48" class="emblem-{kind}" aria-hidden="true">{_EMBLEMS[kind]}</svg>'
