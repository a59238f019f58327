"""Our players as engines for other programs: one module per protocol."""

from randori.engines.gomocup import GomocupEngine
from randori.engines.gtp import GtpEngine
from randori.engines.nboard import NboardEngine
from randori.engines.serving import Engine, Inbox, end_when_unheard, serve

__all__ = ["Engine", "GomocupEngine", "GtpEngine", "Inbox", "NboardEngine", "end_when_unheard", "serve"]
