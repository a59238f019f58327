"""Other programs as players: engines that speak GTP, NBoard or Gomocup, run beside ours.

An engine that dies, gives no answer in time or plays an illegal move forfeits that game; the next game gets a new one.
One that never gets ready, or fails again and again, is given up: `PlayerFailed` ends the match.
"""

from randori.players.outside.gomocup import Gomocup
from randori.players.outside.gtp import Gtp
from randori.players.outside.nboard import Nboard

__all__ = ["Gomocup", "Gtp", "Nboard"]
