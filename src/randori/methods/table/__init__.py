"""A value for every position, for small games: the smallest method there is."""

from randori.core.game import Game
from randori.methods.method import Method

_MOST_SQUARES = 16


def _refusal(game: Game) -> str | None:
    if game.n_squares <= _MOST_SQUARES:
        return None
    return f"a table needs a row for each position, and a board of {game.n_squares} squares has too many"


METHOD = Method(
    name="table",
    title="Table",
    summary="remembers how games continued from each position",
    learner="randori.methods.table.learner:TableLearner",
    players={"table": "randori.methods.table.player:Table"},
    refusal=_refusal,
)
