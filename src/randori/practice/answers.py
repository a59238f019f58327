"""The answer to a move that somebody tries in a puzzle, and the line that proves it."""

from typing import NamedTuple

from randori.core.game import DRAW, LOSS, WIN, Game, States
from randori.core.notation import action_of
from randori.practice.proof import CLEAR, Prover
from randori.practice.puzzle import Goal, Puzzle


class Answer(NamedTuple):
    """To one try."""

    right: bool
    words: str
    line: tuple[str, ...]
    """How the game goes on, the move itself first: the proof, or the refutation as far as it is known."""


def task(game: Game, puzzle: Puzzle, seat: int) -> str:
    """The task that a puzzle sets the side at a seat."""
    side = game.knowledge.look.sides[seat].capitalize()
    return {
        Goal.WIN: f"{side} to move and win.",
        Goal.DRAW: f"{side} to move and draw.",
        Goal.MOST: f"{side} to move: one move is worth at least {CLEAR} {game.counts} more.",
        Goal.THREATS: f"{side} to move and win by threats.",
        Goal.BETTER: f"{side} to move: find what is better than what you played.",
    }[puzzle.goal]


def answer(prover: Prover, puzzle: Puzzle, state: States, action: int) -> Answer:
    """To an action in the position, `[1, words]`, that a puzzle asks about."""
    move = prover.game.move_names[action]
    if action == action_of(prover.game, puzzle.answer):
        return Answer(True, f"Right: {move} {_PRAISE[puzzle.goal]}", tuple(puzzle.line.split()))
    words, line = _refuted(prover, puzzle, state, action)
    return Answer(False, f"Not {move}: {words}", (move, *(prover.game.move_names[it] for it in line)))


_PRAISE = {
    Goal.WIN: "wins, and no other move does.",
    Goal.DRAW: "holds the draw. Every other move loses.",
    Goal.MOST: "is the most there is.",
    Goal.THREATS: "wins by force.",
    Goal.BETTER: "was the better move.",
}


def _refuted(prover: Prover, puzzle: Puzzle, state: States, action: int) -> tuple[str, list[int]]:
    """Why a move is not the answer, and how the other side shows it."""
    game = prover.game
    after = game.play(state, [action])
    if puzzle.goal == Goal.THREATS:
        line = prover.attack(after, attacks=True)
        return "it loses by force." if line else "no threats win after it.", line
    if puzzle.goal == Goal.BETTER:
        return "it is not the best here.", []
    if puzzle.goal == Goal.MOST:
        margins = prover.margins(state)
        return f"it gives {max(margins.values()) - margins[action]} {game.counts} away.", prover.best_line(after)
    left = prover.worth(after)
    result = "is not enough" if left is None else {WIN: "loses", DRAW: "only draws", LOSS: "wins"}[left]
    return f"it {result}.", prover.best_line(after)
