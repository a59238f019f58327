"""AlphaZero, and transfer between games (Hongcharoen 2018): docs/papers/hongcharoen.md."""

from randori.methods.method import Method, Paper, PaperScale

METHOD = Method(
    name="alphazero",
    title="AlphaZero",
    summary="a network guides a search and learns from it; takes over others' networks (Hongcharoen)",
    learner="randori.methods.alphazero.learner:AlphaZeroLearner",
    players={"alphazero": "randori.methods.alphazero.player:AlphaZero"},
    refusal="randori.networks.architecture:refusal",
    needs="torch",
    paper=Paper(
        "hongcharoen",
        "Hongcharoen",
        "randori.methods.alphazero.paper:reproduce",
        claim="A network that has learned one game learns another sooner than a network from scratch.",
        outcome=(
            "From a small board to a larger one of the same game it does, less so the longer both learn. The text "
            "of the thesis gives no figures to compare with."
        ),
        table="Table 3",
        tables={
            1: "transfer between games, against scratch at the same round",
            2: "rounds that transfer saves",
            3: "transfer between boards of one game",
            4: "what a round with transfer takes",
        },
        scales={
            "quick": PaperScale("networks of 16 channels x 2 blocks, 12 rounds of 64 games, 5 seeds"),
            "full": PaperScale("networks of 32 channels x 3 blocks, 20 rounds of 128 games, 5 seeds"),
        },
    ),
    presets="randori.methods.alphazero.config:PRESETS",
    main_settings=("channels", "blocks", "simulations", "games", "rate"),
)
