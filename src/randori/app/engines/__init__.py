"""Our players as engines for other people's programs: one module a protocol."""

from randori.app.engines.gomocup import GomocupEngine
from randori.app.engines.gtp import GtpEngine
from randori.app.engines.nboard import NboardEngine
from randori.app.engines.serving import Engine, Inbox, serve

__all__ = ["Engine", "GomocupEngine", "GtpEngine", "Inbox", "NboardEngine", "serve"]
