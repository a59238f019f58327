"""Comparison training for games of stones in a row (Freisleben 1995): docs/papers/freisleben.md.

Two networks can be taught. `chains` is the paper's, whose better moves are those of whoever beat it. `patterns` goes
beyond it: it finds the better moves out by playing on, whoever the opponent was.
"""

from randori.methods.comparison.suitable import refusal
from randori.methods.method import Method, Paper

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
            "A network that learns the moves by which it was beaten comes to win most of its games against the "
            "program that beat it."
        ),
        outcome="It comes out again, from nearly the same start to nearly the same end.",
        table="1.",
    ),
    main_settings=("games", "rate", "temperature", "candidates", "playouts"),
)
