"""Options of which one is chosen, each as a tile."""

from collections.abc import Awaitable, Callable, Mapping
from html import escape
from typing import Any

from nicegui import ui

from randori.app.page.parts import event_handler, settle


class Tiles(ui.element, component="tiles.js"):
    """All of them are one element of the framework: each of those costs every page about 0.15 ms."""

    def __init__(
        self,
        label: str,
        options: Mapping[str, str],
        chosen: str,
        act: Callable[[str], Awaitable[None] | None],
        classes: str,
    ) -> None:
        """The options are markup."""
        super().__init__()
        self._act, self._options = act, options
        self.classes(classes)
        tiles = [{"value": value, "content": content} for value, content in options.items()]
        self._props.update(label=label, tiles=tiles, chosen=chosen)
        self.on("choose", event_handler(self._choose))

    def choose(self, value: str) -> None:
        """Shows this option as chosen; none if it does not exist."""
        self.props["chosen"] = value
        self.update()

    def set_content(self, value: str, content: str) -> None:
        """Changes the markup of one option."""
        tiles = self.props["tiles"]
        self.props["tiles"] = [it | {"content": content} if it["value"] == value else it for it in tiles]
        self.update()

    async def _choose(self, event: Any) -> None:
        if event.args in self._options:
            self.choose(event.args)
            await settle(self._act(event.args))


def words(title: str, note: str = "") -> str:
    """Markup of what a tile says."""
    below = f'<span class="note">{escape(note)}</span>' if note else ""
    return f'<span class="words"><span class="name">{escape(title)}</span>{below}</span>'
