"""Small parts that every view is made of: plain HTML elements with our own style, not the framework's widgets."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from inspect import isawaitable
from typing import Any

from nicegui import ui

from randori.app.page.patience import GETTING_READY, explained, shown_busy
from randori.errors import UserError

Act = Callable[[], Awaitable[None] | None]
_PLY_SHOWN = "() => emit(Number(document.querySelector('.stage .board').dataset.ply))"
"""Sends the ply that the person saw when they pressed a button; the game may have moved on since."""


def text(tag: str, content: str, classes: str = "") -> ui.html:
    """An element that shows plain text; `set_text` changes it."""
    return ui.html(escape(content), sanitize=False, tag=tag).classes(classes)


def set_text(element: ui.html, content: str) -> None:
    element.set_content(escape(content))


def picture(markup: str, classes: str = "") -> ui.html:
    """An element with our own markup, such as an SVG or a table."""
    return ui.html(markup, sanitize=False).classes(classes)


def scrolling(markup: str, label: str) -> ui.html:
    """As `picture`, for what may be too wide: arrow keys scroll it once it has the focus."""
    element = picture(markup, "scroll")
    change(element, tabindex="0", role="region", aria_label=label)
    return element


@contextmanager
def box(tag: str = "div", classes: str = "", **attributes: str) -> Iterator[ui.element]:
    element = ui.element(tag).classes(classes)
    change(element, **attributes)
    with element:
        yield element


def button(label: str, act: Act, classes: str = "plain", **attributes: str) -> ui.html:
    element = ui.html(escape(label), sanitize=False, tag="button").classes(f"button {classes}")
    change(element, **{"type": "button", **attributes})
    element.on("click", event_handler(lambda _: act(), element), args=[])
    return element


def button_sending(
    sent: str, label: str, act: Callable[[object], Awaitable[None]], classes: str = "plain", **attributes: str
) -> ui.html:
    """`act` gets what the script `sent` emits in the browser, as it is at the moment of the click."""
    element = text("button", label, f"button {classes}")
    change(element, type="button", **attributes)
    element.on("click", event_handler(lambda event: act(event.args), element), js_handler=sent)
    return element


def button_here(
    label: str, act: Callable[[object], Awaitable[None]], classes: str = "plain", **attributes: str
) -> ui.html:
    """A button that acts on the position that the person sees: `act` gets its ply."""
    return button_sending(_PLY_SHOWN, label, act, classes, **attributes)


def link(label: str, target: str, classes: str = "", **attributes: str) -> ui.html:
    element = ui.html(escape(label), sanitize=False, tag="a").classes(classes)
    change(element, **{"href": target, **attributes})
    return element


def choice(
    label: str,
    options: Mapping[str, str],
    chosen: str,
    act: Callable[[str], Awaitable[None] | None] = lambda value: None,
) -> ui.element:
    """A list to choose from; `options` has what is sent and what is shown."""
    with box("label", "field"):
        text("span", label)
        with box("select") as select:
            for value, shown in options.items():
                _option(value, shown, value == chosen)
        handler = event_handler(lambda event: act(event.args))
        select.on("change", handler, js_handler="(event) => emit(event.target.value)")
    return select


def entry(label: str, value: str, **attributes: str) -> ui.element:
    """A field for text or a number."""
    with box("label", "field"):
        text("span", label)
        field = ui.element("input")
        change(field, **{"value": value, "autocomplete": "off", **attributes})
    return field


def add_option(select: ui.element, value: str, shown: str, place: int) -> None:
    """Adds an option. The choice stays as it is, and a list that somebody has opened stays open."""
    with select:
        _option(value, shown, False).move(select, target_index=place)


def _option(value: str, shown: str, chosen: bool) -> ui.html:
    option = ui.html(escape(shown), sanitize=False, tag="option")
    change(option, **{"value": value, **({"selected": "selected"} if chosen else {})})
    return option


class Twice:
    """A button for what cannot be undone: it asks before it acts."""

    def __init__(self, label: str, question: str, act: Act, **attributes: str) -> None:
        self._label, self._question, self._act, self._attributes = label, question, act, attributes
        self._is_asked = False

    def build(self) -> None:
        self._button = button(self._label, self._press, "quiet", **self._attributes)

    async def _press(self) -> None:
        if self._is_asked:
            await settle(self._act())
            return
        self._is_asked = True
        set_text(self._button, self._question)


def event_handler(
    act: Callable[[Any], Awaitable[None] | None], pressed: ui.element | None = None
) -> Callable[[Any], Awaitable[None]]:
    """A handler that calls `act`. The person sees why it refuses, or that it waits for the compiler; what was pressed
    shows that it is busy."""

    async def handle(event: Any) -> None:
        client = ui.context.client

        def explain() -> None:
            with client:
                notify(GETTING_READY)

        try:
            async with explained(explain), shown_busy(pressed):
                await settle(act(event))
        except UserError as error:
            notify(str(error))

    return handle


def notify(sentence: str) -> None:
    ui.notify(sentence, position="bottom", classes="notice", timeout=max(4000, 60 * len(sentence)))


async def settle(outcome: Awaitable[None] | None) -> None:
    """Awaits the outcome, if there is anything to await."""
    if isawaitable(outcome):
        await outcome


def change(element: ui.element, **attributes: str) -> None:
    """Sets attributes; an underscore in a name stands for a hyphen."""
    for name, value in attributes.items():
        element.props[name.replace("_", "-")] = value
    element.update()
