"""How far asynchronous learning scales: `python -m randori.app.bench.scaling [FILE]`.

Measures what a task of self-play takes on one core and how many bytes travel with it, says by that what stops more actors
from being faster, and checks the model on processes whose tasks sleep as long as recorded ones took. With a file it
replaces the tables there that a comment marks.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cloudpickle
import numpy as np

from randori import games, players
from randori.app.bench.machine import machine
from randori.app.bench.writing import publish
from randori.core.game import Game
from randori.experiments.report import markdown_table
from randori.methods.alphazero.config import PRESETS, AlphaZeroConfig
from randori.methods.alphazero.learner import GAMES_A_TASK
from randori.methods.alphazero.player import AlphaZero
from randori.methods.alphazero.replay import Part, Replay
from randori.methods.alphazero.selfplay import Lessons, play_self
from randori.methods.alphazero.stream import MOST_BEHIND, Stream, Task
from randori.methods.alphazero.training import Training
from randori.networks import Network
from randori.networks.modules import ResidualModule, load_tensors, make_module
from randori.tasks import packed
from randori.workers import Shared, Workers

GAMES = ("connect4", "othello8")
ACTORS = (1, 2, 4, 10, 100, 1000)
CHECKED = (1, 2, 4)
N_TASKS = 4
AT_A_TIME = (64, 32, 16, 8)
LINK = 125e6  # bytes per second of a network of 1 Gbit/s
FASTER = 50.0  # times as fast as one core: what a graphics card may be, which nobody has measured here


class Costs(NamedTuple):
    """Of one task of self-play, by the CPU time of one core."""

    positions: float
    play: float
    """Seconds."""
    learn: float
    """Seconds, for the steps that its positions are worth."""
    keep: float
    """Seconds of the head: to hand a task out, to receive its games and to put them on the disk."""
    weights: int
    """Bytes that travel to whoever plays."""
    games: int
    """Bytes that travel back."""


class Flow(NamedTuple):
    """Tasks per second, and what keeps them from being more."""

    tasks: float
    limit: str


def flow(costs: Costs, actors: int, learner: float | None = 1.0) -> Flow:
    """By the narrowest place. `learner`: how many times as fast as one core; None: nobody learns, or at any ratio.

    New weights travel with every task: those of a task are older than the one that the same actor had before.
    """
    rates = {
        "the actors": actors / costs.play,
        "learning": np.inf if learner is None else learner / costs.learn,
        "keeping games on the disk": 1 / costs.keep,
        "weights on the network": LINK / costs.weights,
        "games on the network": LINK / costs.games,
    }
    limit = min(rates, key=lambda name: rates[name])
    return Flow(float(rates[limit]), limit)


def record(game: Game, config: AlphaZeroConfig, network: Network) -> tuple[Costs, list[Lessons]]:
    """Costs, and the lessons of the tasks that were played for them."""
    play_self(game, network, config, 2, 0, 0)  # compiles
    played, seconds = [], []
    for seed in range(N_TASKS):
        began = time.process_time()
        played.append(play_self(game, network, config, GAMES_A_TASK, seed * config.openings // (N_TASKS - 1), seed))
        seconds.append(time.process_time() - began)
    positions = float(np.mean([len(it.states) for it in played]))
    costs = Costs(
        positions,
        float(np.mean(seconds)),
        _learning(game, config, network, played[0]) * positions * config.uses / config.batch,
        _keeping(played, Shared(network)),
        len(Shared(network).packed),
        len(cloudpickle.dumps(played[0])),
    )
    return costs, played


def positions_per_second(game: Game, config: AlphaZeroConfig, network: Network, at_a_time: int) -> float:
    """Of self-play by the CPU time of one core, with so many games at a time."""
    positions, began, opening = 0, time.process_time(), config.openings // 2
    for seed in range(max(AT_A_TIME) // at_a_time):
        positions += len(play_self(game, network, config, at_a_time, opening, seed).states)
    return positions / (time.process_time() - began)


def _learning(game: Game, config: AlphaZeroConfig, network: Network, lessons: Lessons, n_steps: int = 6) -> float:
    """CPU seconds of a step."""
    module = make_module(network.architecture, np.random.default_rng(0))
    assert isinstance(module, ResidualModule)
    load_tensors(module, network.tensors)
    training = Training(game, module, config)
    training.fit(lessons, 1, config.rate, np.random.default_rng(0))
    began = time.process_time()
    training.fit(lessons, n_steps, config.rate, np.random.default_rng(0))
    return (time.process_time() - began) / n_steps


def _keeping(played: list[Lessons], network: Shared[Network]) -> float:
    """Seconds by the clock, disk included; the best of several, since others share the machine."""
    times, answers = [], [cloudpickle.dumps(it) for it in played]
    with TemporaryDirectory() as folder:
        replay = Replay(Path(folder), 10 * GAMES_A_TASK)
        for answer in 3 * answers:
            began = time.perf_counter()
            packed(play_self, (network,), {})
            replay.add(cloudpickle.loads(answer), GAMES_A_TASK)
            times.append(time.perf_counter() - began)
    return min(times)


def _replayed(lessons: Lessons, network: Network, seconds: float) -> Lessons:
    """A task that takes as long as one that was recorded."""
    time.sleep(seconds)
    return lessons


def rehearse(played: list[Lessons], network: Network, costs: Costs, actors: int, n_tasks: int) -> float:
    """Tasks per second of a real stream whose tasks and learning sleep: processes, weights that travel and games that are put
    on the disk are real.
    """
    kept, newest = [Shared(it) for it in played[:2]], Shared(network)

    def task(index: int) -> Task:
        return Task((kept[index % len(kept)], newest, costs.play), GAMES_A_TASK, 0)

    def learn(parts: list[Part], part: Part) -> dict[str, float]:
        nonlocal newest
        time.sleep(costs.learn)
        newest = Shared(network)
        return {}

    with TemporaryDirectory() as folder, Workers(actors) as staff:
        stream = Stream(Replay(Path(folder), 10 * GAMES_A_TASK), staff, _replayed, task, learn, 0)
        stream.receive(
            GAMES_A_TASK * (2 * actors + MOST_BEHIND)
        )  # processes have started, and learning is as far behind as it may be
        began = time.perf_counter()
        stream.receive(stream.n_games + GAMES_A_TASK * n_tasks)
        rate = n_tasks / (time.perf_counter() - began)
        stream.close()
    return rate


def tables() -> Iterator[str]:
    """Costs, what follows from them, and how the model holds."""
    recorded = {name: _recorded(name) for name in GAMES}
    head = ["", "positions", "play", "learn", "keep", "weights", "games"]
    yield "What one task of 32 games takes: CPU time of one core, but time by the clock to keep the games on the disk."
    yield markdown_table(head, [_costs_row(name, costs) for name, (costs, _, _) in recorded.items()])
    yield (
        "Positions per second by the model, with the bottleneck. *Alone*: there is no learner. *One core*: the learner has one "
        f"core and keeps the recipe's ratio of steps to positions. *Faster*: it is {FASTER:.0f} times as fast as a core, which "
        "is an assumption."
    )
    head = ["actors", *(f"{name}, {how}" for name in GAMES for how in ("alone", "one core", "faster"))]
    yield markdown_table(head, [_expected_row(actors, [it[0] for it in recorded.values()]) for actors in ACTORS])
    yield "Self-play in positions per CPU second, by the number of games played at a time: more games make larger batches."
    yield markdown_table(["", *map(str, AT_A_TIME)], [_batches_row(name, recorded[name][2]) for name in GAMES])
    costs, played, network = recorded[GAMES[0]]
    yield "The model against real processes that sleep for as long as playing and learning would take, in tasks per second."
    head = ["actors", "alone: model", "measured", "with learning: model", "measured"]
    yield markdown_table(head, [_checked_row(actors, costs, played, network) for actors in CHECKED])
    yield f"Measured on {machine()}."


def _recorded(name: str) -> tuple[Costs, list[Lessons], Network]:
    """With the network of the zoo and the settings of its recipe."""
    game = games.game(name)
    player = players.player(f"zoo/{name}-alphazero", game)
    assert isinstance(player, AlphaZero)
    costs, played = record(game, PRESETS[f"{name}-20m"].config, player.network)
    return costs, played, player.network


def _batches_row(name: str, network: Network) -> list[str]:
    game, config = games.game(name), PRESETS[f"{name}-20m"].config
    return [name, *(f"{positions_per_second(game, config, network, n):,.0f}" for n in AT_A_TIME)]


def _costs_row(name: str, costs: Costs) -> list[str]:
    sizes = [f"{costs.weights / 1000:,.0f} kB", f"{costs.games / 1000:,.0f} kB"]
    return [
        name,
        f"{costs.positions:,.0f}",
        f"{costs.play:.2f} s",
        f"{costs.learn:.2f} s",
        f"{1000 * costs.keep:.1f} ms",
        *sizes,
    ]


def _expected_row(actors: int, costs: list[Costs]) -> list[str]:
    cells = []
    for it in costs:
        for learner in (None, 1.0, FASTER):
            found = flow(it, actors, learner)
            cells.append(f"{found.tasks * it.positions:,.0f} ({found.limit})")
    return [f"{actors:,}", *cells]


def _checked_row(actors: int, costs: Costs, played: list[Lessons], network: Network) -> list[str]:
    cells = []
    for learn, learner in ((0.0, None), (costs.learn, 1.0)):
        n_tasks = 10 * actors if learner is None else 12
        measured = rehearse(played, network, costs._replace(learn=learn), actors, n_tasks)
        cells += [f"{flow(costs, actors, learner).tasks:.2f}", f"{measured:.2f}"]
    return [f"{actors}", *cells]


if __name__ == "__main__":
    publish("scaling", "\n\n".join(it.strip() for it in tables()))
