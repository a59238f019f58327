"""Self-organizing maps with reinforcement learning (Kamei and Kakizoe 2017): docs/papers/kamei.md."""

from randori.methods.method import Method, Paper

METHOD = Method(
    name="som",
    title="Self-organizing maps",
    summary="values of places on self-organizing maps (Kamei and Kakizoe)",
    learner="randori.methods.som.learner:SomLearner",
    players={"som": "randori.methods.som.player:SelfOrganized"},
    paper=Paper("kamei", "Kamei and Kakizoe", "randori.methods.som.paper:reproduce"),
    pictures="randori.methods.som.pictures:PICTURES",
)
