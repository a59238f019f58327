"""Part 5 of the paper: a drawing of an evolved network, and the attributes that networks ignore."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.experiments.findings import decide
from randori.experiments.intervals import interval_of_mean
from randori.experiments.report import Claim, Figure
from randori.methods.evolution.drawing import draw_network
from randori.methods.evolution.networks import Network, prune_dead
from randori.methods.evolution.player import Evolved
from randori.players.files import PLAYER_FILE, load_player
from randori.tensorfile import write_whole


def _player(folder: Path) -> Evolved:
    player = load_player(folder / PLAYER_FILE, games.game("tictactoe"))
    assert isinstance(player, Evolved)
    return player


def drawn_network(run: Path, file: Path) -> int:
    """Draws the first mover's network of a run; how many of its hidden units reach the output."""
    player = _player(run)
    svg = draw_network(player.networks[0], player.features, "An evolved network for Tic-Tac-Toe, first mover")
    write_whole(file, svg.encode())
    return int(np.sum(player.networks[0][:, -1] != 0))


def ignored(network: Network) -> NDArray[np.bool_]:
    """`[F]`: whether no link leads from a feature to the output."""
    return np.asarray((prune_dead(network)[:, :-2] == 0).all(axis=0))


def ignored_attributes(runs: list[Path]) -> tuple[list[Figure], Claim]:
    """How many networks of the runs ignore each attribute, and whether the first is ignored more often than the others."""
    players = [_player(run) for run in runs]
    names = players[0].features
    found = np.array([[ignored(network) for network in it.networks] for it in players])  # [runs, seats, F]
    counts = found.sum(axis=(0, 1))
    n = found.shape[0] * found.shape[1]
    figures = [
        Figure(f"networks of {n} that ignore attribute {place}, {name}", int(count))
        for place, (name, count) in enumerate(zip(names, counts, strict=True))
    ]
    more = (found[..., 0] - found[..., 1:].mean(axis=-1)).mean(axis=1)  # [runs]
    low, high = interval_of_mean(more)
    claim = Claim(
        "An evolved network ignores attribute 0, the edges.",
        decide((low, high)),
        f"{counts[0]} of {n} networks do. Their share minus the mean share for the other attributes: {more.mean():+.2f} "
        f"({low:+.2f} .. {high:+.2f}).",
    )
    return figures, claim
