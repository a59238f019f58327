"""The companion itself: the strength that suits an estimate, and the words for it."""

from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.players.companion.dial import dial
from randori.players.companion.estimate import Estimate, fair_elo, first_estimate
from randori.players.companion.weakened import Weakened
from randori.players.kinds import Offer

NEWCOMER = "newcomer"
OFFER = Offer("companion", "Companion", "plays about as strongly as you do")
"""To a person whose games it knows."""


@dataclass(frozen=True)
class Companion:
    """Plays so strongly that the person is expected to score `target`."""

    game: Game
    estimate: Estimate
    target: float = 0.5

    def __post_init__(self) -> None:
        if not 0.05 <= self.target <= 0.95:
            raise UserError(f"The score to aim at is 0.05 to 0.95, not {self.target}.")

    @property
    def name(self) -> str:
        elo = NEWCOMER if self.estimate == first_estimate(self.game) else f"{self.estimate.elo:.0f}"
        options = [f"elo={elo}"] * (elo != NEWCOMER) + [f"target={self.target}"] * (self.target != 0.5)
        return f"companion:{','.join(options)}" if options else "companion"

    @property
    def elo(self) -> float:
        """How strong it plays now: what the estimate asks for, within the dial."""
        scale = dial(self.game)
        return min(max(fair_elo(self.estimate, self.target), scale.weakest), scale.strongest)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return Weakened(self.game, dial(self.game).setting(self.elo)).choose(states, rng)

    def account(self) -> str:
        """One sentence for people, afterwards."""
        setting = dial(self.game).setting(self.elo)
        if setting.absent == 1:
            how = "every move was any legal one"
        elif setting.absent > 0.005:
            how = f"{100 * setting.absent:.0f} % of my moves were any legal one"
        else:
            how = f"I looked at {setting.simulations} continuations a move"
        scale = (
            "a random player being 0" if dial(self.game).measured else "a guess, since this game is not measured yet"
        )
        return f"I played at about {self.elo:.0f} Elo ({scale}): {how}."


def companion_for(game: Game, elo: str = NEWCOMER, target: float = 0.5) -> Companion:
    """The player of a spec such as `companion:elo=400`: for a person of that rating, or for a newcomer."""
    if elo == NEWCOMER:
        return Companion(game, first_estimate(game), target)
    try:
        rating = float(elo)
    except ValueError:
        raise UserError(f"The option elo of the companion is a rating or '{NEWCOMER}', not '{elo}'.") from None
    return Companion(game, Estimate(rating, 0.0, 0), target)
