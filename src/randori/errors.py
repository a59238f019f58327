"""Errors that a user can mend."""

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """Something asked for cannot be done; the message is one sentence that says what to do instead."""


def suggest(name: str, known: Iterable[str]) -> str:
    """A sentence to follow an unknown name: the nearest known one, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f" Did you mean '{near[0]}'?" if near else f" There are: {', '.join(names)}."
