"""The companion: an opponent that estimates how strong a person plays and plays about as strongly."""

from randori.players.companion.dial import Dial, Rung, dial, style_dial
from randori.players.companion.estimate import Estimate, PlayedGame, first_estimate, update
from randori.players.companion.losses import Judged, losses
from randori.players.companion.partner import OFFER, Companion, companion_for
from randori.players.companion.setting import Setting
from randori.players.companion.styles import families, master
from randori.players.companion.weakened import Weakened

__all__ = [
    "OFFER",
    "Companion",
    "Dial",
    "Estimate",
    "Judged",
    "PlayedGame",
    "Rung",
    "Setting",
    "Weakened",
    "companion_for",
    "dial",
    "families",
    "first_estimate",
    "losses",
    "master",
    "style_dial",
    "update",
]
