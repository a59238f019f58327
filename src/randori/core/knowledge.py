"""What is known of a game beyond its rules. All of it is the game's own, and none of it is needed.

Every field has a generic default, so that a game of which nothing is known can be played, searched, learned and shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from randori.core.evaluation import Evaluator
    from randori.core.features import FeatureSet
    from randori.core.game import Actions, Floats, Game, States
    from randori.core.player import Player
    from randori.kernels.solver import Craft


class Look(NamedTuple):
    """How a board is drawn: marks on paper, falling discs, discs that turn, stones on lines, stones on hexagons."""

    kind: Literal["marks", "drop", "discs", "stones", "hexagons"] = "stones"
    sides: tuple[str, str] = ("black", "white")
    """What the side that begins and the other are called. Their colours are those of the kind of board: dark and light
    on discs and stones, red and yellow where they drop, red and blue on hexagons."""
    stars: tuple[int, ...] = ()
    """Squares with a dot, by which people find their way."""


class HowTo(NamedTuple):
    """How a game is played, for somebody who has never seen it."""

    sentences: tuple[str, ...]
    example: tuple[int, ...] = ()
    """Actions from the first position; where they lead is shown beside the sentences."""
    caption: str = ""
    """What is to be seen there."""


class KnownOutcomes(NamedTuple):
    """Where the outcomes of all positions of one ply are, see `randori.search.first_plies`."""

    ply: int
    file: Path


class Files(NamedTuple):
    """The files of other programs that can hold games."""

    sgf: int | None = None
    """The number of the game in SGF."""
    sgf_names: bool = False
    """Whether SGF calls squares by their names, such as `f6`, instead of by two letters."""
    ggf: str | None = None
    """The name of the game in GGF."""
    wthor: bool = False


def bits_in_order(n_squares: int, theirs: int = 1) -> NDArray[np.int64]:
    """For `Knowledge.bits`: the squares are bits from the first word on for me, and from the word `theirs` on for them."""
    return np.arange(n_squares) + np.array([[0], [64 * theirs]])


def words_apart(bits: NDArray[np.int64]) -> int | None:
    """How many words on their bits follow mine; None where that is not the same whole number for all squares."""
    apart = np.unique(bits[1] - bits[0])
    return None if len(apart) > 1 or apart[0] % 64 else int(apart[0]) // 64


def words_of(bits: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Words with these bits set."""
    words = np.zeros(int(bits.max()) // 64 + 1, np.uint64)
    np.bitwise_or.at(words, bits // 64, np.uint64(1) << (bits % 64).astype(np.uint64))
    return words


class Rows(NamedTuple):
    """Stones in a row win."""

    length: int
    anywhere: bool
    """Whether a stone may go on any empty square of a square board."""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """One record beside the rules."""

    preferences: Callable[[Game], Floats] | None = None
    """`[A]`: how promising each action is before one looks at the position, on any scale, the pass left out. Without, all
    are alike."""
    evaluator: Callable[[Game], Evaluator] | None = None
    """A hand-made evaluation, for `lookahead` and `heuristic`. Without, random games to the end."""
    program: Callable[[Game], Player] | None = None
    """The player `heuristic`. Without, the one that likes the next position best by the evaluator."""
    features: Callable[[Game], FeatureSet] | None = None
    """What evolved networks see. Without, stones by region and what can be counted on any board."""
    craft: Callable[[Game], Craft] | None = None
    """Functions by which the solver is quicker than by the rules."""
    lanes: Callable[..., None] | None = None
    """A function that plays many games at once to their ends, as `lane_games.FINISH` describes it; one that numba can compile,
    made once for a game. Without, they are played one after the other."""
    reach: int | None = None
    """Moves left up to which nearly every position is solved within a second. Without, 12."""
    repertoire: Path | None = None
    """The file with a sure move for either side through the first plies, see `randori.search.repertoire`. Without, the first
    plies are solved as all others, or not at all."""
    outcomes: KnownOutcomes | None = None
    """The outcomes of all positions of an early ply, from which those of the plies before follow. Without, each is solved. Only
    for games that fill the board one piece per ply."""
    quick_reach: int = 8
    """Moves left up to which looking at every continuation takes no time."""
    exam: tuple[int, int] | None = None
    """The least and the most moves left in positions that `accuracy` asks about: few enough to be solved at once, enough to
    leave something to decide. Without, anywhere in games that are solved from the start, and nowhere in others."""
    wins_at_once: bool = True
    """Whether a move can win at once, so that such positions tell nothing of a player's sight."""
    forced_wins: Callable[[Game, States, int], Actions] | None = None
    """`(game, states, nodes) -> [B]`: the first action of a win that threats force, found within so many nodes, or -1."""
    first_threats: Callable[[Game, States, int, int], NDArray[np.int8]] | None = None
    """`(game, state, nodes, most) -> [A]`: of each action of a position, `[1, words]`, whether it begins a win that threats
    force (1), is proved not to (0), or neither within so many nodes (-1). Once `most` do, or one is neither, the rest may
    be left at -1."""
    bits: NDArray[np.int64] | None = None
    """`[2, H * W]`: the bit of a state's words that says that a square is mine, and the one that says it is theirs, the
    second a fixed number of words after the first. Without, rules are asked for each square."""
    tuples: Callable[[Game], tuple[tuple[int, ...], ...]] | None = None
    """Sets of squares whose patterns matter, ten at most in each; turned boards have them as well. Without, lines and
    corners."""
    tuple_names: Callable[[Game], Mapping[tuple[int, ...], str]] | None = None
    """What people call some of these tuples. Without, they are named by their squares."""
    shifted: bool = False
    """Whether a pattern means the same wherever on the board it is, so that tuples lie everywhere they can be shifted to."""
    places: bool = False
    """Whether a move does nothing but put a stone on the square of its action, and `bits` are in order."""
    candidates: Callable[[Any, Any], int] | None = None
    """A function like the rule `legal` that leaves out moves that no search need look at; never all, and never the only
    good one. It has to be one that numba can compile, made once for a game. Without, every legal move."""
    remarks: Callable[[Game, States, int], list[str]] | None = None
    """`(game, state, action) -> words`: what is true of a bad move made in a position, `[1, words]`, in words to follow "it",
    such as `gave the corner a1 away`. Without, nothing is said."""
    rows: Rows | None = None
    winning_line: Callable[[NDArray[np.int8], int], list[int]] | None = None
    """`(cells, square) -> squares`: what to show of a win that the piece on a square has made; cells are `[H, W]`."""
    look: Look = field(default_factory=Look)
    how_to_play: HowTo | None = None
    """The rules in words. Without, nothing is offered to read."""
    files: Files = field(default_factory=Files)
    protocols: frozenset[str] = frozenset()
    """Protocols for this game alone that its players can speak: `nboard`, `gomocup`."""
    agents: tuple[str, str] = ("black_0", "white_0")
    """What PettingZoo calls the two sides."""
    transposed: bool = False
    """Whether PettingZoo's own environment of the game counts squares column by column."""
