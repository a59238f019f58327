"""Deep Q-learning, Deep SARSA and tree search with few simulations (Humphreys et al.): docs/papers/humphreys.md."""

from randori.methods.method import Method, Paper
from randori.players.kinds import PlayerKind

METHOD = Method(
    name="deep-q",
    title="Deep Q",
    summary="learns the worth of actions by networks (Humphreys et al.)",
    learner="randori.methods.deep_q.learner:DeepQLearner",
    players={"deep-q": "randori.methods.deep_q.player:DeepQ"},
    refusal="randori.networks.architecture:refusal",
    needs="torch",
    paper=Paper("humphreys", "Humphreys et al.", "randori.methods.deep_q.paper:reproduce"),
    kinds=(
        PlayerKind(
            "mcts-humphreys",
            "randori.methods.deep_q.pair_search:Humphreys",
            "the tree search of Humphreys et al., as they describe it",
            offers=lambda game: (),
        ),
    ),
)
