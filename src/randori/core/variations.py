"""Variations: what was tried from one position, as a tree of moves whose main line stays the main line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Line = tuple[int, ...]
"""A place in the tree: the actions that lead there."""


class Branch(NamedTuple):
    """One line of the tree as it is written: whole, up to its end."""

    begin: Line
    """Where it leaves the line that it belongs to; the main line leaves none."""
    end: Line
    depth: int
    """0 of the main line, 1 of a variation of it, ..."""

    @property
    def places(self) -> list[Line]:
        """After each of its moves."""
        return [self.end[:plies] for plies in range(len(self.begin) + 1, len(self.end) + 1)]


@dataclass(frozen=True)
class Variations:
    """A value: every change makes another one. It knows nothing of rules; whoever adds a move has checked it."""

    _moves: Mapping[Line, Line] = field(default_factory=dict)
    """The moves that were tried at each place, the main one first; only places at which there are some."""

    @classmethod
    def of_line(cls, actions: Line) -> "Variations":
        return cls({actions[:ply]: (action,) for ply, action in enumerate(actions)})

    def __len__(self) -> int:
        """How many moves there are."""
        return sum(map(len, self._moves.values()))

    def __contains__(self, line: Line) -> bool:
        return not line or line[-1] in self.at(line[:-1])

    def at(self, line: Line) -> Line:
        """The moves that were tried there, the main one first."""
        return self._moves.get(line, ())

    def after(self, line: Line, action: int) -> "Variations":
        """With a move tried at a place; the same where it is there already."""
        known = self.at(line)
        return self if action in known else Variations({**self._moves, line: (*known, action)})

    def without(self, line: Line) -> "Variations":
        """Without the move that leads to a place, and without all that follows it."""
        assert line, "the first position cannot be deleted"
        kept = {place: moves for place, moves in self._moves.items() if place[: len(line)] != line}
        others = tuple(it for it in self.at(line[:-1]) if it != line[-1])
        kept.pop(line[:-1], None)
        return Variations(kept | {line[:-1]: others} if others else kept)

    def with_main(self, line: Line) -> "Variations":
        """The line to a place becomes the main one. All others stay, in their order."""
        moves = dict(self._moves)
        for ply, action in enumerate(line):
            before = moves[line[:ply]]
            moves[line[:ply]] = (action, *(it for it in before if it != action))
        return Variations(moves)

    def end_of(self, line: Line = ()) -> Line:
        """Where the line ends that goes on from a place by the main moves."""
        while following := self.at(line):
            line = (*line, following[0])
        return line

    def is_main(self, line: Line) -> bool:
        return self.end_of()[: len(line)] == line

    def beside(self, line: Line, step: int) -> Line:
        """The place that another move leads to instead of the last one: so many further in their order, if there is one."""
        if not line:
            return line
        moves = self.at(line[:-1])
        place = min(len(moves) - 1, max(0, moves.index(line[-1]) + step))
        return (*line[:-1], moves[place])

    def branches(self) -> Iterator[Branch]:
        """The main line, then every variation, each before those that leave it; in the order of the moves that they replace."""
        waiting = [Branch((), self.end_of(), 0)]
        while waiting:
            branch = waiting.pop()
            yield branch
            # What was tried instead of its first move leaves the same line as it does itself.
            places = branch.places if branch.depth else [(), *branch.places]
            for place in reversed(places):
                for action in reversed(self.at(place)[1:]):
                    waiting.append(Branch(place, self.end_of((*place, action)), branch.depth + 1))

    def places(self) -> list[Line]:
        """Every place but the first position, the main line ahead: the places have numbers from 1 on in this order."""
        return [place for branch in self.branches() for place in branch.places]
