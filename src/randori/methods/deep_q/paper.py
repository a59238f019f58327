"""Humphreys, Petlah, Eshmirzaev and Mahdi, "Reinforcement Learning Algorithm Comparisons For The Game Of Reversi".

Tables 1 to 5 are the paper's. Each of its agents was trained once and met others in 50 games (20 in table 5); here each is
trained with several seeds and plays many more, with the paper's rule that stops learning and without it. Table 8 asks what
one training and 50 games can show. Tables 6, 7 and 9 go beyond the paper.
"""

from dataclasses import dataclass, replace

import numpy as np

from randori.experiments.intervals import interval_of_few
from randori.experiments.papers import Reproduction
from randori.experiments.report import Claim, Figure, Report, Table
from randori.methods.deep_q.learner import DeepQLearner
from randori.methods.deep_q.paper_agents import GAMES_A_SIDE, REPLAYS, WHOLE, Agents
from randori.methods.deep_q.paper_beyond import VARIANTS, playouts, readings, trained, variants
from randori.methods.deep_q.paper_claims import claims
from randori.methods.deep_q.paper_published import DQN, PUBLISHED, Pair
from randori.methods.deep_q.paper_rates import RATES, Rate, Results, one_training, rate_figure

TITLES = {
    1: "Deep Q agents against random play",
    2: "Deep Q agents against dqn2",
    3: "Deep Q agents against dqn1",
    4: "Deep SARSA",
    5: "Tree search with few simulations",
    6: "Ours: beyond the paper, one change at a time",
    7: "Ours: trained players without search",
    8: "What one training and the paper's number of games show",
    9: "Ours: playouts of uct that are not quite random",
}
STOPPED = (1, 2, 3)
"""Tables of agents whose learning a rule ends."""


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    seeds: int
    games: int
    """In each cell of a table, over all seeds."""
    variant_seeds: int
    variant_rounds: int
    trained_games: int
    """Against each opponent, of the zoo's players."""
    search_games: int
    """In each cell of the tables of readings and of playouts."""


SIZES = {"quick": Sizes(3, 1000, 1, 8, 1000, 100), "full": Sizes(5, 2000, 2, 12, 10_000, 400)}


def reproduce(reproduction: Reproduction) -> Report:
    """The tables of the paper, and four of ours."""
    sizes = SIZES[reproduction.scale]
    agents = Agents(reproduction, sizes.seeds, sizes.games, _rounds)
    tables: list[Table] = []
    found: dict[Pair, Results] = {}
    unstopped: dict[Pair, Results] = {}
    for number in reproduction.tables():
        if number in PUBLISHED:
            found |= _results(number, agents)
            tables += _published(number, agents, found)
        if number in STOPPED:
            unstopped |= _results(number, agents, WHOLE)
            tables += _unstopped(number, agents, unstopped)
        tables += _ours(number, agents, sizes, reproduction)
    title = "Humphreys et al.: Deep Q, Deep SARSA and tree search for Reversi"
    return Report(title, tables=tables, claims=_both(claims(found), claims(unstopped)))


def _rounds(name: str) -> int:
    rounds = DeepQLearner.presets[name].rounds
    assert rounds is not None
    return rounds


def _both(stopped: list[Claim], unstopped: list[Claim]) -> list[Claim]:
    """Each claim with what becomes of it where agents learn from all their games."""
    verdicts = {it.claim: it.verdict for it in unstopped}
    return [
        replace(it, why=f"{it.why} Without the stopping rule: {verdicts[it.claim]}.") if it.claim in verdicts else it
        for it in stopped
    ]


def _results(number: int, agents: Agents, ending: str = "") -> dict[Pair, Results]:
    """Of the pairs of a published table, each agent being that whose name has this ending."""
    pairs = {pair: (_ended(pair[0], ending), _ended(pair[1], ending)) for pair in PUBLISHED[number]}
    agents.train(list(pairs.values()))
    return {pair: agents.scores(trained) for pair, trained in pairs.items()}


def _ended(name: str, ending: str) -> str:
    return f"{name}{ending}" if name in DQN else name


