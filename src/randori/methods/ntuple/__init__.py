"""N-tuple networks: tables of patterns, learned from self-play: docs/ntuple.md."""

from randori.methods.method import Method, Paper

METHOD = Method(
    name="ntuple",
    title="N-tuples",
    summary="tables of patterns, learned by TD(lambda) from searches (Buro; Lucas)",
    learner="randori.methods.ntuple.learner:NtupleLearner",
    players={"ntuple": "randori.methods.ntuple.player:Patterns"},
    paper=Paper("ntuple", "Buro, Lucas and others", "randori.methods.ntuple.paper:reproduce"),
    pictures="randori.methods.ntuple.pictures:PICTURES",
)
