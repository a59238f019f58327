"""Kamei and Kakizoe 2017, "An Approach to the Development of a Game Agent based on SOM and Reinforcement Learning".

Tables 2 and 6 (positions that maps give back) and 4 and 7 (win rates of agents that learn on them); Table 8 is ours:
what makes the learner stronger than the paper's. The work goes from what matters most to what matters least, and the
report is written after each step, so that it is there however far a full run got.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import Score
from randori.chart import Curve
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_mean
from randori.experiments.metrics import read_metrics
from randori.experiments.papers import Reproduction, Scale
from randori.experiments.recipe import Recipe
from randori.experiments.report import Chart, Figure, Report, Table
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train_to_the_end
from randori.methods.som.atlas import Atlas
from randori.methods.som.config import PAPER, PAPER_THREE, Method, SomConfig
from randori.methods.som.learner import SomLearner, play_chance
from randori.methods.som.paper_beyond import BEYOND_FULL, BEYOND_QUICK, Trials, compare_ways, run_ways
from randori.methods.som.paper_retrieval import table_2, table_6
from randori.methods.som.player import SelfOrganized
from randori.methods.som.values import TableValues
from randori.players.files import PLAYER_FILE, load_player

GAME = "othello8"
CURVE_POINTS = 40
AGENTS_A_STEP = 4

CONVENTIONAL, BY_PRODUCT, SEVEN = "maps-3-distance", "maps-3-product", "maps-7-product"
"""Folders of the maps: how many, and who wins."""


@dataclass(frozen=True)
class Agent:
    """An agent whose win rate while it learns is a cell of Table 4 or 7."""

    name: str
    maps: str
    method: str
    """`td0`, `mc` or `tdl`; `none` for random moves."""
    exact: int
    published: float | None = None
    tables: tuple[int, ...] = (4,)

    @property
    def folder(self) -> str:
        return f"{self.method}-on-{self.maps}" + (f"-last-{self.exact}" if self.exact else "")

    def enough(self, n_games: int, size: "Plan") -> int:
        """So many games, or as many as this agent is worth."""
        return min(n_games, size.beside) if self.published is None or self.method == "none" else n_games

    def config(self, maps: SomConfig, place: Path, n_games: int) -> SomConfig:
        method: Method = "monte-carlo" if self.method == "mc" else "td"
        changed = replace(maps, maps=str(place), method=method, games=n_games, exact=self.exact)
        if self.method == "none":
            return replace(changed, exploring=1.0)
        return replace(changed, trace_decay=0.0) if self.method == "td0" else changed


AGENTS = (
    Agent("IP-SOM, MC", BY_PRODUCT, "mc", 0, 0.58, (4, 7)),
    Agent("IP-SOM, TD(lambda)", BY_PRODUCT, "tdl", 0, 0.50, (4, 7)),
    Agent("IP-SOM, TD(0)", BY_PRODUCT, "td0", 0, 0.47),
    Agent("7 maps and last-4 search, TD(lambda)", SEVEN, "tdl", 4, 0.60, (7,)),
    Agent("7 maps and last-4 search, MC", SEVEN, "mc", 4, 0.58, (7,)),
    Agent("random moves and last-4 search", BY_PRODUCT, "none", 4, None, (7,)),
    Agent("random moves", BY_PRODUCT, "none", 0, 0.47, (4, 7)),
    Agent("conventional SOM, MC", CONVENTIONAL, "mc", 0, 0.56),
    Agent("conventional SOM, TD(0)", CONVENTIONAL, "td0", 0, 0.47),
    Agent("conventional SOM, TD(lambda)", CONVENTIONAL, "tdl", 0, 0.48),
    Agent("7 maps without search, TD(lambda)", SEVEN, "tdl", 0, None, (7,)),
    Agent("3 maps and last-4 search, TD(lambda)", BY_PRODUCT, "tdl", 4, None, (7,)),
)
"""The most important first. `random moves` is what the paper tells of two random players."""


@dataclass(frozen=True)
class Plan:
    """How much of it: a full one is the paper's own."""

    maps: dict[str, SomConfig]
    steps: tuple[int, ...]
    """Games that all agents have learned from after each step."""
    beside: int
    """Games that are enough for agents of whom the paper has no figure, and for random moves."""
    games_a_round: int
    n_runs: int
    evaluated: int
    """Games of the agent that has learned, without random moves."""
    trials: Trials


