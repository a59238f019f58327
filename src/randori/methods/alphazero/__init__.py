"""AlphaZero, and transfer between games (Hongcharoen 2018): docs/papers/hongcharoen.md."""

import math

from randori.methods.method import Method, Paper, PaperScale, Suited, Thinking

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
            1: "ours: transfer between games, against scratch at the same round",
            2: "ours: rounds that transfer saves",
            3: "ours: transfer between boards of one game",
            4: "ours: what a round with transfer takes",
            5: "the thesis's rule: transfer against scratch at the same iteration",
            6: "the thesis's rule at full size: what it takes here",
        },
        scales={
            "quick": PaperScale(
                "ours: 16 channels x 2 blocks, 12 rounds of 64 games, 5 seeds; "
                "the thesis's rule: 64 x 4, 15 iterations of 32 games, 3 seeds"
            ),
            "full": PaperScale(
                "ours: 32 channels x 3 blocks, 20 rounds of 128 games, 5 seeds; the thesis's rule as with quick"
            ),
            "thesis": PaperScale(
                "the thesis's rule alone, as large as there: 256 x 4, 50 iterations of 512 games, once; all workers play "
                "the games of one training"
            ),
        },
    ),
    presets="randori.methods.alphazero.config:PRESETS",
    main_settings=("channels", "blocks", "simulations", "games", "rate"),
    thinking={"alphazero": Thinking("simulations=1,exact=0,threats=0", "simulations", least=2)},
    suited=tuple(
        Suited(f"{game}-{time}", (game,), cpu_seconds)
        for game in ("connect4", "othello6", "othello8", "gomoku9", "hex7")
        for time, cpu_seconds in (("30s", 120.0), ("5m", 1200.0), ("20m", 4800.0), ("1h", math.inf))
    ),
)
