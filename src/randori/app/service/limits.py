"""How much anybody may ask for, and the buckets that measure it."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from randori.app.service.refusals import TooMany

MAX_BODY = 32 * 1024
"""Bytes of a request."""
MAX_HEADERS = 16 * 1024
"""Bytes of a request's headers."""
SECONDS_TO_ASK = 20.0
"""From the first byte of a request, or from the connection, to the last."""
MAX_CONNECTIONS = 512
"""Connections of one address, apart from the page's sockets."""
MAX_HALF_OPEN = 64
"""Connections of one address whose request is not complete; of more, the oldest is closed."""
MAX_ALL_HALF_OPEN = 1024
"""Those of everybody; of more, the oldest of the address that has most."""
MAX_SOCKETS = 256
"""Sockets of one address: one for each open page."""
MAX_ALL_SOCKETS = 4096
"""Sockets of everybody."""
MAX_IN_FLIGHT = 256
"""Requests of one address that are being answered at a time."""
MAX_WAITING = 128
"""Thoughts for one address that are under way or wait for a thread."""
ADDRESSES = 4
"""So many addresses may use up such a share each before everybody has to wait."""
MAX_TOGETHER = 16
"""Questions to one player that are answered in one call: in a longer one the first would wait for the last."""
MAX_SQUARES = 400
"""The largest board that is offered."""
MAX_OPEN_ROOMS = 4096
"""Rooms kept in memory; the others are read again when somebody returns."""
MAX_GAMES_UNDER_WAY = 200
"""Unfinished games of one profile."""
MAX_PUPILS = 64
"""Pupils kept in memory, of up to 3 MB each; the others learn again when their person returns."""
MAX_REVIEWS = 512
"""Reviews of games kept in memory, of some kilobytes each; the others are made again."""
MAX_REVIEWS_UNDER_WAY = 24
"""Unfinished reviews, with tables of up to 30 MB each."""
MAX_TRAININGS = 1
"""Trainings that the page has started and that still go on."""
MAX_KEPT_TRAININGS = 200
"""Runs of the page beyond which only the owner of the machine starts another: their folders fill the disk."""


@dataclass(frozen=True)
class Rate:
    """So many per second in the long run, `burst` at once after a pause."""

    a_second: float
    burst: float


BY_ADDRESS = Rate(150.0, 600.0)
"""Requests: many people may share an address."""
PAGES = Rate(5.0, 300.0)
"""Pages built for one address: each takes 0.2 MB until its visitor leaves, or for a minute if nobody opens it."""
NEWCOMERS = Rate(2.0, 200.0)
"""People of one address who have not been seen since the server was started: each is looked up, or written down."""
GUESSES = Rate(1 / 6, 10.0)
"""Passwords tried by one address."""
BY_PROFILE = Rate(15.0, 60.0)
"""Moves, hints and the like of one person."""

_MOST_BUCKETS = 10_000


@dataclass
class Buckets:
    """One bucket per key that fills steadily; taking from an empty one is refused. The longest unused are forgotten."""

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    _levels: OrderedDict[object, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, key: object) -> None:
        """Raises TooMany if nothing is left."""
        now = self.clock()
        level, updated = self._levels.pop(key, (self.rate.burst, now))
        level = min(self.rate.burst, level + (now - updated) * self.rate.a_second)
        self._levels[key] = (level - 1 if level >= 1 else level, now)
        if len(self._levels) > _MOST_BUCKETS:
            self._levels.popitem(last=False)
        if level < 1:
            raise TooMany("That was too much at once: wait a second and try again.")
