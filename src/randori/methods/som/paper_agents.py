"""Agents that learn on maps against random moves: Tables 4 and 7 of Kamei and Kakizoe (2017)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import Score
from randori.chart import Curve
from randori.experiments.cpu import CountingWorkers
from randori.experiments.findings import difference
from randori.experiments.intervals import interval_of_mean
from randori.experiments.kept import kept
from randori.experiments.metrics import read_metrics
from randori.experiments.recipe import Recipe
from randori.experiments.report import Chart, Figure, Table
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train_to_the_end
from randori.methods.som.config import SomConfig
from randori.methods.som.learner import play_chance
from randori.methods.som.player import SelfOrganized
from randori.methods.som.values import TableValues
from randori.players.files import PLAYER_FILE, load_player

GAME = "othello8"
CURVE_POINTS = 40

CONVENTIONAL, BY_PRODUCT, SEVEN = "maps-3-distance", "maps-3-product", "maps-7-product"
"""Folders of the maps: how many, and who wins."""
FITTING_CONVENTIONAL, FITTING_BY_PRODUCT = f"{CONVENTIONAL}-fitting", f"{BY_PRODUCT}-fitting"
"""Of maps that were trained with the games that fit Table 2 best."""


@dataclass(frozen=True)
class Agent:
    """An agent whose win rate while it learns is a cell of Table 4 or 7, or stands beside one."""

    name: str
    maps: str
    method: str
    """`td0`, `tdl`, `mc` (eq. 8 as printed) or `mc-split` (as explained); `none` for random moves."""
    exact: int
    published: float | None = None
    tables: tuple[int, ...] = (4,)
    explains: str | None = None
    """The agent whose difference from the published rate this one may explain."""

    @property
    def short(self) -> bool:
        """Whether the plan's smaller number of games is enough."""
        return self.published is None or self.method == "none"

    @property
    def folder(self) -> str:
        return f"{self.method}-on-{self.maps}" + (f"-last-{self.exact}" if self.exact else "")

    def config(self, maps: SomConfig, place: Path, n_games: int) -> SomConfig:
        changed = replace(maps, maps=str(place), games=n_games, exact=self.exact)
        if self.method.startswith("mc"):
            split = self.method == "mc-split"
            return replace(changed, method="monte-carlo", monte_carlo="split-equally" if split else "divided-by-time")
        if self.method == "none":
            return replace(changed, method="td", exploring=1.0)
        return replace(changed, method="td", trace_decay=0.0 if self.method == "td0" else maps.trace_decay)


AGENTS = (
    Agent("IP-SOM, MC", BY_PRODUCT, "mc", 0, 0.58, (4, 7)),
    Agent("IP-SOM, TD(lambda)", BY_PRODUCT, "tdl", 0, 0.50, (4, 7)),
    Agent("IP-SOM, TD(0)", BY_PRODUCT, "td0", 0, 0.47),
    Agent("7 maps and last-4 search, TD(lambda)", SEVEN, "tdl", 4, 0.60, (7,)),
    Agent("7 maps and last-4 search, MC", SEVEN, "mc", 4, 0.58, (7,)),
    Agent("random moves and last-4 search", BY_PRODUCT, "none", 4, None, (7,)),
    Agent("random moves", BY_PRODUCT, "none", 0, 0.47, (4, 7)),
    Agent("conventional SOM, MC", CONVENTIONAL, "mc", 0, 0.56),
    Agent("conventional SOM, TD(lambda)", CONVENTIONAL, "tdl", 0, 0.48),
    Agent("conventional SOM, TD(0)", CONVENTIONAL, "td0", 0, 0.47),
    Agent("conventional SOM, MC split equally", CONVENTIONAL, "mc-split", 0, explains="conventional SOM, MC"),
    Agent("IP-SOM, MC split equally", BY_PRODUCT, "mc-split", 0, explains="IP-SOM, MC"),
    *(
        Agent(f"{name}, maps of fitting games", maps, method, 0, explains=name)
        for kind, maps in (("IP-SOM", FITTING_BY_PRODUCT), ("conventional SOM", FITTING_CONVENTIONAL))
        for name, method in ((f"{kind}, MC", "mc"), (f"{kind}, TD(lambda)", "tdl"), (f"{kind}, TD(0)", "td0"))
    ),
    Agent("7 maps without search, TD(lambda)", SEVEN, "tdl", 0, None, (7,)),
    Agent("3 maps and last-4 search, TD(lambda)", BY_PRODUCT, "tdl", 4, None, (7,)),
    Agent("random moves and last-2 search", BY_PRODUCT, "none", 2, None, (7,)),
    *(
        Agent(f"7 maps and last-2 search, {it}", SEVEN, method, 2, None, (7,), f"7 maps and last-4 search, {it}")
        for it, method in (("TD(lambda)", "tdl"), ("MC", "mc"))
    ),
)
"""The most important first. `random moves` is what the paper says of two random players. `fitting games` are those that
fit Table 2 best; a search of the last 2 moves is what the agent would do whose last 4 moves are counted by both sides.
"""


