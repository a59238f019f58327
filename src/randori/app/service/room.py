"""A room: one game between two seats, each a person's or a player's."""

from dataclasses import dataclass, replace

import numpy as np

from randori.app.service.duel import Duel
from randori.app.service.refusals import Invalid, Refusal
from randori.core.game import DRAW, Game
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of, transcript

PERSON = "person"


class GoneOn(Refusal):
    """The action was meant for another position than the current one."""

    def __init__(self, room: "Room") -> None:
        gone_on = "The game has moved on, perhaps in another tab: look at the board and choose again."
        is_late = room.duel is not None and room.duel.timed_out is not None
        super().__init__("The time is up: the game is over." if is_late else gone_on)
        self.room = room
        """The current room."""


@dataclass(frozen=True, eq=False)
class Room:
    """A game under way or over, as it was at one moment: a change makes another one, and nobody plays on its board."""

    id: str
    profile: int
    board: GameSoFar
    seats: tuple[str, str]
    """Who begins and who follows: PERSON or a spec of the menu."""
    resigned: int | None = None
    """The seat that gave up."""
    assisted: bool = False
    """Whether the person had a hint or numbers in the analysis, or took a move back."""
    account: str = ""
    """What a companion says afterwards."""
    ratings: tuple[float | None, float] | None = None
    """The person's rating before and after the end, where it counted; None before the first game that did."""
    version: int = 0
    """One more with every change that was kept."""
    duel: Duel | None = None
    """Of two people on two devices."""

    @property
    def game(self) -> Game:
        return self.board.game

    @property
    def ply(self) -> int:
        return len(self.board.history)

    @property
    def to_move(self) -> int:
        """The seat whose turn it is, or was when the game ended."""
        return 0 if self.board.first_to_move else 1

    @property
    def is_over(self) -> bool:
        return self.resigned is not None or self.is_settled or self.board.is_over

    @property
    def is_settled(self) -> bool:
        """Whether the two of a duel have agreed to a draw, or the time of one ran out."""
        return self.duel is not None and (self.duel.agreed or self.duel.timed_out is not None)

    @property
    def persons_turn(self) -> bool:
        return not self.is_over and self.seats[self.to_move] == PERSON

    @property
    def players_turn(self) -> bool:
        return not self.is_over and self.seats[self.to_move] != PERSON

    @property
    def person_seat(self) -> int | None:
        """None if no seat or both seats are a person's."""
        return self.seats.index(PERSON) if self.seats.count(PERSON) == 1 else None

    @property
    def result(self) -> float | None:
        """Of the side that began: 1, 0.5 or 0; None while the game goes on."""
        if self.resigned is not None:
            return float(self.resigned)
        if self.duel is not None and self.is_settled:
            return 0.5 if self.duel.timed_out is None else float(self.duel.timed_out)
        if not self.board.is_over:
            return None
        outcome = int(self.game.outcome(self.board.state)[0])
        for_first = outcome if self.to_move == 0 else -outcome
        return 0.5 if outcome == DRAW else float(for_first > 0)

    @property
    def moves(self) -> list[str]:
        return [self.game.move_names[action] for action in self.board.history]

    @property
    def transcript(self) -> str:
        """Without passes, as is the custom."""
        return transcript(self.game, np.array(self.board.history, np.int16))

    def seat_of(self, profile: int) -> int | None:
        """Where somebody sits in a duel; None of those who watch."""
        if self.duel is None or profile not in (self.profile, self.duel.guest):
            return None
        return self.duel.host_seat if profile == self.profile else 1 - self.duel.host_seat

    def persons_action(self, name: str) -> int:
        """The action that a move of the person means. Raises a Refusal that says what is wrong."""
        if not self.persons_turn:
            raise Refusal("The game is over." if self.is_over else "It is the other side's turn.")
        action = action_of(self.game, name)
        if action is None:
            example = self.game.move_names[self.game.n_actions // 2]
            raise Invalid(f"'{name}' is not a move of {self.game.title}; moves look like '{example}'.")
        if not self.board.legal[action]:
            raise Refusal(f"'{name}' is not legal here.")
        return action

    def plies_before_last_choice(self, seat: int | None = None) -> int:
        """How many plies remain when the person, at a seat where both are persons, takes back their last move, forced
        passes with it.
        """
        board, passing = self.board, self.game.pass_action
        for ply in range(self.ply - 1, -1, -1):
            is_theirs = self.seats[ply % 2] == PERSON and seat in (None, ply % 2)
            if is_theirs and board.history[ply] != passing:
                return ply
        raise Refusal("There is no move of yours to take back.")

    def after(self, action: int) -> "Room":
        """With one move more."""
        return replace(self, board=self.board.after(action))

    def until(self, plies: int) -> "Room":
        """Only the first `plies` remain: the game is no longer over, and no longer a person's unaided work."""
        return replace(self, board=self.board.first(plies), resigned=None, assisted=True, account="", ratings=None)

    def stands_as(self, other: "Room") -> bool:
        """Whether people who look at the two see the same."""
        return self._visible_state == other._visible_state

    @property
    def _visible_state(self) -> tuple[object, ...]:
        duel = self.duel
        return (
            self.board.history,
            self.resigned,
            duel is not None and duel.agreed,
            None if duel is None else duel.timed_out,
        )

    def check_meant(self, ply: int | None) -> None:
        """Raises GoneOn if something was meant for another ply; None means any ply."""
        if ply is not None and ply != self.ply:
            raise GoneOn(self)
