"""AlphaZero, and transfer between games (Hongcharoen 2018): docs/papers/hongcharoen.md."""

from randori.methods.method import Method, Paper

METHOD = Method(
    name="alphazero",
    title="AlphaZero",
    summary="a network guides a search and learns from it; takes over others' networks (Hongcharoen)",
    learner="randori.methods.alphazero.learner:AlphaZeroLearner",
    players={"alphazero": "randori.methods.alphazero.player:AlphaZero"},
    refusal="randori.networks.architecture:refusal",
    needs="torch",
    paper=Paper("hongcharoen", "Hongcharoen", "randori.methods.alphazero.paper:reproduce"),
)
