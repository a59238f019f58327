"""What is said to a move that somebody tries in a puzzle, and the line that shows it."""

from typing import NamedTuple

from randori.core.game import DRAW, LOSS, WIN, Game, States
from randori.core.notation import action_of
from randori.practice.proof import CLEAR, Prover, within_reach
from randori.practice.puzzle import Goal, Puzzle


class Answer(NamedTuple):
    """To one try."""

    right: bool
    words: str
    line: tuple[str, ...]
    """How the game goes on, the move itself first: the proof, or the refutation as far as it is known."""


def task(game: Game, puzzle: Puzzle, seat: int) -> str:
    """What a puzzle asks of the side at a seat."""
    side = game.knowledge.look.sides[seat].capitalize()
    return {
        Goal.WIN: f"{side} to move and win.",
        Goal.DRAW: f"{side} to move and draw: all other moves lose.",
        Goal.MOST: f"{side} to move. One move is worth at least {CLEAR} {game.counts} more than every other.",
        Goal.THREATS: f"{side} to move and win by threats.",
        Goal.BETTER: f"{side} to move. Find what is clearly better than what you played.",
    }[puzzle.goal]


def answer(prover: Prover, puzzle: Puzzle, state: States, action: int) -> Answer:
    """To an action in the position, `[1, words]`, that a puzzle asks about."""
    move = prover.game.move_names[action]
    if action == action_of(prover.game, puzzle.answer):
        return Answer(True, f"{move}: {_PRAISE[puzzle.goal]}", tuple(puzzle.line.split()))
    after = prover.game.play(state, [action])
    words, line = _refuted(prover, puzzle, state, action, after)
    return Answer(False, words, (move, *(prover.game.move_names[it] for it in line)))


_PRAISE = {
    Goal.WIN: "right, it wins. Every other move gives the win away.",
    Goal.DRAW: "right, it holds the draw. Every other move loses.",
    Goal.MOST: "right, that is the most there is.",
    Goal.THREATS: "right, it wins by force.",
    Goal.BETTER: "right, that was the better move.",
}


def _refuted(prover: Prover, puzzle: Puzzle, state: States, action: int, after: States) -> tuple[str, list[int]]:
    """Why a move is not the answer, and how the other side shows it."""
    game = prover.game
    move = game.move_names[action]
    if puzzle.goal == Goal.THREATS:
        line = prover.attack(after, attacks=True)
        return f"{move} loses by force." if line else f"After {move} no threats win any more.", line
    if puzzle.goal == Goal.BETTER or not within_reach(game, state)[0]:
        return f"{move} is not the best here.", []
    if puzzle.goal == Goal.MOST:
        margins = prover.margins(state)
        return f"{move} gives {max(margins.values()) - margins[action]} {game.counts} away.", prover.best_line(after)
    left = prover.worth(after)
    told = "is not enough" if left is None else {WIN: "loses", DRAW: "only draws", LOSS: "wins"}[left]
    return f"{move} {told}.", prover.best_line(after)
