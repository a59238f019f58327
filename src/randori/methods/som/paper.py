"""Kamei and Kakizoe 2017, "An Approach to the Development of a Game Agent based on SOM and Reinforcement Learning".

Tables 2 and 6 (positions that maps retrieve) and 4 and 7 (win rates of agents that learn on them). Tables 8 and 9 are
ours: what makes the learner stronger than the paper's, and how far it should look ahead. The work goes from what matters
most to what matters least, and the report is written after each step, so that it is there however far a full run got.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from randori.experiments.cpu import CountingWorkers
from randori.experiments.papers import Reproduction, Scale
from randori.experiments.recipe import Recipe
from randori.experiments.report import Chart, Report, Table
from randori.experiments.train import train_to_the_end
from randori.methods.som import paper_retrieval
from randori.methods.som.atlas import Atlas
from randori.methods.som.config import PAPER, PAPER_THREE, SomConfig
from randori.methods.som.map_training import Source
from randori.methods.som.paper_agents import (
    AGENTS,
    BY_PRODUCT,
    CONVENTIONAL,
    FITTING_BY_PRODUCT,
    FITTING_CONVENTIONAL,
    GAME,
    SEVEN,
    Agent,
    Learning,
    learn_games,
    player_in,
    win_rates,
)
from randori.methods.som.paper_beyond import BEYOND_FULL, BEYOND_QUICK, Trials, compare_ways, run_ways
from randori.methods.som.paper_claims import claims
from randori.methods.som.paper_depth import DEPTHS_FULL, DEPTHS_QUICK, Depths, measure_depths
from randori.methods.som.paper_retrieval import Axis, measure_axis, table_6
from randori.methods.som.paper_table_2 import charts_2, fitting_share, tables_2

AGENTS_A_STEP = 4
MAP_ROUNDS = 4
"""Of seven maps. Fewer than the preset's, which shows its progress more often but plays all games of its data again
for each round."""
FITTED = {FITTING_CONVENTIONAL: CONVENTIONAL, FITTING_BY_PRODUCT: BY_PRODUCT}


@dataclass(frozen=True)
class Plan:
    """How much of it: a full one is the paper's own."""

    maps: dict[str, SomConfig]
    shares: tuple[float, ...]
    """Of random moves in the games that maps are trained with, for Table 2."""
    n_maps: int
    """Maps of so many seeds for each share: the first chooses a share, the others report it."""
    steps: tuple[int, ...]
    """Games that all agents have learned from after each step."""
    short: int
    """Games that are enough for agents that explain others, and for random moves."""
    games_a_round: int
    n_runs: int
    evaluated: int
    """Games of the agent that has learned, without random moves."""
    trials: Trials
    depths: Depths

    def learning(self, folder: Path, share: float | None) -> Learning:
        """`share` is the one that fits Table 2, where that is known."""
        fitted = {} if share is None else {name: self.fitted(name, share) for name in FITTED}
        return Learning(self.maps | fitted, folder, self.short, self.games_a_round, self.evaluated)

    def fitted(self, name: str, share: float) -> SomConfig:
        return paper_retrieval.played_with(self.maps[FITTED[name]], share)


