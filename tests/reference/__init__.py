"""Judges of the compiled rules: slow, plain and written apart from them."""

from reference.rules import EMPTY, FIRST, JUDGES, SECOND, ConnectFour, Hex, InARow, Judge, Othello, Position

__all__ = ["EMPTY", "FIRST", "JUDGES", "SECOND", "ConnectFour", "Hex", "InARow", "Judge", "Othello", "Position"]
