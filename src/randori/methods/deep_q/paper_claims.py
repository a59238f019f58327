"""What Humphreys et al. conclude, and what becomes of it."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from randori.experiments.findings import Claim, Figure, Interval, Verdict, decide, difference, together
from randori.experiments.intervals import interval_of_few
from randori.methods.deep_q.paper_published import DQN, PUBLISHED, Pair
from randori.methods.deep_q.paper_rates import Results, margin, measured, rate_figure, win_rate

ALIKE = 0.1
"""Two are as good as each other where neither wins more games than it loses by this share of all."""

Found = Mapping[Pair, Results]


def claims(found: Found) -> list[Claim]:
    """Those whose figures are there."""
    all_claims: list[tuple[Iterable[Pair], Callable[[Found], Claim]]] = [
        (PUBLISHED[1], _dqn2_is_best),
        (PUBLISHED[1], _shaping_hurts),
        (PUBLISHED[1], _selfplay_is_no_help),
        ([*PUBLISHED[2], *PUBLISHED[3]], _dqn2_generalises),
        ([("dqn1-rs", "dqn2"), ("dqn1-rs", "dqn1")], _dqn1_rs_wins),
        ([("dsqn", "random")], _sarsa_is_as_good_as_chance),
        ([("dsqn-selfplay", "random")], _sarsa_by_selfplay_is_better),
        ([("dsqn", "dqn2"), ("dsqn-selfplay", "dqn2")], _sarsa_against_dqn2),
        (PUBLISHED[5], _search_beats_chance),
        (PUBLISHED[5], _more_simulations_are_better),
    ]
    return [make(found) for pairs, make in all_claims if all(pair in found for pair in pairs)]


def _dqn2_is_best(found: Found) -> Claim:
    lines = {name: rate_figure((name, "random"), win_rate, found[name, "random"]) for name in DQN}
    best, others = lines["dqn2"], [lines[name] for name in DQN if name != "dqn2"]
    verdict = together(*(decide(difference(best, it)) for it in others))
    rival = max(others, key=lambda it: it.ours or 0.0)
    name = rival.what.partition(" v ")[0]
    why = f"It wins {_with_interval(best)} of its games; the best of the others, {name}, {_with_interval(rival)}."
    return Claim("dqn2 does best against random play.", verdict, why)


def _shaping_hurts(found: Found) -> Claim:
    plain = [name for name in DQN if "-rs" not in name]
    gaps = {name: _gap(found, name, name.replace("dqn1", "dqn1-rs").replace("dqn2", "dqn2-rs")) for name in plain}
    why = f"Without shaping they win more by {_listed(gaps)}."
    return Claim("Shaped rewards make agents worse against random play.", together(*map(decide, gaps.values())), why)


def _selfplay_is_no_help(found: Found) -> Claim:
    plain = [name for name in DQN if "selfplay" not in name]
    gaps = {name: _gap(found, name, f"{name}-selfplay") for name in plain}
    why = f"Without self-play they win more by {_listed(gaps)}."
    claim = "Against random play, agents that learned by self-play are at best as good as those that did not."
    return Claim(claim, together(*map(decide, gaps.values())), why)


def _dqn2_generalises(found: Found) -> Claim:
    """By the games that each did not lose against all eight, which are those that the eight did not win."""
    kept = {
        name: np.mean([[1 - win_rate(it) for it in found[pair]] for pair in PUBLISHED[table]], axis=0)
        for table, name in ((2, "dqn2"), (3, "dqn1"))
    }
    two, one = (Figure(name, float(rates.mean()), interval_of_few(rates.tolist())) for name, rates in kept.items())
    why = f"Against all eight agents dqn2 does not lose {_with_interval(two)} of its games, dqn1 {_with_interval(one)}."
    return Claim("dqn2 generalises better than dqn1.", decide(difference(two, one)), why)


def _dqn1_rs_wins(found: Found) -> Claim:
    margins = {other: measured(margin, found["dqn1-rs", other])[1] for other in ("dqn1", "dqn2")}
    why = f"Wins minus losses, as a share of all games: {_listed(margins)}."
    return Claim("dqn1-rs beats both dqn1 and dqn2.", together(*map(decide, margins.values())), why)


def _sarsa_is_as_good_as_chance(found: Found) -> Claim:
    interval = measured(margin, found["dsqn", "random"])[1]
    why = f"Wins minus losses, as a share of all games: {_interval(interval)}; alike means within {ALIKE}."
    return Claim("dsqn plays no better and no worse than at random.", alike(interval), why)


def _sarsa_by_selfplay_is_better(found: Found) -> Claim:
    interval = measured(margin, found["dsqn-selfplay", "random"])[1]
    why = f"Wins minus losses, as a share of all games: {_interval(interval)}."
    return Claim("dsqn-selfplay plays better than at random.", decide(interval), why)


def _sarsa_against_dqn2(found: Found) -> Claim:
    margins = {name: measured(margin, found[name, "dqn2"])[1] for name in ("dsqn", "dsqn-selfplay")}
    why = f"Wins minus losses, as a share of all games: {_listed(margins)}; alike means within {ALIKE}."
    return Claim("Deep SARSA is as good as dqn2.", together(*map(alike, margins.values())), why)


def _search_beats_chance(found: Found) -> Claim:
    margins = {pair[0]: measured(margin, found[pair])[1] for pair in PUBLISHED[5]}
    why = f"Wins minus losses, as a share of all games: {_listed(margins)}."
    return Claim("Tree search plays better than at random.", together(*map(decide, margins.values())), why)


def _more_simulations_are_better(found: Found) -> Claim:
    five, ten = (rate_figure(pair, win_rate, found[pair]) for pair in PUBLISHED[5])
    why = f"5 simulations win {_with_interval(five)} of the games, 10 win {_with_interval(ten)}; Table 5 has 100, too."
    return Claim("Tree search plays better with 10 simulations than with 5.", decide(difference(ten, five)), why)


def alike(interval: Interval) -> Verdict:
    """Whether a margin is close to 0."""
    if interval[0] > -ALIKE and interval[1] < ALIKE:
        return "holds"
    return "does not hold" if interval[0] > ALIKE or interval[1] < -ALIKE else "undecided"


def _gap(found: Found, one: str, other: str) -> Interval:
    return difference(*(rate_figure((it, "random"), win_rate, found[it, "random"]) for it in (one, other)))


def _with_interval(figure: Figure) -> str:
    assert figure.ours is not None
    assert figure.interval is not None
    return f"{figure.ours:.2f} ({_interval(figure.interval)})"


def _interval(interval: Interval) -> str:
    return f"{interval[0]:.2f} .. {interval[1]:.2f}"


def _listed(intervals: Mapping[str, Interval]) -> str:
    return ", ".join(f"{_interval(it)} ({name})" for name, it in intervals.items())
