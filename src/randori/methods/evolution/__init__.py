"""Evolved evaluation networks (Handa and Horiuchi 2002): docs/papers/handa.md."""

from randori.methods.method import Method, Paper, PaperScale, Suited, Thinking

METHOD = Method(
    name="evolution",
    title="Evolution",
    summary="evolves evaluation networks (Handa and Horiuchi)",
    learner="randori.methods.evolution.learner:EvolutionLearner",
    players={"evolved": "randori.methods.evolution.player:Evolved"},
    paper=Paper(
        "handa",
        "Handa and Horiuchi",
        "randori.methods.evolution.paper:reproduce",
        claim="Evolved networks play better where mutation also cuts links than where it does not.",
        outcome=(
            "This could not be reproduced. After 1,000 generations pruning makes no clear difference for the first mover and "
            "makes the second mover weaker, in both games. The paper's text gives no figures to compare with."
        ),
        table="Part 6",
        tables={
            3: "draws in Tic-Tac-Toe",
            4: "links cut",
            5: "an evolved network",
            6: "wins in 6x6 Reversi",
            7: "ours: other ways to evolve, at equal games",
            8: "ours: Tic-Tac-Toe players that never lose",
            9: "ours: Othello players of the zoo",
            10: "ours: other readings of the text, the logistic function and the fitness of the parent",
            11: "ours: features that mutation makes",
        },
        scales={
            "quick": PaperScale("5 runs of 300 generations in Tic-Tac-Toe and 150 in Reversi"),
            "full": PaperScale("10 runs, as in the paper, of 1,000 generations"),
        },
    ),
    main_settings=("strategy", "descendants", "hidden", "standard_games", "depth"),
    thinking={"evolved": Thinking("depth=1,exact=0", "nodes")},
    suited=(Suited("tictactoe", ("tictactoe",)),),
)
