"""Othello on 8x8, 6x6 or 4x4 squares; the last action is the pass, legal only where no other is."""

from typing import Any, ClassVar

from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from randori.envs.aec import BoardEnv, wrapped


class raw_env(BoardEnv):
    """Without the wrappers that check what agents do."""

    metadata: ClassVar[dict[str, Any]] = {**BoardEnv.metadata, "name": "othello_v0"}

    def __init__(self, size: int = 8, render_mode: str | None = None) -> None:
        super().__init__(f"othello{size}", ("black_0", "white_0"), render_mode=render_mode)
        EzPickle.__init__(self, size, render_mode)


def env(**settings: Any) -> AECEnv[Any, Any, Any]:
    return wrapped(raw_env(**settings))
