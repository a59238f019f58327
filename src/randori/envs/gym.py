"""Any of the games as a Gymnasium environment for one learner against an opponent."""

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from randori import games, players
from randori.core.game import LOSS, ONGOING, WIN
from randori.core.notation import board_text
from randori.envs.aec import observed
from randori.envs.drawing import board_image
from randori.errors import UserError
from randori.players import choose_in_game

Step = tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]


class VsOpponentEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """The learner moves, the opponent answers; the reward is 1, 0 or -1 and comes at the end.

    An observation has the learner's stones (plane 0) and the opponent's (plane 1). Legal actions are in
    `info["action_mask"]` and `action_masks()`; an illegal one loses at once, with `info["illegal"]` true.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        opponent: str = "random",
        seat: Literal["first", "second", "either"] = "either",
        render_mode: str | None = None,
    ) -> None:
        """`seat`: when the learner moves; `either` draws lots for each game."""
        if seat not in ("first", "second", "either"):
            raise UserError(f"A seat is 'first', 'second' or 'either', not '{seat}'.")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UserError(f"There is no render mode '{render_mode}'; there are {self.metadata['render_modes']}.")
        self.game = games.game(game)
        self.opponent = players.player(opponent, self.game)
        self.seat, self.render_mode = seat, render_mode
        self.observation_space = spaces.Box(0, 1, (*self.game.shape, 2), np.int8)
        self.action_space = spaces.Discrete(self.game.n_actions)
        self._state = self.game.start(1)
        self._history: list[int] = []
        self._learner_begins = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        super().reset(seed=seed)
        self._state, self._history = self.game.start(1), []
        self._learner_begins = self.seat == "first" or (self.seat == "either" and self.np_random.random() < 0.5)
        if not self._learner_begins:
            reason = self._opponent_moves()
            if reason is not None:
                raise RuntimeError(reason)
        self._show()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> Step:
        if not self.action_masks()[int(action)]:
            # An illegal action leaves the board as it is.
            return self._observation(), float(LOSS), True, False, {**self._info(), "illegal": True}
        self._play(int(action))
        outcome = self._outcome()
        info: dict[str, Any] = {}
        if outcome == ONGOING:
            reason = self._opponent_moves()
            outcome = self._outcome()
            if reason is not None:
                outcome, info["forfeit"] = WIN, reason
        self._show()
        over = outcome != ONGOING
        return self._observation(), float(outcome) if over else 0.0, over, False, {**self._info(), **info}

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, `[A]`, under the name that sb3-contrib looks for."""
        return self.game.legal(self._state)[0]

    def _opponent_moves(self) -> str | None:
        """Returns the reason where the opponent cannot move: another program that died, say."""
        actions = np.array([self._history], np.int16).reshape(1, -1)
        choice = choose_in_game(self.opponent, actions, self._state, self.np_random)
        if choice.forfeits:
            return choice.forfeits[0].reason
        self._play(int(choice.actions[0]))
        return None

    def _play(self, action: int) -> None:
        self._state = self.game.play(self._state, [action])
        self._history.append(action)

    def _sign(self) -> int:
        """What turns the view of the side to move into the learner's."""
        return 1 if (len(self._history) % 2 == 0) == self._learner_begins else -1

    def _outcome(self) -> int:
        """For the learner, or ONGOING."""
        outcome = int(self.game.outcome(self._state)[0])
        return outcome if outcome == ONGOING else outcome * self._sign()

    def _observation(self) -> NDArray[np.int8]:
        return observed(self.game.cells(self._state)[0] * np.int8(self._sign()))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        if self.render_mode is None:
            gymnasium.logger.warn("Give a render_mode to see something.")
            return None
        if self.render_mode == "rgb_array":
            cells = self.game.cells(self._state)[0]
            return board_image(cells if len(self._history) % 2 == 0 else -cells)
        text = board_text(self.game, self._state, len(self._history))
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None
