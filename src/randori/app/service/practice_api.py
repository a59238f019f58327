"""Practice for programs: the part of the JSON API under `/api/practice`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from randori.app.service.api import REFUSALS, GameName, Me, RoomsHere
from randori.app.service.menu import game_named
from randori.app.service.practice import Posed, Practice, Standing, Tried
from randori.app.service.schemas import cells_by_side
from randori.practice import Goal, Skill, task

practising = APIRouter(prefix="/api/practice", responses=REFUSALS)


class SkillOut(BaseModel):
    """Your skill at the puzzles of a game, on the scale of its ladder."""

    elo: float
    deviation: float
    tries: int
    solved: int
    streak: int

    @classmethod
    def of(cls, skill: Skill) -> "SkillOut":
        return cls(**skill._asdict())


class CourseOut(BaseModel):
    """Your progress in the course of a game."""

    game: str
    puzzles: int
    met: int
    due: int = Field(description="Those that come back today.")
    skill: SkillOut

    @classmethod
    def of(cls, it: Standing) -> "CourseOut":
        return cls(game=it.game.name, puzzles=it.puzzles, met=it.met, due=it.due, skill=SkillOut.of(it.skill))


class PuzzleOut(BaseModel):
    """A position that asks for one move. Cells are 0 empty, 1 of the side that began, 2 of the other."""

    id: str
    game: str
    moves: str = Field(description="The moves that led to the position, as a transcript.")
    cells: list[list[int]]
    goal: Goal
    task: str
    rating: float | None = Field(
        description="A person of this rating solves half of such puzzles; null for your own mistakes."
    )
    counts: bool = Field(description="Whether the next try counts; further tries do not until the puzzle is due.")

    @classmethod
    def of(cls, posed: Posed) -> "PuzzleOut":
        puzzle, room = posed.puzzle, posed.room
        return cls(
            id=puzzle.id,
            game=room.game.name,
            moves=room.transcript,
            cells=cells_by_side(room),
            goal=puzzle.goal,
            task=task(room.game, puzzle, room.to_move),
            rating=puzzle.rating,
            counts=posed.counts,
        )


class TryIn(BaseModel):
    """A move, or null to give up and see the answer."""

    model_config = ConfigDict(extra="forbid", strict=True)
    move: Annotated[str, StringConstraints(min_length=1, max_length=8)] | None


class TryOut(BaseModel):
    """The verdict on a try. The line is the proof, or the refutation as far as it is known."""

    right: bool
    counted: bool
    words: str
    line: list[str]
    skill: SkillOut
    due: int | None = Field(description="When the puzzle comes back, in seconds since 1970.")

    @classmethod
    def of(cls, tried: Tried) -> "TryOut":
        answer, card = tried.answer, tried.card
        return cls(
            right=answer.right,
            counted=tried.counted,
            words=answer.words,
            line=list(answer.line),
            skill=SkillOut.of(tried.skill),
            due=None if card is None else card.due,
        )


class ExaminedOut(BaseModel):
    """How far your games have been searched for mistakes."""

    left: int = Field(description="Finished games not yet looked at: ask again until it is 0.")
    puzzles: int


async def practice_of(request: Request) -> Practice:
    practice: Practice = request.app.state.practice
    return practice


PracticeHere = Annotated[Practice, Depends(practice_of)]
PuzzleId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


@practising.get("")
async def list_courses(me: Me, practice: PracticeHere) -> list[CourseOut]:
    """All courses, and your progress in them."""
    return [CourseOut.of(it) for it in await practice.standings(me.id)]


@practising.get("/{game}/next")
async def pose(game: GameName, me: Me, rooms: RoomsHere, practice: PracticeHere, own: bool = False) -> PuzzleOut:
    """The next puzzle: what is due, else a new one a little below your rating. With `own`, from your own mistakes."""
    rooms.pace.take(me.id)
    return PuzzleOut.of(await practice.pose(me.id, game, own))


@practising.post("/{game}/{puzzle}/tries")
async def hear(game: GameName, puzzle: PuzzleId, tried: TryIn, me: Me, practice: PracticeHere) -> TryOut:
    """A try. It counts if the puzzle is new or due; after a mistake you may try again, which does not count."""
    return TryOut.of(await practice.hear(me.id, game, puzzle, tried.move))


@practising.post("/{game}/examination")
async def examine(game: GameName, me: Me, practice: PracticeHere) -> ExaminedOut:
    """Searches one more of your finished games for mistakes that had one clear answer; takes some seconds."""
    left = await practice.examine(me.id, game)
    return ExaminedOut(left=left, puzzles=(await practice.standing(me.id, game_named(game), own=True)).puzzles)
