"""Gomoku, freestyle, on 9x9, 13x13, 15x15 or 19x19 points."""

from typing import Any, ClassVar

from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from randori.envs.aec import BoardEnv, wrapped


class raw_env(BoardEnv):
    """Without the wrappers that check what agents do."""

    metadata: ClassVar[dict[str, Any]] = {**BoardEnv.metadata, "name": "gomoku_v0"}

    def __init__(self, size: int = 15, render_mode: str | None = None) -> None:
        super().__init__(f"gomoku{size}", ("black_0", "white_0"), render_mode=render_mode)
        EzPickle.__init__(self, size, render_mode)


def env(**settings: Any) -> AECEnv[Any, Any, Any]:
    return wrapped(raw_env(**settings))
