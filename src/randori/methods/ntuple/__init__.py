"""N-tuple networks: tables of patterns, learned from self-play: docs/ntuple.md."""

from randori.methods.method import Method, Paper, PaperScale, Suited, Thinking

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
        tables={
            1: "settings on Othello, at equal CPU time",
            2: "settings on Connect Four, at equal CPU time",
            3: "learning curves",
        },
        scales={
            "quick": PaperScale("3 CPU seconds of learning for each setting, 100 games for each figure", 1.9),
            "full": PaperScale("20 CPU seconds of learning for each setting, 400 games for each figure"),
        },
    ),
    pictures="randori.methods.ntuple.pictures:PICTURES",
    main_settings=("games", "depth", "exact", "rate", "trace_decay", "exploration"),
    thinking={"ntuple": Thinking("depth=1,exact=0,threats=0", "nodes")},
    suited=(
        Suited("connect4", ("connect4",)),
        Suited("rows", ("gomoku9", "gomoku13", "gomoku15", "gomoku19", "gomoku20")),
    ),
)
