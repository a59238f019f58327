"""Evolved evaluation networks (Handa and Horiuchi 2002): docs/papers/handa.md."""

from randori.methods.method import Method, Paper

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
            "On 6x6 Othello this holds for the first mover and not for the second; in Tic-Tac-Toe it did not come "
            "out again. The paper's text gives no figures to compare with."
        ),
        table="Part 6",
    ),
    main_settings=("strategy", "descendants", "hidden", "standard_games", "depth"),
)
