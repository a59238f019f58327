"""Puzzles out of one's own mistakes: where a review marks a move and one other was right, proved or in the referee's opinion."""

from collections.abc import Iterator

import numpy as np

from randori.core.game import States
from randori.core.game_so_far import GameSoFar
from randori.core.notation import transcript
from randori.practice.proof import Proof, Prover
from randori.practice.puzzle import Goal, Puzzle
from randori.review import COARSE, FINE, Judged, Mark, Referee, Review
from randori.review.marks import MISTAKE

_WORTH_REPEATING = (Mark.MISTAKE, Mark.BLUNDER, Mark.MISSED_WIN)


def own_mistakes(review: Review, seat: int, id: str, prover: Prover, referee: Referee) -> Iterator[Puzzle]:
    """Of the side at a seat, in the order of the game; `id` names the game."""
    game, board = review.game, GameSoFar(review.game)
    for action in review.actions:
        board.play(action)
    for it in review.marked:
        # A transcript leaves passes out, so that it cannot end with one.
        comes_after_pass = it.ply > 0 and review.actions[it.ply - 1] == game.pass_action
        if it.seat != seat or it.mark not in _WORTH_REPEATING or comes_after_pass:
            continue
        state = board.states[it.ply]
        proof = prover.prove(state) or _clear(referee, state, it)
        if proof is None or proof.answer == it.action:
            continue
        names = [game.move_names[action] for action in proof.line]
        moves = transcript(game, np.array(review.actions[: it.ply], np.int16))
        yield Puzzle(f"{id}-{it.ply}", moves, names[0], proof.goal, " ".join(names), None)


def _clear(referee: Referee, state: States, judged: Judged) -> Proof | None:
    """The better move of a review, where every other one is a mistake in the referee's opinion, too."""
    better = judged.verdict.action
    for action in np.flatnonzero(referee.game.legal(state)[0]):
        verdict = judged.verdict if action == judged.action else referee.verdict(state, int(action), COARSE)
        if action != better and verdict.cost < MISTAKE:
            return None
    if referee.verdict(state, better, FINE).cost > 0:
        return None
    return Proof(better, Goal.BETTER, judged.verdict.line or (better,))