class Learning(NamedTuple):
    """Where agents learn, how long, and how they are measured."""

    maps: dict[str, SomConfig]
    """By the names of their folders."""
    folder: Path
    short: int
    """Games that are enough for agents that say so."""
    games_a_round: int
    evaluated: int
    """Games of the agent that has learned, without random moves."""

    def games_of(self, agent: Agent, n_games: int) -> int:
        return min(n_games, self.short) if agent.short else n_games

    def run(self, agent: Agent, seed: int) -> Path:
        return self.folder / f"{agent.folder}-{seed}"


def learn_games(learning: Learning, agent: Agent, seed: int, n_games: int) -> None:
    """One run on maps that are there; a task for a worker."""
    config = agent.config(learning.maps[agent.maps], learning.folder / agent.maps, learning.games_a_round)
    n_rounds = learning.games_of(agent, n_games) // learning.games_a_round
    recipe = Recipe(GAME, "som", config, seed, n_rounds, evaluate_games=0)
    with CountingWorkers(1) as staff:
        train_to_the_end(recipe, learning.run(agent, seed), staff, or_further=True)


class Learned(NamedTuple):
    """The result of one run."""

    n_games: int
    win_rate: float
    """Over all games, as the paper has it."""
    score: float
    """The same with draws counted half."""
    curve: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Numbers of games, and the win rate between each and the one before."""
    cpu_seconds: float

    def won_by(self, n_games: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many of the first games it won."""
        games_at, rates = self.curve
        wins = np.append(0.0, np.cumsum(np.diff(games_at, prepend=0) * rates))
        return np.interp(n_games, np.append(0.0, games_at), wins)


def learned(folder: Path) -> Learned:
    rows = [row for row in read_metrics(folder / METRICS_FILE) if "metrics" in row]
    games_at = np.array([row["games"] for row in rows], np.float64)
    # Rounds that share a row have their mean there, so the rate over all games is the mean weighted by games.
    rates = np.array([row["metrics"]["win_rate"] for row in rows])
    scores = np.array([row["metrics"]["score"] for row in rows])
    win_rate, score = (float(np.average(it, weights=np.diff(games_at, prepend=0))) for it in (rates, scores))
    return Learned(int(games_at[-1]), win_rate, score, (games_at, rates), rows[-1]["cpu_seconds"])


def win_rates(number: int, learning: Learning, agents: Sequence[Agent], seeds: range) -> tuple[Table, Chart]:
    """Table 4 or 7, of the agents that have learned."""
    lines = {agent: _lines(learning, agent, seeds) for agent in agents}
    for agent, base in _baselines(agents).items():
        lines[agent].append(_above(lines[agent][-1], lines[base][0]))
    figures = [it for some in lines.values() for it in some]
    explained = {lines[it][0].what: _explain(lines[it][0], _reasons(it, lines)) for it in agents}
    runs = {agent: [learned(learning.run(agent, seed)) for seed in seeds] for agent in agents}
    seconds = sum(run.cpu_seconds for some in runs.values() for run in some)
    note = (
        f"Win rates of the beginner against random moves, over all games of learning as in the paper; the lines `at the "
        f"end` are {learning.evaluated:,} more games of the first run, without random moves and without learning. "
        + ("Intervals over the runs, which share their maps. " if len(seeds) > 1 else "Intervals over the games of one "
           "run; runs differ by more than that. ")
        + f"{seconds:,.0f} CPU seconds of learning in all."
    )  # fmt: skip
    title = {4: "Table 4: win rates with 3 maps", 7: "Table 7: win rates with 7 maps and search"}[number]
    curves = [_curve(it.name, runs[it]) for it in agents if not it.short]
    chart = Chart(f"table-{number}", f"{title}, while learning", "games", "win rate", curves)
    return Table(title, [explained.get(it.what, it) for it in figures], note, digits=3), chart


