"""Connect Four: rules, and what is known of it beyond them."""

from randori.games.connect4.rules import connect4

__all__ = ["connect4"]
