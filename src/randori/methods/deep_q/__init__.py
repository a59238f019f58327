"""Deep Q-learning, Deep SARSA and tree search with few simulations (Humphreys et al.): docs/papers/humphreys.md."""

from randori.methods.method import Method, Paper, PaperScale, Suited, Thinking
from randori.players.kinds import PlayerKind

METHOD = Method(
    name="deep-q",
    title="Deep Q",
    summary="a network learns what each action is worth (Humphreys et al.)",
    learner="randori.methods.deep_q.learner:DeepQLearner",
    players={"deep-q": "randori.methods.deep_q.player:DeepQ"},
    refusal="randori.networks.architecture:refusal",
    needs="torch",
    paper=Paper(
        "humphreys",
        "Humphreys et al.",
        "randori.methods.deep_q.paper:reproduce",
        claim=(
            "Among small agents that learn what a move is worth, the network that rates all squares at once "
            "generalises best, and shaped rewards do harm."
        ),
        outcome=(
            "Neither could be reproduced: trained five times, one agent differs more from seed to seed than the "
            "agents differ from each other."
        ),
        table="Table 1",
        tables={
            1: "Deep Q agents against random play",
            2: "Deep Q agents against dqn2",
            3: "Deep Q agents against dqn1",
            4: "Deep SARSA",
            5: "tree search with few simulations",
            6: "ours: beyond the paper, one change at a time",
            7: "ours: trained players without search",
            8: "what one training and the paper's number of games show",
            9: "ours: playouts of uct that are not quite random",
        },
        scales={
            "quick": PaperScale("3 trainings of each agent, 1,000 games for each figure"),
            "full": PaperScale("5 trainings of each agent, 2,000 games for each figure; the paper has 1 and 50"),
        },
    ),
    kinds=(
        PlayerKind(
            "mcts-humphreys",
            "randori.methods.deep_q.pair_search:Humphreys",
            "the tree search of Humphreys et al., as they describe it",
            offers=lambda game: (),
        ),
    ),
    presets="randori.methods.deep_q.config:PRESETS",
    main_settings=("channels", "blocks", "games", "rate", "exploring"),
    thinking={"deep-q": Thinking("depth=0", "depth", least=0, in_steps=True)},
    suited=(Suited("tictactoe", ("tictactoe",)),),
)
