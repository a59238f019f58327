"""Comparison training for games of stones in a row (Freisleben 1995): docs/papers/freisleben.md.

Two networks can be taught. `chains` is the paper's, whose better moves are those of whoever beat it. `patterns` goes
beyond it: it finds the better moves out by playing on, whoever the opponent was.
"""

from randori.methods.comparison.suitable import refusal
from randori.methods.method import Method, Paper, PaperScale, Thinking

METHOD = Method(
    name="comparison",
    title="Comparison",
    summary="learns the moves that beat it, in games of stones in a row (Freisleben)",
    learner="randori.methods.comparison.learner:ComparisonLearner",
    players={
        "comparison": "randori.methods.comparison.chains_player:Comparison",
        "patterns": "randori.methods.comparison.patterns_player:Patterns",
    },
    refusal=refusal,
    paper=Paper(
        "freisleben",
        "Freisleben",
        "randori.methods.comparison.paper:reproduce",
        claim=(
            "A network that learns the moves by which it was beaten ends up winning most of its games against the "
            "program that beat it."
        ),
        outcome="This is reproduced, from the same start to nearly the same end.",
        table="1.",
        tables={
            1: "two series against the star program",
            2: "the converse case: a network better than its opponent",
            3: "learning from games against itself",
            4: "against another author's program",
            5: "ours: beyond the paper, scores against the star program",
            6: "ours: what the text leaves open, the reward and the wiring",
        },
        scales={
            "quick": PaperScale("3 seeds of the paper's two series", 3.5),
            "full": PaperScale("10 seeds of the paper's two series; the paper has 1"),
        },
    ),
    main_settings=("games", "rate", "temperature", "candidates", "playouts"),
    thinking={"comparison": Thinking("threats=0", "threats"), "patterns": Thinking("threats=0", "threats")},
)
