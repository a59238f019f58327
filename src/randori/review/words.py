"""A review in sentences: what was played, what was better, and by how much."""

from randori.core.game import DRAW, LOSS, WIN, Game
from randori.review.course import Judged
from randori.review.marks import Mark

_CALLED = {
    Mark.INACCURACY: ", an inaccuracy",
    Mark.MISTAKE: ", a mistake",
    Mark.BLUNDER: ", a blunder",
    Mark.MISSED_WIN: " and missed a win",
}
_PROVED = {WIN: "wins", DRAW: "holds the draw", LOSS: "loses"}


def sentences(game: Game, judged: Judged, who: str) -> str:
    """Describes a move by `who`: "You", "Black"."""
    verdict, move = judged.verdict, game.move_names[judged.action]
    if judged.mark is None:
        if verdict.forced:
            return f"{who} played {move}, the only move."
        return f"{who} played {move}." if verdict.cost > 0 else f"{who} played {move}: there was nothing better."
    sentence = f"{who} played {move}{_CALLED[judged.mark]}: {_better(game, judged)}."
    return " ".join([sentence, *(f"It {it}." for it in judged.remarks)])


def line_of(game: Game, judged: Judged) -> str:
    """The moves that show why another one was better, or nothing."""
    is_better = judged.verdict.action != judged.action
    return " ".join(game.move_names[it] for it in judged.verdict.line) if is_better else ""


def percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _better(game: Game, judged: Judged) -> str:
    verdict, best = judged.verdict, game.move_names[judged.verdict.action]
    discs = _discs(game, verdict.discs)
    if not verdict.exact:
        return f"{best} was worth {percent(verdict.cost)} more{f', about {discs}' if discs else ''}"
    if verdict.cost == 0:
        return f"{best} was worth {discs} more"
    before, after = (_PROVED[round(2 * chance - 1)] for chance in (verdict.best, verdict.played))
    return f"{best} {before}, {game.move_names[judged.action]} {'only ' if verdict.played else ''}{after}"


def _discs(game: Game, n: float | None) -> str:
    """Nothing for less than one."""
    if n is None or game.counts is None or round(n) < 1:
        return ""
    return f"{n:.0f} {game.counts if round(n) > 1 else game.counts.removesuffix('s')}"
