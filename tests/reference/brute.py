"""Exact values by trying everything: the judge of the solver, slow, plain and without a window or an order of moves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, Protocol, TypeVar

Seat = TypeVar("Seat", bound=Hashable)


class Referee(Protocol[Seat]):
    """The rules. `result` and `margin` are for the side to move; `result` is None while the game lasts."""

    def legal(self, position: Seat) -> Sequence[int]: ...
    def play(self, position: Seat, action: int) -> Seat: ...
    def result(self, position: Seat) -> int | None: ...
    def margin(self, position: Seat) -> int: ...


class Truth(NamedTuple):
    """For the side to move: the value, how many plies the game lasts, and all the best actions."""

    value: int
    plies: int
    best: frozenset[int]


def solve(referee: Referee[Seat], position: Seat, by_margin: bool, seen: dict[Seat, Truth] | None = None) -> Truth:
    """The value with perfect play: the final margin, or win, draw and loss with winners hurrying and losers delaying.

    `seen` may be kept from one position of a game to the next.
    """
    seen = {} if seen is None else seen
    if position not in seen:
        seen[position] = _look(referee, position, by_margin, seen)
    return seen[position]


def _look(referee: Referee[Seat], position: Seat, by_margin: bool, seen: dict[Seat, Truth]) -> Truth:
    result = referee.result(position)
    if result is not None:
        return Truth(referee.margin(position) if by_margin else result, 0, frozenset())
    ranks: dict[int, tuple[int, int]] = {}
    for action in referee.legal(position):
        after = solve(referee, referee.play(position, action), by_margin, seen)
        ranks[action] = (-after.value, after.plies + 1)
    liked = {action: _preference(value, plies, by_margin) for action, (value, plies) in ranks.items()}
    best = frozenset(action for action in ranks if liked[action] == max(liked.values()))
    value, plies = ranks[min(best)]
    return Truth(value, plies, best)


def _preference(value: int, plies: int, by_margin: bool) -> tuple[int, int]:
    """More is better; then, unless discs count, an early end when winning and a late one when losing."""
    if by_margin or value == 0:
        return value, 0
    return value, -plies if value > 0 else plies


def keeping(referee: Referee[Seat], position: Seat, by_margin: bool, seen: dict[Seat, Truth]) -> set[int]:
    """The actions after which the value is still the same, however long the game then lasts."""
    value = solve(referee, position, by_margin, seen).value
    after = {action: referee.play(position, action) for action in referee.legal(position)}
    return {action for action, child in after.items() if -solve(referee, child, by_margin, seen).value == value}
