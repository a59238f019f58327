"""The referee: what a position is worth, and what the move that was played left of it.

A chance is for the side to move, 0 lost .. 1 won. Where the game's repertoire or the solver knows the position, it is 0, 0.5
or 1; else it is the opinion of the strongest player of the zoo that searches by alpha-beta and has learned how games end;
where there is none, that of playouts. The played move and the best one are compared at the same horizons, so that their
difference is no matter of whose turn it is at the end of a search.
"""

from functools import cached_property

from randori.core.game import Game, States
from randori.players.files import ZOO, Card, class_of, load_player, read_card
from randori.review.by_playouts import ByPlayouts
from randori.review.by_search import BySearch
from randori.review.effort import FINE, Effort
from randori.review.endings import Endings
from randori.review.verdict import Opinion, Verdict, Worth
from randori.search.alphabeta import Limits
from randori.search.insight import HasInsight


class Referee:
    """Judges positions of one game; serves one thread."""

    def __init__(self, game: Game, most: Effort = FINE, *, exact: bool = True) -> None:
        """Has room for judgements of `most` effort. Without `exact`, nothing is solved: so the opinion is measured alone."""
        self.game, self.endings, self._most, self._exact = game, Endings(game), most, exact

    @cached_property
    def opinion(self) -> Opinion:
        player = strongest(self.game)
        if player is None:
            return ByPlayouts(self.game)
        return BySearch(self.game, player.insight(Limits(nodes=self._most.nodes)))

    def chance(self, state: States, effort: Effort) -> float:
        """Of the side to move in a position, `[1, words]`."""
        return self.worth(state, effort).chance

    def worth(self, state: States, effort: Effort) -> Worth:
        """Of a position, `[1, words]`, even one that is over."""
        known = self.endings.known(state, effort.solver_nodes if self._exact else 0)
        return self.opinion.worth(state, effort) if known is None else Worth(known.chance, known.margin, exact=True)

    def verdict(self, state: States, action: int, effort: Effort) -> Verdict:
        """On a move that was played in a position, `[1, words]`."""
        forced = int(self.game.legal(state)[0].sum()) == 1
        found = self.exact_verdict(state, action, effort) or self.opinion.verdict(state, action, effort)
        return found._replace(forced=forced)

    def exact_verdict(self, state: States, action: int, effort: Effort) -> Verdict | None:
        """None where the position, the one after the move, or a better one is not solved."""
        nodes = effort.solver_nodes
        before = self.endings.known(state, nodes) if self._exact else None
        after = None if before is None else self.endings.known(self.game.play(state, [action]), nodes)
        if before is None or after is None:
            return None
        discs = None
        if before.margin is not None and after.margin is not None:
            discs = float(before.margin + after.margin)
        if before.is_kept_by(after):
            return Verdict(before.chance, before.chance, action, (action,), discs, exact=True)
        line = self.endings.best_line(state, before, nodes)
        if not line:
            return None  # the nodes show that there is a better move, but not which
        return Verdict(before.chance, 1 - after.chance, line[0], tuple(line), discs, exact=True)


def strongest(game: Game) -> HasInsight | None:
    """Of the zoo's players that can show their search: the one with the best rating."""
    cards = [(path, read_card(path)) for path in sorted(ZOO.glob(f"{game.name}-*.safetensors"))]
    rated = sorted(((path, it) for path, it in cards if it.game == game.name), key=lambda it: -_elo(it[1]))
    for path, card in rated:
        if hasattr(class_of(path, card), "insight"):
            player = load_player(path, game)
            assert isinstance(player, HasInsight)
            return player
    return None


def _elo(card: Card) -> float:
    return float("-inf") if card.rating is None else float(card.rating["elo"])