def _lines(learning: Learning, agent: Agent, seeds: range) -> list[Figure]:
    """Of one agent: the rate over all games, and others beside it."""
    runs = [learned(learning.run(agent, seed)) for seed in seeds]
    n_games = min(it.n_games for it in runs)
    whole = _over_games(agent.name, runs, n_games, agent.published)
    if agent.method == "none":
        score = float(np.mean([it.score for it in runs]))
        return [whole, Figure(f"{agent.name}, draws counted half", score, games=whole.games)]
    first = f"{agent.name}, first {learning.short:,} games"
    early = [_over_games(first, runs, learning.short, None)] if n_games > learning.short else []
    return [whole, *early, at_the_end(learning, agent, seeds[0])]


def _baselines(agents: Sequence[Agent]) -> dict[Agent, Agent]:
    """For each agent that searches the last moves, random moves with the same search, where they are there."""
    bases = {it.exact: it for it in agents if it.method == "none" and it.exact}
    return {it: bases[it.exact] for it in agents if it.method != "none" and it.exact in bases}


def _above(figure: Figure, base: Figure) -> Figure:
    assert figure.ours is not None
    assert base.ours is not None
    return Figure(f"{figure.what}, above {base.what}", figure.ours - base.ours, difference(figure, base))


def _reasons(agent: Agent, lines: dict[Agent, list[Figure]]) -> list[Figure]:
    """Lines that may explain an agent's rate: of agents made for that, and of random moves with draws counted otherwise."""
    explaining = [lines[it][0] for it in lines if it.explains == agent.name]
    return explaining + lines[agent][1:] if agent.method == "none" else explaining


def _explain(figure: Figure, reasons: Sequence[Figure]) -> Figure:
    """Explains a figure by a line that lies on the other side of the published rate."""
    if figure.standing != "open" or figure.ours is None or figure.published is None:
        return figure
    for it in reasons:
        others = it.interval or (it.ours,)
        reached = [figure.ours, *(end for end in others if end is not None)]
        if min(reached) <= figure.published <= max(reached):
            reason = f"the line `{it.what}` has {it.ours:.3f}, and {figure.published:g} lies between."
            return replace(figure, explained=reason)
    return figure


def _over_games(what: str, runs: list[Learned], n_games: int, published: float | None) -> Figure:
    """The win rate over the first games of each run."""
    rates = np.array([run.won_by(np.array([n_games]))[0] / n_games for run in runs])
    wins, played = round(float(rates.mean()) * n_games * len(runs)), n_games * len(runs)
    interval = interval_of_mean(rates) if len(runs) > 1 else Score(wins, 0, played - wins, played).interval
    return Figure(what, float(rates.mean()), interval, published, played)


def _curve(name: str, runs: list[Learned]) -> Curve:
    """The mean of the runs at the same numbers of games."""
    last = min(run.n_games for run in runs)
    xs = np.linspace(last / CURVE_POINTS, last, CURVE_POINTS)
    won = np.mean([run.won_by(np.append(0.0, xs)) for run in runs], axis=0)
    return Curve(name, xs.tolist(), (np.diff(won) / np.diff(xs, prepend=0)).tolist())


def at_the_end(learning: Learning, agent: Agent, seed: int) -> Figure:
    """More games without random moves and without learning."""
    run = learning.run(agent, seed)
    of = {"agent": agent, "games learned": learned(run).n_games, "games": learning.evaluated, "seed": seed}
    wins = kept(run / "at-the-end.json", of, lambda: _wins_at_the_end(learning, agent, run))
    score = Score(wins, 0, learning.evaluated - wins, learning.evaluated)
    return Figure(f"{agent.name}, at the end", score.mean, score.interval, games=learning.evaluated)


def _wins_at_the_end(learning: Learning, agent: Agent, run: Path) -> int:
    values = player_in(run).values
    assert isinstance(values, TableValues)
    config = replace(learning.maps[agent.maps], method="td", rate=0.0, exploring=0.0, exact=agent.exact)
    outcomes = np.empty(learning.evaluated, np.int8)
    play_chance(values.atlas, values.values.astype(np.float64), config, np.array([1], np.uint64), outcomes)
    return int(np.sum(outcomes == 1))


def player_in(folder: Path) -> SelfOrganized:
    player = load_player(folder / PLAYER_FILE, games.game(GAME))
    assert isinstance(player, SelfOrganized)
    return player
