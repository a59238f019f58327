"""Tic-Tac-Toe; agents, actions and observations are those of PettingZoo's own `tictactoe_v3`."""

from typing import Any, ClassVar

from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from randori.envs.aec import BoardEnv, wrapped


class raw_env(BoardEnv):
    """Without the wrappers that check what agents do."""

    metadata: ClassVar[dict[str, Any]] = {**BoardEnv.metadata, "name": "tictactoe_v0"}

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__("tictactoe", ("player_1", "player_2"), transposed=True, render_mode=render_mode)
        EzPickle.__init__(self, render_mode)


def env(**settings: Any) -> AECEnv[Any, Any, Any]:
    return wrapped(raw_env(**settings))
