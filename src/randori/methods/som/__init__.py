"""Self-organizing maps with reinforcement learning (Kamei and Kakizoe 2017): docs/papers/kamei.md."""

from randori.core.game import Game
from randori.methods.method import Method, Paper


def _refusal(game: Game) -> str | None:
    if game.fills:
        return None
    return "each of its maps is for one stage of the game, and here the number of stones does not show the stage"


METHOD = Method(
    name="som",
    title="Self-organizing maps",
    summary="values of places on self-organizing maps (Kamei and Kakizoe)",
    learner="randori.methods.som.learner:SomLearner",
    players={"som": "randori.methods.som.player:SelfOrganized"},
    refusal=_refusal,
    paper=Paper("kamei", "Kamei and Kakizoe", "randori.methods.som.paper:reproduce"),
    pictures="randori.methods.som.pictures:PICTURES",
)
