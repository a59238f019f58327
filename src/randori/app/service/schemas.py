"""What goes in and out of the JSON API. What is not listed here is refused."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from randori.app.service.duel import MOST_INCREMENT, MOST_MINUTES, What
from randori.app.service.friend_schemas import FriendOut
from randori.app.service.menu import Entry
from randori.app.service.minds import Mind, ranked
from randori.app.service.progress import Progress, aware
from randori.app.service.room import PERSON, Room
from randori.app.service.store import KeptGame
from randori.core.game import Game
from randori.review import Mark, Review
from randori.review.summary import summary

Word = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[ -~]+$")]
Seat = Annotated[str, Field(max_length=120, description=f"`{PERSON}`, or the spec of a player from the game's list.")]

Ply = Annotated[
    int | None,
    Field(
        ge=0, le=10_000, description="How many moves the sender has seen; if the game has moved on, the answer is 409."
    ),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class NewGame(_Strict):
    """A game to begin; `moves` is a transcript such as `f5d6c3` to continue from."""

    game: Word
    first: Seat = PERSON
    second: Seat = "heuristic"
    moves: str = Field("", max_length=4000)


class NewInvitation(_Strict):
    """A game to begin with a friend on another device; without `minutes` there is no clock."""

    game: Word
    seat: Literal["first", "second", "lot"] = Field(
        "lot", description="Whether you begin, follow, or leave it to chance."
    )
    minutes: float | None = Field(None, gt=0, le=MOST_MINUTES, description="For each side.")
    increment: float = Field(0, ge=0, le=MOST_INCREMENT, description="Seconds more for each move.")
    moves: str = Field("", max_length=4000)


class Offered(_Strict):
    """What you offer your friend, or accept from them."""

    what: What
    ply: Ply = None


class Record(_Strict):
    """A game to review: a transcript such as `f5d6c3`, SGF or GGF."""

    game: Word
    moves: str = Field(max_length=20_000)


class Move(_Strict):
    """A move by the name that people call it: `f5`, `4`, `pass`."""

    move: Annotated[str, StringConstraints(min_length=1, max_length=8)]
    ply: Ply = None


class Meant(_Strict):
    """The position that a request is meant for."""

    ply: Ply = None


class Name(_Strict):
    """The name that you want."""

    name: Annotated[str, StringConstraints(max_length=40, strip_whitespace=True, pattern=r"^[^\x00-\x1f]*$")]


class GameOut(BaseModel):
    """A game that is offered."""

    name: str
    title: str
    rows: int
    columns: int
    moves: list[str]

    @classmethod
    def of(cls, game: Game) -> "GameOut":
        rows, columns = game.shape
        return cls(name=game.name, title=game.title, rows=rows, columns=columns, moves=list(game.move_names))


class PlayerOut(BaseModel):
    """Somebody to play against; the rating has `random` at 0 and a 95% interval.

    It is extrapolated where nobody of known strength is as strong (`above`) or as weak (`below`).
    """

    spec: str
    title: str
    summary: str
    family: str
    rating: float | None
    interval: tuple[float, float] | None
    extrapolated: Literal["above", "below"] | None

    @classmethod
    def of(cls, entry: Entry) -> "PlayerOut":
        known = entry.strength
        return cls(
            spec=entry.spec,
            title=entry.title,
            summary=entry.summary,
            family=entry.family,
            rating=None if known is None else known.elo,
            interval=None if known is None else (known.low, known.high),
            extrapolated=None if known is None else known.extrapolated,
        )


class RoomOut(BaseModel):
    """A game as it stands. Cells are 0 empty, 1 of the side that began, 2 of the other."""

    id: str
    game: str
    first: str
    second: str
    ply: int = Field(description="How many moves have been made.")
    moves: list[str]
    transcript: str
    cells: list[list[int]]
    to_move: int
    legal: list[str]
    over: bool
    result: float | None = Field(description="Of the side that began: 1 won, 0.5 drawn, 0 lost.")
    resigned: int | None
    friend: FriendOut | None = Field(description="Of a game of two people on two devices.")

    @classmethod
    def of(cls, room: Room) -> "RoomOut":
        names = room.game.move_names
        return cls(
            id=room.id,
            game=room.game.name,
            first=room.seats[0],
            second=room.seats[1],
            ply=room.ply,
            moves=room.moves,
            transcript=room.transcript,
            cells=cells_by_side(room),
            to_move=room.to_move,
            legal=[] if room.is_over else [names[action] for action in room.board.legal.nonzero()[0]],
            over=room.is_over,
            result=room.result,
            resigned=room.resigned,
            friend=FriendOut.of(room),
        )


def cells_by_side(room: Room) -> list[list[int]]:
    """`[H][W]`: 0 empty, 1 of the side that began, 2 of the other; a state itself sees the side to move."""
    mine, theirs = (1, 2) if room.to_move == 0 else (2, 1)
    sides = {0: 0, 1: mine, -1: theirs}
    return [[sides[int(cell)] for cell in row] for row in room.game.cells(room.board.state)[0]]


class KeptGameOut(BaseModel):
    """A game in somebody's list."""

    id: str
    game: str
    first: str
    second: str
    result: float | None
    begun: datetime

    @classmethod
    def of(cls, kept: KeptGame) -> "KeptGameOut":
        first, second = kept.seats
        begun = aware(kept.created)
        return cls(id=kept.id, game=kept.game, first=first, second=second, result=kept.result, begun=begun)


