"""What every view has around it: title, navigation, stylesheet."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from fastapi import Request
from nicegui import ui

from randori.app.page.parts import box, picture
from randori.app.service.plain import FOOTER, HEAD, SKIP, navigation
from randori.app.service.rooms import Rooms
from randori.app.service.store import Profile


class Visit(NamedTuple):
    """A visitor looking at a view."""

    rooms: Rooms
    token: str
    profile: Profile
    is_owner: bool
    """Whether they own the machine that this runs on."""


async def visit(request: Request, rooms: Rooms) -> Visit:
    """Whoever sent the request; the gate has read their cookie."""
    token, is_owner = request.state.token, request.state.is_owner
    return Visit(rooms, token, await rooms.profile_of(token), is_owner)


@contextmanager
def frame(title: str, path: str) -> Iterator[None]:
    """The view goes inside; `path` is the part of the navigation that it belongs to."""
    ui.page_title(f"{title} - Randori")
    ui.add_head_html(HEAD)
    picture(SKIP)
    ui.html(navigation(path), sanitize=False, tag="header").classes("top")
    with box("div", "content", id="content"):  # the framework has put it into a `main` already
        yield
    ui.html(FOOTER, sanitize=False, tag="footer").classes("bottom")
