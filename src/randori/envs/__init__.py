"""The games as environments of PettingZoo and Gymnasium; importing this package registers them (extra `envs`).

pettingzoo.make("aec", "randori/othello-v0", size=6)
gymnasium.make("randori.envs:randori/Connect4-v0", opponent="heuristic")
"""

from randori.errors import UserError

try:
    import gymnasium
    import pettingzoo
except ImportError:
    raise UserError("The environments need PettingZoo and Gymnasium: install `randori[envs]`.") from None

from randori import games
from randori.envs.aec import BoardEnv
from randori.envs.gym import VsOpponentEnv
from randori.envs.policy import Policy

__all__ = ["BoardEnv", "Policy", "VsOpponentEnv"]

for _family in ("tictactoe", "connect4", "othello", "gomoku"):
    pettingzoo.register("aec", f"randori/{_family}-v0", entry_point=f"randori.envs.{_family}_v0:env")

for _game in games.names():
    _id = "TicTacToe" if _game == "tictactoe" else _game.capitalize()
    gymnasium.register(f"randori/{_id}-v0", entry_point="randori.envs.gym:VsOpponentEnv", kwargs={"game": _game})