def _published(number: int, agents: Agents, found: dict[Pair, Results]) -> list[Table]:
    n_games = next(iter(PUBLISHED[number].values())).games
    if number == 5:
        how = f"One match of {agents.n_games:,} games; nothing is trained."
    else:
        how = f"Mean of {agents.n_seeds} trainings with the interval over them; {agents.n_games:,} games in all."
    note = f"{how} Games begin with random plies, each opening played from both sides. Published: {n_games} games"
    note += " after one training." if number != 5 else "."
    return [
        Table(
            f"Table {number}: {TITLES[number]}, {name}",
            [_compared(number, agents, pair, rate, found[pair]) for pair in PUBLISHED[number]],
            note,
        )
        for name, rate in RATES.items()
    ]


def _compared(number: int, agents: Agents, pair: Pair, rate: Rate, results: Results) -> Figure:
    counts = PUBLISHED[number][pair]
    figure = replace(rate_figure(pair, rate, results, counts), published=rate(counts))
    if figure.standing == "inside":
        return figure
    _, (low, high) = one_training(agents.by_protocol(pair), counts.games)[rate]
    if not low <= rate(counts) <= high:
        return figure
    trained = "" if number == 5 else "one training and "
    why = f"Table 8: {trained}{counts.games} games as the paper plays them give {low:.2f} to {high:.2f}."
    return replace(figure, explained=why)


def _unstopped(number: int, agents: Agents, found: dict[Pair, Results]) -> list[Table]:
    note = f"As above, but every agent learns from all {_rounds(DQN[0])} games; so do dqn1 and dqn2 as opponents."
    return [
        Table(
            f"Table {number} without the stopping rule: {TITLES[number]}, {name}",
            [rate_figure(pair, rate, found[pair], counts) for pair, counts in PUBLISHED[number].items()],
            note,
        )
        for name, rate in RATES.items()
    ]


def _ours(number: int, agents: Agents, sizes: Sizes, reproduction: Reproduction) -> list[Table]:
    """What we measure under this number, beside a published table or instead of one."""
    title = f"Table {number}: {TITLES[number]}"
    if number == 1:
        return [_games_learned(agents)]
    if number == 5:
        return [readings("Table 5: three readings of t in the UCT score", sizes.search_games, reproduction)]
    if number == 6:
        return [variants(title, VARIANTS, sizes.variant_rounds, sizes.variant_seeds, sizes.games, reproduction)]
    if number == 7:
        return [trained(title, sizes.trained_games, reproduction)]
    if number == 8:
        return _one_training(title, agents)
    return [playouts(title, sizes.search_games, reproduction)] if number == 9 else []


def _games_learned(agents: Agents) -> Table:
    figures = []
    for name in DQN:
        learned = agents.games_learned(name)
        low, high = interval_of_few(learned)
        figures.append(Figure(name, float(np.mean(learned)), (max(low, 0.0), min(high, float(_rounds(name))))))
    note = (
        f"Learning ends when the error has not fallen by a hundredth for 10 games, or after {_rounds(DQN[0])}. Mean of "
        f"{agents.n_seeds} trainings, interval over them."
    )
    return Table(
        "Table 1: games from which each agent learns before the stopping rule ends it", figures, note, digits=0
    )


def _one_training(title: str, agents: Agents) -> list[Table]:
    published = {pair: counts for table in PUBLISHED.values() for pair, counts in table.items()}
    agents.train(list(published))
    by_side = {pair: agents.by_protocol(pair) for pair in published}
    shown = {pair: one_training(by_side[pair], counts.games) for pair, counts in published.items()}
    note = (
        "As the paper plays: always from the usual start, sides drawn at random, one training. The interval is where 95% of "
        f"such results lie, computed from {agents.n_seeds} trainings with {GAMES_A_SIDE} games on each side. Two "
        f"deterministic agents only ever play two games, one from each side; every two trainings play each {REPLAYS} times."
    )
    tables = []
    for name, rate in RATES.items():
        figures = []
        for pair, counts in published.items():
            mean, interval = shown[pair][rate]
            distinct = np.mean([first.distinct_games + second.distinct_games for first, second in by_side[pair]])
            further = {"distinct games": f"{distinct:.0f} of {sum(it.games for it in by_side[pair][0])}"}
            figures.append(Figure(" v ".join(pair), mean, interval, rate(counts), counts.games, further=further))
        tables.append(Table(f"{title}, {name}", figures, note))
    return tables
