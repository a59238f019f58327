"""Othello: rules, and what is known of it beyond them."""

from randori.games.othello.rules import othello

__all__ = ["othello"]
