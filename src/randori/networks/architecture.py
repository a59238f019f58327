"""What a network looks like: enough to build it anywhere, and the names and shapes of its arrays."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game
from randori.core.layout import Columns, Squares, Steps
from randori.errors import UserError
from randori.networks.planes import N_PLANES
from randori.networks.steps import Ways, ways_of

ActionKind = Literal["squares", "squares-pass", "columns", "steps", "steps-pass"]

_GREATEST_SIZE = 65_536
"""A file that claims more is damaged; its claims are listed before its arrays are looked at."""


def _check_sizes(least: int = 1, **sizes: int) -> None:
    for name, size in sizes.items():
        if type(size) is not int or not least <= size <= _GREATEST_SIZE:
            raise ValueError(f"no network has {size!r:.40} for its {name}")


@dataclass(frozen=True)
class Residual:
    """A trunk of residual blocks with a policy and a value head, none of which knows the size of the board.

    Every convolution `NAME.conv` is followed by a batch norm `NAME.norm`. The policy is a map over the squares, summed
    over each column where an action is one; where actions are steps, there is a map of the squares where they begin for
    each way that a piece can go. The value and the pass come from means over the board.
    """

    channels: int
    blocks: int
    actions: ActionKind
    planes: int = N_PLANES
    value_units: int = 64
    ways: Ways = ()
    """Of steps alone."""

    def __post_init__(self) -> None:
        _check_sizes(channels=self.channels, planes=self.planes, value_units=self.value_units)
        _check_sizes(least=0, blocks=self.blocks)
        if self.actions.startswith("steps") != bool(self.ways):
            raise ValueError("a network of steps, and no other, names the ways that pieces go")

    @property
    def n_maps(self) -> int:
        return len(self.ways) or 1

    @property
    def passes(self) -> bool:
        return self.actions.endswith("-pass")


@dataclass(frozen=True)
class Dense:
    """Layers that are fully connected, with a sigmoid after each, the last included."""

    inputs: int
    hidden: tuple[int, ...]
    outputs: int

    def __post_init__(self) -> None:
        for width in self.widths:
            _check_sizes(width=width)

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.inputs, *self.hidden, self.outputs)


Architecture = Residual | Dense


def residual_for(game: Game, channels: int, blocks: int) -> Residual:
    """A residual network with an output for each action of the game, where `by_action` finds it."""
    return Residual(channels, blocks, _kind(game), ways=ways_of(game))


def _kind(game: Game) -> ActionKind:
    if isinstance(game.layout, Columns):
        return "columns"
    if isinstance(game.layout, Steps):
        return "steps-pass" if game.layout.passes else "steps"
    return "squares-pass" if game.layout.passes else "squares"


def refusal(game: Game) -> str | None:
    """Why no network can judge the positions of a game; None where one can."""
    if not game.cells_suffice:
        return "its network sees only the pieces on the board, and here they do not tell the whole position"
    if not isinstance(game.layout, Squares | Columns | Steps):
        return (
            "its network tells of squares, columns or steps from one square to another, and here a move is none of them"
        )
    return None


def check_fits(game: Game, architecture: Architecture) -> None:
    """Raises UserError where a residual network tells of other actions than those of the game, or wants other planes."""
    if not isinstance(architecture, Residual):
        return
    if (architecture.actions, architecture.ways, architecture.planes) != (_kind(game), ways_of(game), N_PLANES):
        raise UserError(f"This network was trained for other moves than {game.title} has; train it again.")


def array_shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """The shape of every array of the network."""
    if isinstance(architecture, Dense):
        layers = {f"layers.{place}": (*reversed(widths),) for place, widths in enumerate(pairwise(architecture.widths))}
        return _with_biases(layers)
    width, units, maps = architecture.channels, architecture.value_units, architecture.n_maps
    convolutions = {"stem": (width, architecture.planes, 3, 3), "policy": (width, width, 1, 1)}
    convolutions["value"] = convolutions["policy"]
    for block in range(architecture.blocks):
        convolutions |= {f"blocks.{block}.{part}": (width, width, 3, 3) for part in ("first", "second")}
    found: dict[str, tuple[int, ...]] = {f"{name}.conv.weight": shape for name, shape in convolutions.items()}
    for part in ("weight", "bias", "running_mean", "running_var"):
        found |= {f"{name}.norm.{part}": (width,) for name in convolutions}
    linear = {"policy_map": (maps, width, 1, 1), "value_hidden": (units, width), "value_output": (1, units)}
    if architecture.passes:
        linear["policy_pass"] = (1, width)
    return found | _with_biases(linear)


def _with_biases(weights: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": it for name, it in weights.items()} | {
        f"{name}.bias": it[:1] for name, it in weights.items()
    }


def check_arrays(architecture: Architecture, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raises ValueError where these are not the arrays of such a network."""
    for name, shape in array_shapes(architecture).items():
        if name not in arrays:
            raise ValueError(f"the network has no {name}")
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape} instead of {shape}")
        if arrays[name].dtype.kind != "f":
            raise ValueError(f"{name} is an array of {arrays[name].dtype}, not of weights")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
        if name.endswith("running_var") and (arrays[name] < 0).any():
            raise ValueError(f"{name} has variances below 0")


def to_settings(architecture: Architecture) -> dict[str, Any]:
    """Plain values, as a player file keeps them."""
    settings = {"kind": type(architecture).__name__, **asdict(architecture)}
    # Files from before there were networks of steps say nothing of ways; nor do others that have none.
    return {name: it for name, it in settings.items() if name != "ways" or it}


def from_settings(settings: dict[str, Any]) -> Architecture:
    values: dict[str, Any] = {key: _frozen(it) for key, it in settings.items() if key != "kind"}
    if settings["kind"] == "Residual":
        return Residual(**values)
    if settings["kind"] == "Dense":
        return Dense(**values)
    raise ValueError(f"there is no network of kind {settings['kind']!r}")


def _frozen(value: Any) -> Any:
    """JSON's lists as tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
