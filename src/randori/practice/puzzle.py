"""A puzzle: a position that asks for one move, and what is proved of it."""

from enum import StrEnum
from typing import NamedTuple

from randori.core.game import Game
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of, parse_transcript


class Goal(StrEnum):
    """What the one right move does, and no other."""

    WIN = "win"
    """It keeps a win; every other move gives it away."""
    DRAW = "draw"
    """It keeps a draw; every other move loses."""
    MOST = "most"
    """It brings more of what the game counts than every other move, by at least `proof.CLEAR`."""
    THREATS = "threats"
    """It begins a win that threats force; no other move does. Slower wins may exist."""
    BETTER = "better"
    """It is clearly better in the opinion of the referee: that is not proved."""


class Puzzle(NamedTuple):
    """The moves of a game that led to a position, and the move to find there, as names of moves."""

    id: str
    """Of a course: the same for positions that a symmetry carries into each other, so that progress outlives a course that
    is made again."""
    moves: str
    """A transcript from the first position on; the last move is not a pass."""
    answer: str
    goal: Goal
    line: str
    """How the game goes on when both sides do their best, the answer first; with spaces between."""
    rating: float | None
    """On the scale of the game's ladder: who is rated so finds the answer in half of such puzzles. None where nobody was
    asked."""

    def board(self, game: Game) -> GameSoFar:
        """The position that it asks about."""
        board = GameSoFar(game)
        for action in parse_transcript(game, self.moves):
            board.play(int(action))
        return board

    def actions(self, game: Game) -> list[int]:
        """Those of the line."""
        found = [action_of(game, name) for name in self.line.split()]
        return [it for it in found if it is not None]
