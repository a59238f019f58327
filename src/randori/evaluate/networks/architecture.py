"""What a network looks like: enough to build it anywhere, and the names and shapes of its arrays."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from randori.game import Game
from randori.planes import N_PLANES

ActionKind = Literal["squares", "squares-pass", "columns"]


@dataclass(frozen=True)
class Residual:
    """A trunk of residual blocks with a policy and a value head, none of which knows the size of the board.

    Every convolution `NAME.conv` is followed by a batch norm `NAME.norm`. The policy is a map over the squares, summed
    over each column where an action is one; the value and the pass come from means over the board.
    """

    channels: int
    blocks: int
    actions: ActionKind
    planes: int = N_PLANES
    value_units: int = 64


@dataclass(frozen=True)
class Dense:
    """Layers that are fully connected, with a sigmoid after each, the last included."""

    inputs: int
    hidden: tuple[int, ...]
    outputs: int

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.inputs, *self.hidden, self.outputs)


Architecture = Residual | Dense


def residual_for(game: Game, channels: int, blocks: int) -> Residual:
    """A residual network with an output for each action of the game."""
    kind: ActionKind = "squares-pass" if game.has_pass else "squares"
    return Residual(channels, blocks, "columns" if game.n_actions == game.shape[1] else kind)


def to_settings(architecture: Architecture) -> dict[str, Any]:
    """Plain values, as a player file keeps them."""
    return {"kind": type(architecture).__name__, **asdict(architecture)}


def from_settings(settings: dict[str, Any]) -> Architecture:
    values: dict[str, Any] = {
        key: tuple(it) if isinstance(it, list) else it for key, it in settings.items() if key != "kind"
    }
    if settings["kind"] == "Residual":
        return Residual(**values)
    if settings["kind"] == "Dense":
        return Dense(**values)
    raise ValueError(f"there is no network of kind {settings['kind']!r}")
