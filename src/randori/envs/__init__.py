"""The games as environments of PettingZoo and Gymnasium; importing this package registers them (extra `envs`).

pettingzoo.make("aec", "randori/othello-v0", size=6)
gymnasium.make("randori.envs:randori/Connect4-v0", opponent="heuristic")
"""

import re

from randori.errors import UserError

try:
    import gymnasium
    import pettingzoo
except ImportError:
    raise UserError("The environments need PettingZoo and Gymnasium: install `randori[envs]`.") from None

from randori import games
from randori.core.game import Game
from randori.envs.aec import BoardEnv
from randori.envs.gym import VsOpponentEnv
from randori.envs.policy import Policy

__all__ = ["BoardEnv", "Policy", "VsOpponentEnv"]


def _id(game: Game) -> str:
    """The name with capitals where the title has them."""
    letters = re.sub(r"[^A-Za-z0-9]", "", game.title)
    return letters if letters.lower() == game.name else game.name.capitalize()


for _family in games.families():
    pettingzoo.register("aec", f"randori/{_family}-v0", entry_point="randori.envs.aec:env", kwargs={"family": _family})

for _game in map(games.game, games.names()):
    gymnasium.register(
        f"randori/{_id(_game)}-v0", entry_point="randori.envs.gym:VsOpponentEnv", kwargs={"game": _game.name}
    )
