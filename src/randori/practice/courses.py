"""Courses: the puzzles of a game, from easy to hard, in files that `make_course.py` writes."""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from randori.core.game import Game
from randori.practice.puzzle import Goal, Puzzle
from randori.reading import DamagedFile, is_number, read_json
from randori.tensorfile import write_whole

FOLDER = Path(__file__).with_name("courses")


class Course(NamedTuple):
    """As it is kept: by the seed and the rounds that were played for it, it can be made again or continued."""

    seed: int = 0
    rounds: int = 0
    puzzles: tuple[Puzzle, ...] = ()
    """The easiest first."""


def read_course(game: Game, folder: Path = FOLDER) -> Course:
    """Without any puzzle where nobody has made a course."""
    file = folder / f"{game.name}.json"
    if not file.exists():
        return Course()
    kept = read_json(file)
    try:
        puzzles = tuple(Puzzle(**{**it, "goal": Goal(it["goal"])}) for it in kept["puzzles"])
        course = Course(int(kept["seed"]), int(kept["rounds"]), puzzles)
    except (LookupError, TypeError, ValueError) as error:
        raise DamagedFile(f"'{file}' is damaged: its puzzles cannot be read; install Randori again.") from error
    if not all(is_number(it.rating) and all(isinstance(text, str) for text in it[:5]) for it in puzzles):
        raise DamagedFile(f"'{file}' is damaged: its puzzles cannot be read; install Randori again.")
    return course


def write_course(game: Game, course: Course, folder: Path = FOLDER) -> None:
    """A line for each puzzle, so that versions can be compared."""
    puzzles = sorted(course.puzzles, key=lambda it: (it.rating or 0.0, len(it.line), it.id))
    lines = ",\n".join(f"  {json.dumps(it._asdict())}" for it in puzzles)
    head = f'{{\n "seed": {course.seed},\n "rounds": {course.rounds},\n "puzzles": [\n'
    write_whole(folder / f"{game.name}.json", f"{head}{lines}\n ]\n}}\n".encode())


@lru_cache(maxsize=64)
def puzzles_of(game: Game) -> dict[str, Puzzle]:
    """The course of a game by the ids of its puzzles, the easiest first; empty where there is none."""
    return {it.id: it for it in read_course(game).puzzles}
