"""Self-organizing maps with reinforcement learning (Kamei and Kakizoe 2017): docs/papers/kamei.md."""

from randori.core.game import Game
from randori.methods.method import Method, Paper, PaperScale, Thinking


def _refusal(game: Game) -> str | None:
    if game.fills:
        return None
    return "each of its maps covers one stage of the game, and here the number of stones does not show the stage"


METHOD = Method(
    name="som",
    title="Self-organizing maps",
    summary="learns what each place on self-organizing maps is worth (Kamei and Kakizoe)",
    learner="randori.methods.som.learner:SomLearner",
    players={"som": "randori.methods.som.player:SelfOrganized"},
    refusal=_refusal,
    paper=Paper(
        "kamei",
        "Kamei and Kakizoe",
        "randori.methods.som.paper:reproduce",
        claim=(
            "Maps that find their winner by the inner product remember discs better than conventional ones; with "
            "seven of them, TD(lambda) and a search of the last four moves, the agent wins most of its games "
            "against random moves."
        ),
        outcome=(
            "It does here too. But nearly all of the gain is the search: random moves with the last four searched "
            "win as often as the paper's best agent."
        ),
        table="Table 7",
        tables={
            2: "retrieval with 3 maps, by the games that they know",
            4: "win rates with 3 maps",
            6: "retrieval with 7 maps, by moves",
            7: "win rates with 7 maps and search",
            8: "ours: what makes the learner stronger than the paper's",
            9: "ours: looking ahead over the maps' values, 1 to 10 plies",
        },
        scales={
            "quick": PaperScale("2,000 games of learning in 3 runs, 7 maps from a 200th of the paper's data", 5.1),
            "full": PaperScale("1,000,000 games of learning and maps from the paper's own amount of data"),
        },
    ),
    pictures="randori.methods.som.pictures:PICTURES",
    main_settings=("height", "width", "games", "rate", "trace_decay", "exploring"),
    thinking={"som": Thinking("depth=1,exact=0", "nodes")},
)
