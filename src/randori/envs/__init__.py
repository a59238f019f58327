"""The games as environments of PettingZoo and Gymnasium; importing this package registers them (extra `envs`).

pettingzoo.make("aec", "randori/othello-v0", size=6)
gymnasium.make("randori.envs:randori/Connect4-v0", opponent="heuristic")
"""

import re
from collections.abc import Callable

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


def _register(source: Callable[[], Game]) -> None:
    """A game that is registered again keeps its environment, which finds it by its name."""
    game = source()
    family, one = f"randori/{game.family.name}-v0", f"randori/{_id(game)}-v0"
    if family not in pettingzoo.aec_registry:
        options = {"family": game.family.name}
        pettingzoo.register("aec", family, entry_point="randori.envs.aec:env", kwargs=options)
    if one not in gymnasium.registry:
        gymnasium.register(one, entry_point="randori.envs.gym:VsOpponentEnv", kwargs={"game": game.name})


games.REGISTRY.watch(_register)
