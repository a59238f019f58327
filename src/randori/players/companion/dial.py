"""The dial: settings from random moves to a strong search, each with its measured strength in a game.

`dial.json` keeps what `python -m randori.experiments.make_companion` measured.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori.core.game import Game
from randori.errors import warn
from randori.reading import DamagedFile, read_json

DIAL_FILE = Path(__file__).with_name("dial.json")


class Setting(NamedTuple):
    """How a search holds itself back."""

    absent: float
    """The share of moves made without a thought: any legal one."""
    temperature: float
    """Moves are drawn by their visits in the search to the power 1 / temperature."""
    bound: float
    """The most that a move may lose in the eyes of the search; a game won instead of lost is 2."""
    simulations: int

    def toward(self, other: "Setting", share: float) -> "Setting":
        """The setting so far on the way: evenly in the share of moves and in the bound, else in ratios."""
        return Setting(
            self.absent + share * (other.absent - self.absent),
            self.temperature * (other.temperature / self.temperature) ** share,
            self.bound + share * (other.bound - self.bound),
            round(self.simulations * (other.simulations / self.simulations) ** share),
        )


SETTINGS = (
    *(Setting(absent, 8.0, 2.0, 30) for absent in (1.0, 0.75, 0.5, 0.25, 0.0)),
    Setting(0.0, 4.0, 1.2, 30),
    Setting(0.0, 2.0, 0.8, 30),
    Setting(0.0, 1.0, 0.6, 60),
    Setting(0.0, 0.5, 0.45, 120),
    Setting(0.0, 0.25, 0.3, 250),
    Setting(0.0, 0.25, 0.3, 600),
    Setting(0.0, 0.25, 0.3, 1500),
)
"""The marks of the dial, the weakest first. Only below the fifth are moves left to chance."""

# Where nobody has measured: about as in Connect Four.
_ASSUMED = (0.0, 110.0, 240.0, 380.0, 550.0, 620.0, 700.0, 780.0, 860.0, 940.0, 1050.0, 1150.0)
_ASSUMED_LOSSES = ((0.0, 0.14, 0.08), (500.0, 0.09, 0.07), (1000.0, 0.05, 0.05))


class Rung(NamedTuple):
    """How much players of a rating lose by their moves: mean and deviation of a game's mean loss."""

    elo: float
    loss: float
    deviation: float


@dataclass(frozen=True)
class Dial:
    """Strengths of the settings in one game, rising, and what players of known strength lose by their moves."""

    elos: tuple[float, ...]
    losses: tuple[Rung, ...]
    measured: bool
    """False where the figures are taken over from another game."""

    @property
    def weakest(self) -> float:
        return self.elos[0]

    @property
    def strongest(self) -> float:
        return self.elos[-1]

    def setting(self, elo: float) -> Setting:
        """The setting of a strength; beyond the ends of the dial it stays there."""
        aim = min(max(elo, self.weakest), self.strongest)
        for i, (low, high) in enumerate(pairwise(self.elos)):
            if aim <= high:
                return SETTINGS[i].toward(SETTINGS[i + 1], (aim - low) / (high - low))
        raise AssertionError(f"{elo} is no strength.")


@cache
def dial(game: Game) -> Dial:
    """The dial of a game; an assumed one where nobody has measured it, or what was measured is damaged."""
    try:
        kept = read_json(DIAL_FILE) if DIAL_FILE.exists() else {}
        if game.name in kept:
            return _measured(game, kept[game.name])
    except DamagedFile as error:
        warn(str(error))
    except (LookupError, TypeError, ValueError):
        warn(f"'{DIAL_FILE}' is damaged: the dial of {game.title} cannot be read; install Randori again.")
    return Dial(_ASSUMED, tuple(Rung(*it) for it in _ASSUMED_LOSSES), measured=False)


def _measured(game: Game, of_game: Any) -> Dial:
    elos = rising([it["rating"] for it in of_game["settings"]])
    if len(elos) != len(SETTINGS):
        raise RuntimeError(f"The dial of {game.title} has other marks: run make_companion {game.name} again.")
    # The better the player, the less it loses: where games show otherwise, moves tell nothing of strength.
    less = rising([-it["loss"] for it in of_game["losses"]], least=0.0)
    rungs = [Rung(it["rating"], -less[i], it["deviation"]) for i, it in enumerate(of_game["losses"])]
    return Dial(elos, tuple(rungs), measured=True)


def rising(measured: list[float], least: float = 1.0) -> tuple[float, ...]:
    """Measurements as numbers that rise by at least `least`: neighbours in the wrong order share their mean."""
    pools: list[tuple[float, int]] = []  # mean and size
    for value in measured:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (last, m), (before, n) = pools.pop(), pools.pop()
            pools.append(((before * n + last * m) / (n + m), n + m))
    flat = np.repeat([mean for mean, _ in pools], [n for _, n in pools])
    risen = [float(flat[0])]
    for value in flat[1:]:
        risen.append(max(float(value), risen[-1] + least))
    return tuple(risen)