def plan(scale: Scale) -> Plan:
    conventional = replace(PAPER_THREE, winner="distance", thresholds="statistical")
    if scale == "full":
        maps = {BY_PRODUCT: PAPER_THREE, CONVENTIONAL: conventional, SEVEN: PAPER}
        return Plan(maps, (20_000, 100_000, 1_000_000), 100_000, 10_000, 1, 2_000, BEYOND_FULL)
    data, rough, fine = (tuple(number // 200 for number in it) for it in (PAPER.data, PAPER.rough, PAPER.fine))
    seven = replace(PAPER, map_rounds=1, data=data, rough=rough, fine=fine)
    maps = {BY_PRODUCT: PAPER_THREE, CONVENTIONAL: conventional, SEVEN: seven}
    return Plan(maps, (2_000,), 2_000, 500, 3, 500, BEYOND_QUICK)


def reproduce(asked: Reproduction) -> Report:
    """The paper's tables, and ours; the same call goes on where it stopped."""
    report = Report("")
    for report in _steps(asked):
        asked.save_so_far(report)
    return report


def _steps(asked: Reproduction) -> Iterator[Report]:
    """Does the work and tells after each step what is known by then."""
    size, folder, workers = plan(asked.scale), asked.folder, asked.workers
    wanted, seeds = asked.wanted, asked.seeds(plan(asked.scale).n_runs)
    agents = [agent for agent in AGENTS if set(agent.tables) & set(wanted)]
    early = [agent for agent in agents if agent.maps != SEVEN]
    tables: dict[int, Table] = {}
    charts: dict[int, Chart] = {}
    ends: dict[Agent, Figure] = {}
    there: set[Agent] = set()  # not by their files: those of an interrupted session may have stopped half-way

    def so_far() -> Report:
        title = "Kamei and Kakizoe 2017: self-organizing maps and reinforcement learning"
        order = sorted(tables)
        drawn = [charts[it] for it in order if it in charts]
        return Report(title, tables=[tables[it] for it in order], charts=drawn)

    def learn(who: list[Agent], n_games: int) -> Iterator[Report]:
        tasks = [(size, it, seed, it.enough(n_games, size), folder) for it in who for seed in seeds]
        asked.tell(f"{len(who)} agents, {n_games:,} games")
        workers.map(learn_games, tasks)
        there.update(who)
        ends.update({it: _at_the_end(it, size, _run(folder, it, seeds[0])) for it in who if it.method != "none"})
        for number in (4, 7):
            shown = [agent for agent in agents if agent in there and number in agent.tables]
            if number in wanted and shown:
                tables[number], charts[number] = _win_rates(number, size, shown, ends, folder, seeds)
        yield so_far()

    if set(wanted) & {2, 4, 7}:
        asked.tell("three maps")
        train_maps(size, (BY_PRODUCT, CONVENTIONAL), folder, workers, seeds[0])
    if 2 in wanted:
        tables[2] = _retrieval(size, folder, workers, seeds[0])
        yield so_far()
    if early:
        yield from learn(early, size.steps[0])
    if set(wanted) & {6, 7}:
        asked.tell("seven maps")
        train_maps(size, (SEVEN,), folder, workers, seeds[0])
    if 6 in wanted:
        tables[6] = table_6(atlas_in(folder / SEVEN))
        yield so_far()
    for n_games in size.steps:
        # A few at a time, so that those who matter most are there first.
        for first in range(0, len(agents), AGENTS_A_STEP):
            yield from learn(agents[first : first + AGENTS_A_STEP], n_games)
    if 8 in wanted:
        asked.tell("table 8")
        tables[8] = compare_ways(
            size.trials, run_ways(size.trials, asked.seeds(size.trials.n_runs), folder / "beyond", workers)
        )
        yield so_far()


def _retrieval(size: Plan, folder: Path, workers: CountingWorkers, seed: int) -> Table:
    names = {"statistical": CONVENTIONAL, "IP": BY_PRODUCT}
    learners = {key: _learner(size.maps[name], workers, seed) for key, name in names.items()}
    conventional, by_product = (atlas_in(folder / name) for name in names.values())
    data = {key: it.data() for key, it in learners.items()}
    return table_2(conventional, by_product, size.maps[CONVENTIONAL], data)


def _learner(config: SomConfig, workers: CountingWorkers, seed: int) -> SomLearner:
    """The learner as it begins."""
    return SomLearner(games.game(GAME), config, np.random.default_rng(seed), workers)


def train_maps(size: Plan, names: tuple[str, ...], folder: Path, workers: CountingWorkers, seed: int = 0) -> None:
    for name in names:
        config = size.maps[name]
        recipe = Recipe(GAME, "som", config, seed, config.map_rounds, evaluate_games=0)
        train_to_the_end(recipe, folder / name, workers)


def atlas_in(folder: Path) -> Atlas:
    return _player_in(folder).values.atlas


def _player_in(folder: Path) -> SelfOrganized:
    player = load_player(folder / PLAYER_FILE, games.game(GAME))
    assert isinstance(player, SelfOrganized)
    return player


def _run(folder: Path, agent: Agent, seed: int) -> Path:
    return folder / f"{agent.folder}-{seed}"


def learn_games(size: Plan, agent: Agent, seed: int, n_games: int, folder: Path) -> None:
    """One run on maps that are there; a task for a worker."""
    config = agent.config(size.maps[agent.maps], folder / agent.maps, size.games_a_round)
    recipe = Recipe(GAME, "som", config, seed, n_games // size.games_a_round, evaluate_games=0)
    with CountingWorkers(1) as staff:
        train_to_the_end(recipe, _run(folder, agent, seed), staff, or_further=True)


class Learned(NamedTuple):
    """What one run came to."""

    n_games: int
    win_rate: float
    """Over all games, as the paper has it."""
    curve: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Numbers of games, and the win rate between each and the one before."""
    cpu_seconds: float


def learned(folder: Path) -> Learned:
    rows = [row for row in read_metrics(folder / METRICS_FILE) if "metrics" in row]
    games_at = np.array([row["games"] for row in rows], np.float64)
    # Rounds that share a row have their mean there, so the rate over all games is the mean weighted by games.
    rates = np.array([row["metrics"]["win_rate"] for row in rows])
    win_rate = float(np.average(rates, weights=np.diff(games_at, prepend=0)))
    return Learned(int(games_at[-1]), win_rate, (games_at, rates), rows[-1]["cpu_seconds"])


def _win_rates(
    number: int, size: Plan, agents: list[Agent], ends: dict[Agent, Figure], folder: Path, seeds: range
) -> tuple[Table, Chart]:
    figures, curves, seconds = [], [], 0.0
    for agent in agents:
        runs = [learned(_run(folder, agent, seed)) for seed in seeds]
        n_games = sum(run.n_games for run in runs)
        rates = np.array([run.win_rate for run in runs])
        wins = round(float(rates.mean()) * n_games)
        interval = Score(wins, 0, n_games - wins, n_games).interval
        if len(runs) > 1:
            interval = interval_of_mean(rates)
        figures.append(Figure(agent.name, float(rates.mean()), interval, agent.published, n_games))
        seconds += sum(run.cpu_seconds for run in runs)
        if agent in ends:
            figures.append(ends[agent])
            curves.append(_curve(agent.name, runs))
    note = (
        f"Win rates of the beginner against random moves, over all games of learning as in the paper; the lines `at the "
        f"end` are {size.evaluated:,} more games without random moves and without learning, of the first run. "
        + ("Intervals over the runs, which share their maps. " if size.n_runs > 1 else "Intervals over the games of one "
           "run: between runs there is more. ")
        + f"{seconds:,.0f} CPU seconds of learning in all."
    )  # fmt: skip
    title = {4: "Table 4: win rates with 3 maps", 7: "Table 7: win rates with 7 maps and search"}[number]
    chart = Chart(f"table-{number}", f"{title}, while learning", "games", "win rate", curves)
    return Table(title, figures, note, digits=3), chart


def _curve(name: str, runs: list[Learned]) -> Curve:
    """The mean of the runs at the same numbers of games."""
    last = min(run.n_games for run in runs)
    xs = np.linspace(last / CURVE_POINTS, last, CURVE_POINTS)
    ys = np.mean([_windows(run, xs) for run in runs], axis=0)
    return Curve(name, xs.tolist(), ys.tolist())


def _windows(run: Learned, xs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The win rate between each point and the one before."""
    games_at, rates = run.curve
    wins = np.append(0.0, np.cumsum(np.diff(games_at, prepend=0) * rates))
    won = np.interp(np.append(0.0, xs), np.append(0.0, games_at), wins)
    return np.asarray(np.diff(won) / np.diff(xs, prepend=0))


def _at_the_end(agent: Agent, size: Plan, run: Path) -> Figure:
    player = _player_in(run)
    values = player.values
    assert isinstance(values, TableValues)
    config = replace(size.maps[agent.maps], method="td", rate=0.0, exploring=0.0, exact=agent.exact)
    outcomes = np.empty(size.evaluated, np.int8)
    play_chance(values.atlas, values.values.astype(np.float64), config, np.array([1], np.uint64), outcomes)
    wins = int(np.sum(outcomes == 1))
    score = Score(wins, 0, len(outcomes) - wins, len(outcomes))
    return Figure(f"{agent.name}, at the end", score.mean, score.interval, games=len(outcomes))
