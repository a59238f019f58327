"""Evolved evaluation networks (Handa and Horiuchi 2002): docs/papers/handa.md."""

from randori.methods.method import Method, Paper

METHOD = Method(
    name="evolution",
    title="Evolution",
    summary="evolves evaluation networks (Handa and Horiuchi)",
    learner="randori.methods.evolution.learner:EvolutionLearner",
    players={"evolved": "randori.methods.evolution.player:Evolved"},
    paper=Paper("handa", "Handa and Horiuchi", "randori.methods.evolution.paper:reproduce"),
)
