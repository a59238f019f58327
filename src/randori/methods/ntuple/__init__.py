"""N-tuple networks: tables of patterns, learned from self-play: docs/ntuple.md."""

from randori.methods.method import Method, Paper

METHOD = Method(
    name="ntuple",
    title="N-tuples",
    summary="tables of patterns, learned by TD(lambda) from searches (Buro; Lucas)",
    learner="randori.methods.ntuple.learner:NtupleLearner",
    players={"ntuple": "randori.methods.ntuple.player:Patterns"},
    paper=Paper(
        "ntuple",
        "Buro, Lucas and others",
        "randori.methods.ntuple.paper:reproduce",
        claim=(
            "Tables of patterns, taught by nothing but games against themselves, judge positions well in very "
            "little time."
        ),
        outcome=(
            "The picture shows which settings matter, after equal CPU time; there is no single paper to compare with."
        ),
        table="Table 1",
    ),
    pictures="randori.methods.ntuple.pictures:PICTURES",
    main_settings=("games", "depth", "exact", "rate", "trace_decay", "exploration"),
)
