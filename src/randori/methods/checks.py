"""Checks the numbers of a config; a number out of range is refused with a sentence that names the setting."""

import math
from typing import Any

from randori.errors import UserError


def check_least(config: Any, **bounds: int) -> None:
    """Each of these settings is at least its bound; one that is None was not given."""
    for name, bound in bounds.items():
        value = getattr(config, name)
        if value is not None and value < bound:
            raise UserError(f"'{name}' must be {bound} or more, not {value}.")


def check_positive(config: Any, *names: str) -> None:
    """Finite numbers above 0."""
    for name in names:
        value = getattr(config, name)
        if not 0 < value < math.inf:
            raise UserError(f"'{name}' must be a number above 0, not {value}.")


def check_shares(config: Any, *names: str) -> None:
    """Chances, shares and discounts."""
    for name in names:
        value = getattr(config, name)
        if not 0 <= value <= 1:
            raise UserError(f"'{name}' must be a number from 0 to 1, not {value}.")
