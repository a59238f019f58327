"""Links to share."""

from nicegui import ui

from randori.app.page.parts import change
from randori.app.service.room import Room


class ShareElement(ui.element, component="share.js"):
    """A button that copies a link of this server, or shares it where the device can."""

    def __init__(self, path: str, label: str, name: str, look: str = "plain", field: bool = False) -> None:
        """`field` shows the link, too."""
        super().__init__()
        self.props.update({"path": path, "label": label, "name": name, "look": look, "field": field})

    def lead_to(self, path: str) -> None:
        if self.props["path"] != path:
            change(self, path=path)


def record_path(room: Room) -> str:
    """Where everybody can look at the moves so far, and nobody can change them."""
    return f"/review?game={room.game.name}&moves={room.transcript}"
