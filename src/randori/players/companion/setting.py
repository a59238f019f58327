"""Settings: how a player holds itself back, from random moves to all that it can."""

from typing import NamedTuple


class Setting(NamedTuple):
    """How a move is found: at random, by a master, or by a small search."""

    absent: float
    """The share of moves made without thinking: any legal one."""
    temperature: float
    """Moves of the search are drawn by their visits to the power 1 / temperature."""
    bound: float
    """The most that such a move may lose in the eyes of the search; a game won instead of lost is 2."""
    simulations: int
    mastery: float = 0.0
    """The share of the other moves that are the master's: the strongest player of the game, or the one whose style it is."""

    def toward(self, other: "Setting", share: float) -> "Setting":
        """The setting between two marks, at this share of the way: linear in shares of moves and in the bound,
        geometric in the rest.
        """
        return Setting(
            self.absent + share * (other.absent - self.absent),
            self.temperature * (other.temperature / self.temperature) ** share,
            self.bound + share * (other.bound - self.bound),
            round(self.simulations * (other.simulations / self.simulations) ** share),
            self.mastery + share * (other.mastery - self.mastery),
        )


_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
SEARCHING = (
    *(Setting(absent, 8.0, 2.0, 30) for absent in _SHARES),
    Setting(0.0, 4.0, 1.2, 30),
    Setting(0.0, 2.0, 0.8, 30),
    Setting(0.0, 1.0, 0.6, 60),
    Setting(0.0, 0.5, 0.45, 120),
    Setting(0.0, 0.25, 0.3, 250),
)
"""The marks that every dial has, the weakest first. Only below the fifth are moves left to chance."""

ALONE = (*SEARCHING, Setting(0.0, 0.25, 0.3, 600), Setting(0.0, 0.25, 0.3, 1500))
"""The marks of a game where no player is stronger than a search."""

MASTERED = (*SEARCHING, *(SEARCHING[-1]._replace(mastery=share) for share in (0.3, 0.6, 0.8, 0.9, 1.0)))
"""The marks of a game where a player is stronger: from the search of 250 simulations on, more and more moves are that
player's.
"""

STYLED = tuple(Setting(absent, 8.0, 2.0, 30, 0.5) for absent in _SHARES) + tuple(
    Setting(0.0, 8.0, 2.0, 30, share) for share in (0.75, 1.0)
)
"""The marks of a style: at least half of the moves that are not left to chance are the player's whose style it is; the others
are any that neither miss nor allow a win at once."""
