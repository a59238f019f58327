"""Freisleben (1995), "A neural network that learns to play five-in-a-row": its series of games, reproduced.

Tables: 1 two series against the star program, 2 the converse case, 3 learning from itself, 4 an independent program,
5 what goes beyond the paper, 6 what its text leaves open.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.arena.scores import Score
from randori.experiments.findings import Verdict, decide, together
from randori.experiments.intervals import interval_of_mean
from randori.experiments.papers import Reproduction, Scale
from randori.experiments.report import Claim, Report, Table
from randori.methods.comparison.paper_matches import beyond, independent
from randori.methods.comparison.paper_series import (
    Converse,
    SelfPlay,
    Series,
    choices,
    converse,
    self_play,
    two_series,
    won,
)


class Sizes(NamedTuple):
    """How much is played."""

    seeds: int
    candidates: int
    """Random networks among which the luckiest are looked for."""
    match_games: int
    independent_games: int
    deeper_games: int


SIZES: dict[Scale, Sizes] = {"quick": Sizes(3, 20, 200, 10, 4), "full": Sizes(10, 200, 1000, 100, 40)}


def reproduce(reproduction: Reproduction) -> Report:
    """The paper's results, ours beside them, and what becomes of its claims."""
    sizes = SIZES[reproduction.scale]
    tables: list[Table] = []
    claims: list[Claim] = []
    for number in reproduction.tables():
        table, found = _table(number, sizes, reproduction)
        tables.append(table)
        claims += found
    return Report("Freisleben 1995: five in a row", tables=tables, claims=claims)


def _table(number: int, sizes: Sizes, reproduction: Reproduction) -> tuple[Table, list[Claim]]:
    if number == 1:
        table, series = two_series(sizes.seeds, reproduction)
        return table, _claims_of_learning(series)
    if number == 2:
        table, networks = converse(sizes.seeds, sizes.candidates, reproduction)
        return table, _claims_of_the_converse(networks)
    if number == 3:
        table, played = self_play(sizes.seeds, reproduction)
        return table, [_claim_of_self_play(played)]
    if number == 4:
        table, scores = independent(sizes.seeds, sizes.independent_games, sizes.deeper_games, reproduction)
        return table, _claims_of_strength(scores or [])
    if number == 5:
        return beyond(sizes.match_games, reproduction), []
    return choices(sizes.seeds, reproduction), []


def _gain(series: list[Series]) -> NDArray[np.float64]:
    """Games more of fifty after two series than before, by seed."""
    return won([it.tests[2] for it in series]) - won([it.tests[0] for it in series])


def _in_words(games: NDArray[np.float64]) -> str:
    low, high = interval_of_mean(games)
    return f"{games.mean():+.1f} games of 50 ({low:+.1f} .. {high:+.1f})"


def _claims_of_learning(series: list[Series]) -> list[Claim]:
    gain, after = _gain(series), won([it.tests[2] for it in series])
    low, high = interval_of_mean(after)
    return [
        Claim(
            "Learning from games against the star program makes the network stronger.",
            decide(interval_of_mean(gain)),
            f"Two series change it by {_in_words(gain)}.",
        ),
        Claim(
            "After two series it wins more games than the program that taught it.",
            decide((low, high), 25),
            f"It wins {after.mean():.1f} of 50 ({low:.1f} .. {high:.1f}).",
        ),
    ]


def _claims_of_the_converse(networks: Converse) -> list[Claim]:
    gains = [_gain(it) for it in (networks.balanced, networks.lucky, networks.rewarded)]
    again = won([it.tests[0] for it in networks.lucky])
    low, high = interval_of_mean(again)
    balanced, lucky, rewarded = map(_in_words, gains)
    return [
        Claim(
            "A network that is better than its opponent gets worse by learning from it.",
            together(*(decide(interval_of_mean(-it)) for it in gains)),
            f"Two series change networks of a better balance by {balanced}, the luckiest by {lucky}, and these by {rewarded} "
            "where the reward for right moves is ten times as large.",
        ),
        Claim(
            "Among networks with random weights, some are better than the star program before they learn.",
            decide((low, high), 25),
            f"The luckiest win {again.mean():.1f} of 50 ({low:.1f} .. {high:.1f}) in games that played no part in choosing them.",
        ),
    ]


def _claim_of_self_play(played: SelfPlay) -> Claim:
    gains = [won(after) - won(played.before) for after in (played.copy, played.current)]
    improves = [decide(interval_of_mean(it)) for it in gains]
    none: dict[Verdict, Verdict] = {"holds": "does not hold", "does not hold": "holds", "undecided": "holds"}
    return Claim(
        "Games against itself bring no significant improvement.",
        together(*(none[it] for it in improves)),
        f"Against a fixed copy they change it by {_in_words(gains[0])}, against its current weights by "
        f"{_in_words(gains[1])}.",
    )


def _claims_of_strength(scores: list[tuple[str, Score]]) -> list[Claim]:
    people = Claim("It beats advanced human players 7 to 3.", "undecided", "No people have played against it here.")
    if not scores:
        return [people]
    in_words = ", ".join(
        f"{it.mean:.2f} ({it.interval[0]:.2f} .. {it.interval[1]:.2f}) on {name}" for name, it in scores
    )
    beats = Claim(
        "The best trained network beats a program that it has not learned from.",
        together(*(decide(score.interval, 0.5) for _, score in scores)),
        f"Against pygomoku it scores {in_words}.",
    )
    return [beats, people]
