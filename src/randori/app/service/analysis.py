"""An analysis: a study of a game, and the place in it that is shown. It is a value, and fits into an address of the page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from randori.app.service.refusals import Refusal
from randori.app.service.room import PERSON, Room
from randori.core.game import Game
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of
from randori.core.variations import Branch, Line, Variations
from randori.formats import Study, study_text
from randori.formats.study import check_size

PATH = "/analysis"
LONGEST_ADDRESS = 12_000
"""Characters of a study in an address; the longest that is allowed has fewer."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is shown; every step returns another analysis."""

    game: Game
    study: Study
    line: Line = ()

    @classmethod
    def of_game(cls, game: Game, actions: Sequence[int], plies: int | None = None) -> "Analysis":
        """The analysis of a game so far, at its end or after this many plies."""
        line = tuple(int(it) for it in actions)
        return cls(game, Study(None, Variations.of_line(line)), line[:plies])

    @property
    def moves(self) -> Variations:
        return self.study.moves

    @cached_property
    def board(self) -> GameSoFar:
        start = self.study.start
        board = GameSoFar(self.game) if start is None else GameSoFar(self.game, *start)
        for action in self.line:
            board.play(action)
        return board

    def room(self, profile: int) -> Room:
        """A room without a game, for code that shows or judges positions in rooms."""
        return Room("analysis", profile, self.board, (PERSON, PERSON))

    @cached_property
    def places(self) -> list[Line]:
        """All places by their numbers; 0 is the first position."""
        return [(), *self.moves.places()]

    @property
    def number(self) -> int:
        """The number of the place that is shown."""
        return self.places.index(self.line)

    def at(self, number: int) -> "Analysis":
        """Shows another place; the nearest if there is none with this number."""
        return replace(self, line=self.places[min(len(self.places) - 1, max(0, number))])

    def played(self, name: str) -> "Analysis":
        """After a move at this place: a new variation, unless it is there already. Raises Refusal."""
        action = action_of(self.game, name)
        if action is None or not self.board.legal[action]:
            raise Refusal(f"'{name}' is not legal here.")
        moves = self.moves.after(self.line, action)
        check_size(moves)
        return replace(self, study=self.study._replace(moves=moves), line=(*self.line, action))

    def walked(self, key: str) -> "Analysis":
        """Where a key leads: back and on along the line, to its ends, up and down among the moves at the same place."""
        following = self.moves.at(self.line)
        ways = {
            "ArrowLeft": self.line[:-1],
            "ArrowRight": (*self.line, *following[:1]),
            "ArrowUp": self.moves.beside(self.line, -1),
            "ArrowDown": self.moves.beside(self.line, 1),
            "Home": (),
            "End": self.moves.end_of(self.line),
        }
        return replace(self, line=ways.get(key, self.line))

    @property
    def is_main(self) -> bool:
        return self.moves.is_main(self.line)

    def with_main(self) -> "Analysis":
        """The line to this place becomes the main line."""
        return replace(self, study=self.study._replace(moves=self.moves.with_main(self.line)))

    def without(self) -> "Analysis":
        """The last move is deleted with all that follows; the place before it is shown."""
        if not self.line:
            raise Refusal("There is no move here to delete.")
        return replace(self, study=self.study._replace(moves=self.moves.without(self.line)), line=self.line[:-1])

    def address(self, **more: str) -> str:
        """The address of the page that shows it, with `more` parameters."""
        moves = study_text(self.game, self.study).replace("\n", " ")
        # The end of the main line is not named: one place should have one address.
        at = {} if self.line == self.moves.end_of() else {"at": str(self.number)}
        query = {"game": self.game.name, **({"moves": moves} if moves else {}), **at, **more}
        return f"{PATH}?{urlencode(query, safe='()', quote_via=quote)}"

    def listed(self, sides: Sequence[str]) -> dict[str, Any]:
        """What the list of moves shows: the main line, and the variations with the number of each move; plain values."""
        offset = int(self.study.start is not None and not self.study.start.first_to_move)
        names, variations = self.game.move_names, []
        number, replaced = 1, 0
        for branch in self.moves.branches():
            if branch.depth == 1:
                replaced = len(branch.begin) + 1
            if branch.depth:
                rows = [
                    {
                        "number": number + i,
                        "text": f"{_counted(line, offset) if i == 0 or _begins(line, offset) else ''}{names[line[-1]]}",
                        "label": f"variation, {len(line)}, {sides[(len(line) - 1 + offset) % 2]} {names[line[-1]]}",
                    }
                    for i, line in enumerate(branch.places)
                ]
                variations.append({"replaces": replaced, "depth": branch.depth, "moves": rows})
            number += _length(branch)
        moves = [names[it] for it in self.moves.end_of()]
        return {"moves": moves, "ply": self.number, "variations": variations, "offset": offset}


def _length(branch: Branch) -> int:
    return len(branch.end) - len(branch.begin)


def _begins(line: Line, offset: int) -> bool:
    """Whether its last move is that of the side that usually begins."""
    return (len(line) + offset) % 2 == 1


def _counted(line: Line, offset: int) -> str:
    """The number of the last move as people write it: `3.`, or `3...` of the side that follows."""
    sign = "." if _begins(line, offset) else "\N{HORIZONTAL ELLIPSIS}"
    return f"{(len(line) + offset + 1) // 2}{sign} "
