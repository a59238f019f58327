"""Errors that a user can fix, and what their sentences need."""

import difflib
import sys
from collections.abc import Iterable

_DAY = 86400.0


class UserError(ValueError):
    """A request cannot be fulfilled; the message is one sentence that says what to do instead."""


def warn(sentence: str) -> None:
    """Warns a user on stderr, while the work continues."""
    print(f"randori: {sentence}", file=sys.stderr, flush=True)


def suggest(name: str, known: Iterable[str]) -> str:
    """A sentence to follow an unknown name: the nearest known one, or all of them."""
    names = list(known)
    return nearest(name, names) or f" There are: {', '.join(names)}."


def nearest(name: str, known: Iterable[str]) -> str:
    """The same where there are too many to list: nothing if none is near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def duration(seconds: float) -> str:
    """A duration in words, with about two digits."""
    if seconds > 100 * 365 * _DAY:
        return "longer than a life"
    for name, length in (("years", 365 * _DAY), ("days", _DAY), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"about {seconds / length:.0f} {name}"
    return f"about {seconds:.0f} seconds"