class RatedGameOut(BaseModel):
    """Your rating after a game that counted."""

    elo: float
    deviation: float
    at: datetime


class TallyOut(BaseModel):
    """How many games were won, drawn and lost."""

    won: int
    drawn: int
    lost: int


class ProgressOut(BaseModel):
    """Your progress in a game."""

    rated: list[RatedGameOut] = Field(description="The oldest first.")
    opponents: dict[str, TallyOut]

    @classmethod
    def of(cls, own: Progress) -> "ProgressOut":
        rated = [RatedGameOut(**it._asdict()) for it in own.rated]
        return cls(rated=rated, opponents={name: TallyOut(**it._asdict()) for name, it in own.by_opponent.items()})


class MindOut(BaseModel):
    """What a player thinks; `liking` is 1 for the move it likes best."""

    move: str
    value: float | None = Field(description="For the side to move, -1 lost .. 1 won; of players who estimate results.")
    liking: dict[str, float] | None
    behind: dict[str, float] | None = Field(
        description="Of players whose scores are not chances: by how much each move's is less than the best."
    )

    @classmethod
    def of(cls, game: Game, mind: Mind) -> "MindOut":
        liked = None
        if mind.liking is not None:
            liked = {game.move_names[it]: round(float(mind.liking[it]), 4) for it in mind.liking.nonzero()[0]}
        behind = None if mind.behind is None else {game.move_names[it]: float(mind.behind[it]) for it in ranked(mind)}
        return cls(move=game.move_names[mind.action], value=mind.value, liking=liked, behind=behind)


class AccuracyOut(BaseModel):
    """How well one side played, 0 .. 1; null where it had nothing to decide."""

    overall: float | None
    opening: float | None
    middle: float | None
    end: float | None


class ReviewedMoveOut(BaseModel):
    """A move and what it cost. Chances are of the side that made it, 0 lost .. 1 won."""

    ply: int
    move: str
    best: str = Field(description="The best move; the one that was played where none is known to be better.")
    chance: float = Field(description="What the position offered.")
    cost: float = Field(description="What the move took away from it.")
    discs: float | None = Field(description="What it cost in what the game counts, such as discs.")
    exact: bool = Field(description="Whether chance and cost are proved.")
    mark: Mark | None
    line: list[str] = Field(description="How the game continues from the better move; empty if there is none.")
    words: str


class ReviewOut(BaseModel):
    """A review, or as much of it as is known by now: ask again while it is not `complete`."""

    game: str
    complete: bool
    chances: list[float | None] = Field(description="Of the side that began: before each move, and in the end.")
    accuracy: tuple[AccuracyOut, AccuracyOut]
    moves: list[ReviewedMoveOut | None]

    @classmethod
    def of(cls, review: Review) -> "ReviewOut":
        return cls.model_validate(summary(review))


class ProfileOut(BaseModel):
    """Your profile."""

    name: str
    ratings: dict[str, "RatingOut"]


class PupilOut(BaseModel):
    """Your pupil in a game; its spec is `pupil`."""

    game: str
    games: int = Field(description="How many finished games with it have taught it.")


class RatingOut(BaseModel):
    """Your strength in a game, as far as it is known."""

    elo: float
    deviation: float
    games: int


class HealthOut(BaseModel):
    """That the server works."""

    status: Literal["ok"]
    version: str


class Problem(BaseModel):
    """Why a request was refused: one sentence."""

    detail: str


class Conflict(Problem):
    """Why a request does not fit the state of the game, and the game itself if it has moved on."""

    room: RoomOut | None = None
