"""The player that makes no mistake, for games that can be solved from the start or have a repertoire."""

from dataclasses import dataclass

import numpy as np

from randori.core.chance import drawn_from
from randori.core.game import Bools, Game, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.search.repertoire import repertoire
from randori.search.solver import Solver, is_small, reach

_HURRY = 3_000_000  # nodes for a position whose outcome is known, half a second or less
_MEGABYTES = 64


@dataclass(frozen=True)
class Perfect:
    """Never a move that gives away a win or a draw.

    In games that are solved from the start it plays a best move, by lot where there are several: it wins as soon as it can
    and loses as late as it can, or gets the best margin. In a game with a repertoire it plays the stored move where there is
    one, which keeps the outcome and does not hurry. Elsewhere it plays a best move where some millions of nodes are enough
    to find it, and otherwise one that keeps the outcome, however long that takes: in Connect Four, whose early outcomes are
    stored, a second or two.

    Refused where a game is neither: a player of that name may not guess.
    """

    game: Game
    name = "perfect"

    def __post_init__(self) -> None:
        if not is_small(self.game) and self.game.knowledge.repertoire is None:
            too_large = f"{self.game.title} is too large to be played perfectly from the start"
            if not self.game.fills:
                raise UserError(f"{too_large}; try 'uct:simulations=10000'.")
            exact = reach(self.game)
            raise UserError(f"{too_large}; 'lookahead:depth=4,exact={exact}' is perfect in the last {exact} moves.")

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        sound = self._sound(states)
        return Choice(drawn_from(sound, rng), sound / sound.sum(axis=1, keepdims=True))

    def _sound(self, states: States) -> Bools:
        """`[B, A]`: the actions that it draws from."""
        known = repertoire(self.game)
        if known is None:
            return Solver(self.game).best(states)
        answers = known.find(states)
        sound = np.zeros((len(states), self.game.n_actions), np.bool_)
        for row, answer in enumerate(answers):
            if answer is not None:
                sound[row, answer.action] = True
        others = [row for row, answer in enumerate(answers) if answer is None]
        if others:
            sound[others] = Solver(self.game, _MEGABYTES).best_or_keeping(states[others], _HURRY)
        return sound
