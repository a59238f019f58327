"""What every view has around it: title, navigation, stylesheet."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from fastapi import Request
from nicegui import ui

from randori.app.page.parts import box, link, text
from randori.app.service.rooms import Rooms
from randori.app.service.store import Profile

VIEWS = {"/": "Play", "/ladder": "Ladder", "/learning": "Learning", "/papers": "Papers"}


class Visit(NamedTuple):
    """Somebody looking at a view."""

    rooms: Rooms
    token: str
    profile: Profile
    is_owner: bool
    """Of the machine that this runs on."""


async def visit(request: Request, rooms: Rooms) -> Visit:
    """Who came; the gate has read their cookie."""
    token, is_owner = request.state.token, request.state.is_owner
    return Visit(rooms, token, await rooms.whoever(token), is_owner)


@contextmanager
def frame(title: str, path: str) -> Iterator[None]:
    """The view goes inside; `path` is the part of the navigation that it belongs to."""
    ui.page_title(f"{title} - Randori")
    ui.add_head_html('<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="/style.css">')
    link("Skip to the content", "#content", "skip")
    with box("header", "top"):
        link("randori", "/", "wordmark", aria_label="Randori, to the start")
        with box("nav", aria_label="Views"):
            for target, name in VIEWS.items():
                link(name, target, **({"aria_current": "page"} if target == path else {}))
    with box("div", "content", id="content"):  # the framework has put it into a `main` already
        yield
    with box("footer", "bottom"):
        text("span", "Free sparring: partners train by playing, each at the other's level.")
        link("API", "/docs")
