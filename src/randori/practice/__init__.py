"""Practice: positions with one right move, in courses from easy to hard and out of one's own mistakes."""

from randori.practice.answers import Answer, answer, task
from randori.practice.courses import Course, puzzles_of, read_course
from randori.practice.mistakes import own_mistakes
from randori.practice.progress import Card, Skill, after_result, after_try, counts, next_puzzle
from randori.practice.proof import Proof, Prover
from randori.practice.puzzle import Goal, Puzzle

__all__ = [
    "Answer",
    "Card",
    "Course",
    "Goal",
    "Proof",
    "Prover",
    "Puzzle",
    "Skill",
    "after_result",
    "after_try",
    "answer",
    "counts",
    "next_puzzle",
    "own_mistakes",
    "puzzles_of",
    "read_course",
    "task",
]
