"""Who chooses: the table of players and the strings that name them, `name[:key=value,...]`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from randori.errors import UserError, suggest
from randori.game import Game
from randori.players.companion import companion_for
from randori.players.files import names_file, player_from_file
from randori.players.humphreys import Humphreys
from randori.players.lookahead import lookahead
from randori.players.options import option_defaults, parse_options
from randori.players.outside import Gomocup, Gtp, Nboard
from randori.players.perfect import Perfect
from randori.players.player import Choice, FollowsGames, Player, choose_in_game
from randori.players.search import Uct
from randori.players.simple import Random, greedy, heuristic

__all__ = ["Choice", "FollowsGames", "Player", "choose_in_game", "kinds", "player"]


@dataclass(frozen=True)
class Kind:
    """A line of the table: what makes the player from a game and the options of its spec, and what it is."""

    make: Callable[..., Player]
    summary: str

    def spec(self, name: str) -> str:
        """The name with every option that it takes, at its default."""
        options = [f"{key}={default}" for key, default in option_defaults(self.make).items()]
        return f"{name}:{','.join(options)}" if options else name


_PLAYERS: dict[str, Kind] = {
    "random": Kind(Random, "any legal move"),
    "greedy": Kind(greedy, "the move with the greatest immediate margin"),
    "heuristic": Kind(heuristic, "the ordinary program of each game, by rules of thumb"),
    "lookahead": Kind(lookahead, "alpha-beta over an evaluator: heuristic, margin or rollouts; the end exact"),
    "perfect": Kind(Perfect, "no mistake, in games small enough to be solved"),
    "uct": Kind(Uct, "Monte Carlo tree search with playouts"),
    "companion": Kind(companion_for, "about as strong as a person, given by the rating"),
    "mcts-humphreys": Kind(Humphreys, "the tree search of Humphreys et al., as they describe it"),
    "gtp": Kind(Gtp, "another program that speaks the Go Text Protocol"),
    "nboard": Kind(Nboard, "another Othello program that speaks NBoard's protocol"),
    "gomocup": Kind(Gomocup, "another Gomoku program that speaks the protocol of the Gomocup"),
}


def kinds() -> dict[str, Kind]:
    """Every kind of player by the name that a spec begins with."""
    return dict(_PLAYERS)


def player(spec: str, game: Game) -> Player:
    """The player that a spec names, for one game. Raises UserError for what it does not know."""
    if names_file(spec):
        return player_from_file(spec, game)
    name, _, text = spec.partition(":")
    if name not in _PLAYERS:
        raise UserError(f"There is no player '{name}'.{suggest(name, _PLAYERS)}")
    make = _PLAYERS[name].make
    options: dict[str, Any] = parse_options(make, text, f"player '{name}'")
    return make(game, **options)