def plan(scale: Scale) -> Plan:
    conventional = replace(PAPER_THREE, winner="distance", thresholds="statistical")
    if scale == "full":
        maps = {BY_PRODUCT: PAPER_THREE, CONVENTIONAL: conventional, SEVEN: replace(PAPER, map_rounds=MAP_ROUNDS)}
        shares, steps = (0.02, 0.05, 0.1, 0.2, 1.0), (20_000, 100_000, 1_000_000)
        return Plan(maps, shares, 4, steps, 100_000, 10_000, 1, 2_000, BEYOND_FULL, DEPTHS_FULL)
    data, rough, fine = (tuple(number // 200 for number in it) for it in (PAPER.data, PAPER.rough, PAPER.fine))
    seven = replace(PAPER, map_rounds=1, data=data, rough=rough, fine=fine)
    maps = {BY_PRODUCT: PAPER_THREE, CONVENTIONAL: conventional, SEVEN: seven}
    return Plan(maps, (0.1, 1.0), 3, (2_000,), 2_000, 500, 3, 500, BEYOND_QUICK, DEPTHS_QUICK)


def reproduce(reproduction: Reproduction) -> Report:
    """The paper's tables, and ours; the same call continues where it stopped."""
    report = Report("")
    for report in _steps(reproduction):
        reproduction.save_so_far(report)
    return report


@dataclass
class Findings:
    """What is known so far, by the number of the table."""

    tables: dict[int, list[Table]] = field(default_factory=dict)
    charts: dict[int, list[Chart]] = field(default_factory=dict)
    learned: set[Agent] = field(default_factory=set)
    """Not judged by their files: those of an interrupted session may be incomplete."""

    def report(self) -> Report:
        title = "Kamei and Kakizoe 2017: self-organizing maps and reinforcement learning"
        tables = [it for _, some in sorted(self.tables.items()) for it in some]
        charts = [it for _, some in sorted(self.charts.items()) for it in some]
        return Report(title, tables=tables, charts=charts, claims=claims(self.tables))


def _steps(reproduction: Reproduction) -> Iterator[Report]:
    """Does the work; yields the report so far after each step."""
    size, folder, workers = plan(reproduction.scale), reproduction.folder, reproduction.workers
    wanted = set(reproduction.wanted)
    agents = [agent for agent in AGENTS if set(agent.tables) & wanted]
    found, share, maps_seed = Findings(), None, reproduction.seeds(1)[0]
    if wanted & {2, 4}:
        reproduction.tell("three maps by the games that they know")
        axis = Axis(size.maps[CONVENTIONAL], size.maps[BY_PRODUCT], size.shares, reproduction.seeds(size.n_maps))
        retrieval = measure_axis(axis, folder / "retrieval", workers)
        share = fitting_share(retrieval)
        if 2 in wanted:
            found.tables[2], found.charts[2] = tables_2(retrieval), charts_2(retrieval)
            yield found.report()
    learning = size.learning(folder, share)
    if early := [agent for agent in agents if agent.maps != SEVEN]:
        reproduction.tell("three maps")
        train_maps(learning, tuple(dict.fromkeys(agent.maps for agent in early)), workers, maps_seed)
        yield _learn(reproduction, learning, early, agents, size.steps[0], found)
    if 9 in wanted:
        reproduction.tell("table 9")
        found.tables[9] = [measure_depths(size.depths, reproduction.seed, folder / "depth", workers)]
        yield found.report()
    if wanted & {6, 7}:
        reproduction.tell("seven maps")
        train_maps(learning, (SEVEN,), workers, maps_seed)
    if 6 in wanted:
        seven = size.maps[SEVEN]
        source = Source(seven.source, seven.source_chance)
        found.tables[6] = [table_6(atlas_in(folder / SEVEN), source, reproduction.seed)]
        yield found.report()
    for n_games in size.steps:
        # A few at a time, so that those who matter most are there first.
        for first in range(0, len(agents), AGENTS_A_STEP):
            yield _learn(reproduction, learning, agents[first : first + AGENTS_A_STEP], agents, n_games, found)
    if 8 in wanted:
        reproduction.tell("table 8")
        ways = run_ways(size.trials, reproduction.seeds(size.trials.n_runs), folder / "beyond", workers)
        found.tables[8] = [compare_ways(size.trials, ways)]
        yield found.report()


def _learn(
    reproduction: Reproduction, learning: Learning, who: list[Agent], agents: list[Agent], n_games: int, found: Findings
) -> Report:
    """Some agents learn from `n_games` games; the tables show all that have learned so far."""
    seeds = reproduction.seeds(plan(reproduction.scale).n_runs)
    reproduction.tell(f"{len(who)} agents, {n_games:,} games")
    reproduction.workers.map(learn_games, [(learning, it, seed, n_games) for it in who for seed in seeds])
    found.learned.update(who)
    for number in (4, 7):
        shown = [it for it in agents if number in it.tables and it in found.learned]
        if shown and reproduction.table in (None, number):
            table, chart = win_rates(number, learning, shown, seeds)
            found.tables[number], found.charts[number] = [table], [chart]
    return found.report()


def train_maps(learning: Learning, names: tuple[str, ...], workers: CountingWorkers, seed: int = 0) -> None:
    for name in names:
        config = learning.maps[name]
        recipe = Recipe(GAME, "som", config, seed, config.map_rounds, evaluate_games=0)
        train_to_the_end(recipe, learning.folder / name, workers)


def atlas_in(folder: Path) -> Atlas:
    return player_in(folder).values.atlas
