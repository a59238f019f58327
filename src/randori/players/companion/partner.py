"""The companion itself: plays at the strength that suits an estimate, and describes it in words."""

from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.players.companion.dial import Dial, dial, style_dial
from randori.players.companion.estimate import Estimate, fair_elo, first_estimate
from randori.players.companion.setting import Setting
from randori.players.companion.styles import master
from randori.players.companion.weakened import Weakened
from randori.players.kinds import Offer

NEWCOMER = "newcomer"
OFFER = Offer("companion", "Companion", "plays about as strongly as you do")
"""The offer to a person whose games it knows."""


@dataclass(frozen=True)
class Companion:
    """Plays just strongly enough that the person is expected to score `target`, in the `style` of a player where one is
    given.
    """

    game: Game
    estimate: Estimate
    target: float = 0.5
    style: str | None = None

    def __post_init__(self) -> None:
        if not 0.05 <= self.target <= 0.95:
            raise UserError(f"The target score must be 0.05 to 0.95, not {self.target}.")
        _ = self.dial  # which refuses an unknown style

    @property
    def name(self) -> str:
        known = self.estimate != first_estimate(self.game)
        options = [f"elo={self.estimate.elo:.0f}"] * known + [f"target={self.target}"] * (self.target != 0.5)
        if self.style is not None:
            options.append(f'style="{self.style}"' if "," in self.style else f"style={self.style}")
        return f"companion:{','.join(options)}" if options else "companion"

    @property
    def dial(self) -> Dial:
        return dial(self.game) if self.style is None else style_dial(self.game, self.style)

    @property
    def elo(self) -> float:
        """How strong it plays now: what the estimate asks for, within the dial."""
        return min(max(fair_elo(self.estimate, self.target), self.dial.weakest), self.dial.strongest)

    @property
    def setting(self) -> Setting:
        return self.dial.setting(self.elo)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        setting, spec = self.setting, self.dial.master
        who = master(self.game, spec) if spec is not None and setting.mastery else None
        return Weakened(self.game, setting, who).choose(states, rng)

    def introduction(self) -> str:
        """How strong it will play and why, for people, before the game."""
        if self._knows_nobody:
            reason = "I do not know yet how strong you are, so I begin gently."
        else:
            games = "1 game" if self.estimate.games == 1 else f"{self.estimate.games} games"
            reason = f"After {games} I estimate your rating at {self._estimated}."
        return self._description("I will play", "", reason)

    def account(self) -> str:
        """How strong it played and why, for people, afterwards."""
        if self._knows_nobody:
            reason = "I did not know yet how strong you are, so I began gently."
        else:
            reason = f"Before this game I estimated your rating at {self._estimated}."
        return self._description("I played", f": {self._how()}", reason)

    def _description(self, opening: str, how: str, reason: str) -> str:
        who = opening if self.style is None else f"In the style of {self.style}, {opening}"
        strength = f"{who} at about {self.elo:.0f} Elo, where a random player has 0{self._doubt()}{how}."
        asked_for = self.estimate.games == 0 and self.estimate.deviation == 0
        return " ".join(filter(None, [strength, "" if asked_for else reason, self._limit()]))

    @property
    def _knows_nobody(self) -> bool:
        return self.estimate.games == 0

    @property
    def _estimated(self) -> str:
        rating = f"{self.estimate.elo:.0f} ± {self.estimate.deviation:.0f}"
        return rating if self.target == 0.5 else f"{rating}, and I aim at a score of {100 * self.target:.0f}% for you"

    def _doubt(self) -> str:
        if self.dial.measured:
            return ""
        what = "this game" if self.style is None else "this style on this board"
        return f" (a guess, because {what} is not measured; your results correct it)"

    def _limit(self) -> str:
        wanted = fair_elo(self.estimate, self.target)
        if wanted > self.dial.strongest + 1:
            return "I cannot play more strongly" + (" than this." if self.style is None else " in this style.")
        return "I cannot play more weakly than this." if wanted < self.dial.weakest - 1 else ""

    def _how(self) -> str:
        setting = self.setting
        if setting.absent == 1:
            return "all my moves were random"
        if setting.absent > 0.005:
            return f"{100 * setting.absent:.0f}% of my moves were random"
        search = f"I looked at {setting.simulations} continuations"
        if not setting.mastery:
            return f"{search} per move"
        of_whom = self.style or "the strongest player I know here"
        if setting.mastery == 1:
            return f"all my moves were those of {of_whom}"
        return f"{100 * setting.mastery:.0f}% of my moves were those of {of_whom}, and for the others {search}"


def companion_for(game: Game, elo: str = NEWCOMER, target: float = 0.5, style: str | None = None) -> Companion:
    """The player of a spec such as `companion:elo=400,style=som`: for a person of that rating, or for a newcomer."""
    if elo == NEWCOMER:
        return Companion(game, first_estimate(game), target, style)
    try:
        rating = float(elo)
    except ValueError:
        raise UserError(f"The companion's option elo must be a rating or '{NEWCOMER}', not '{elo}'.") from None
    return Companion(game, Estimate(rating, 0.0, 0), target, style)
