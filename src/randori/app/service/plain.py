"""Plain pages, of markup and the stylesheet alone, for errors and the login; and what every view has around it."""

from collections.abc import Mapping
from html import escape

from starlette.responses import HTMLResponse, JSONResponse, Response

VIEWS = {
    "/": "Play",
    "/review": "Review",
    "/analysis": "Analysis",
    "/practice": "Practice",
    "/ladder": "Ladder",
    "/learning": "Learning",
    "/league": "League",
    "/papers": "Papers",
}
STYLE = "/style.css"
SETTINGS = "/settings.js"
# The script comes before anything is drawn, so that nobody who has chosen the night sees a flash of day.
HEAD = (
    f'<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="{STYLE}">'
    f'<script src="{SETTINGS}"></script>'
)
SKIP = '<a class="skip" href="#content">Skip to the content</a>'
FOOTER = '<span>Free sparring: partners train by playing, each at the other\'s level.</span><a href="/docs">API</a>'
_TITLES = {
    400: "That cannot be read",
    403: "You may not do that",
    404: "There is no such page",
    405: "That method is not accepted",
    413: "That is too long",
    429: "Too much at once",
    500: "Something went wrong",
    503: "Not available at the moment",
}
_MAIN = " main"
_HOME = {"To the start": "/"}
_FOR_PROGRAMS = ("/api", "/health", "/openapi.json")


def navigation(path: str) -> str:
    """`path` is that of the current view."""
    current = ' aria-current="page"'
    links = "".join(f'<a href="{it}"{current if it == path else ""}>{name}</a>' for it, name in VIEWS.items())
    wordmark = '<a class="wordmark" href="/" aria-label="Randori, to the start">randori</a>'
    settings = '<button type="button" class="button quiet" id="settings" aria-haspopup="dialog">Settings</button>'
    return f'{wordmark}<nav aria-label="Views">{links}</nav>{settings}'


def plain_page(title: str, content: str, is_inside: bool = True) -> str:
    """A whole document; `is_inside` adds the links to the other views."""
    header = navigation("") if is_inside else '<span class="wordmark">randori</span>'
    footer = f'<footer class="bottom">{FOOTER}</footer>' if is_inside else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - Randori</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{HEAD}</head><body><div class="plain">{SKIP}'
        f'<header class="top">{header}</header><main class="content" id="content"><h1>{escape(title)}</h1>{content}</main>'
        f"{footer}</div></body></html>"
    )


def problem_page(status: int, sentence: str, links: Mapping[str, str] = _HOME) -> Response:
    """The product's own page for what went wrong; `links` lead on."""
    ways = "".join(
        f'<a class="button{_MAIN if target == "/" else ""}" href="{escape(target)}">{escape(name)}</a>'
        for name, target in links.items()
    )
    content = f'<p>{escape(sentence)}</p><div class="ways">{ways}</div>'
    return HTMLResponse(plain_page(_TITLES.get(status, "That does not work"), content), status, _retry(status))


def problem(path: str, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """What went wrong, for programs or for people."""
    if is_for_programs(path):
        return JSONResponse({"detail": sentence}, status, {**_retry(status), **(headers or {})})
    page = problem_page(status, sentence)
    page.headers.update(headers or {})
    return page


def is_for_programs(path: str) -> bool:
    return any(path == it or path.startswith(f"{it}/") for it in _FOR_PROGRAMS)


def _retry(status: int) -> dict[str, str]:
    return {"Retry-After": "1"} if status in (429, 503) else {}
