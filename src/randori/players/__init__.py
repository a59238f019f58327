"""Players: their kinds, and the specs that name them, `name[:key=value,...]`."""

from collections.abc import Iterator

from randori.core.game import Game
from randori.core.player import Choice, FollowsGames, Player, choose_in_game
from randori.players.companion import OFFER, companion_for
from randori.players.kinds import REGISTRY, Offer, PlayerKind
from randori.players.outside import Gomocup, Gtp, Nboard
from randori.players.perfect import Perfect
from randori.players.simple import Random, greedy, heuristic
from randori.players.specs import player
from randori.players.whose_game import game_for
from randori.search.lookahead import lookahead
from randori.search.uct import Uct

__all__ = [
    "REGISTRY",
    "Choice",
    "FollowsGames",
    "Offer",
    "Player",
    "PlayerKind",
    "choose_in_game",
    "game_for",
    "kinds",
    "player",
]

_SIMULATIONS = (100, 1000, 10_000)
# A search over a large board keeps a node for each of its many moves; this keeps it within some 50 MB.
_MOST_NODES = 1_200_000
# With more actions than this, looking three plies ahead takes a person's patience.
_FEW_ACTIONS = 65


def _searches(game: Game) -> Iterator[Offer]:
    for n in _SIMULATIONS:
        if n * game.n_actions <= _MOST_NODES:
            yield Offer(f"uct:simulations={n}", f"UCT {n:,}", f"tree search with {n:,} playouts per move")


def _lookaheads(game: Game) -> Iterator[Offer]:
    if game.n_actions <= _FEW_ACTIONS:
        yield Offer("lookahead:depth=3", "Lookahead 3", "alpha-beta search, three plies deep")


_OWN = (
    PlayerKind("random", Random, "any legal move", "Random", "chance"),
    PlayerKind("greedy", greedy, "the move with the greatest immediate margin", "Greedy", "rules of thumb"),
    PlayerKind("heuristic", heuristic, "follows hand-written rules for each game", "Heuristic", "rules of thumb"),
    PlayerKind(
        "lookahead", lookahead,
        "alpha-beta search, three plies deep by default, over an evaluator: heuristic, margin or rollouts; exact endings",
        family="lookahead", offers=_lookaheads,
    ),
    PlayerKind("perfect", Perfect, "makes no mistake, in games small enough to be solved", "Perfect", "solver"),
    PlayerKind("uct", Uct, "Monte Carlo tree search with playouts", "UCT", "search", _searches),
    PlayerKind(
        "companion", companion_for, "plays about as strongly as a person of a given rating", OFFER.title, offers=lambda game: (),
    ),
    PlayerKind("gtp", Gtp, "another program that speaks the Go Text Protocol"),
    PlayerKind("nboard", Nboard, "another Othello program that speaks NBoard's protocol"),
    PlayerKind("gomocup", Gomocup, "another Gomoku program that speaks the protocol of the Gomocup"),
)  # fmt: skip
REGISTRY.add_own({it.name: it for it in _OWN})


def kinds() -> dict[str, PlayerKind]:
    """Every kind of player by the name that a spec begins with."""
    return REGISTRY.all()
