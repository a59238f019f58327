"""Table 8, which is ours: what makes the learner `som` stronger than the paper's, one change at a time."""

from dataclasses import dataclass, replace
from pathlib import Path

from randori import games
from randori.arena import Score, duel, play_duels
from randori.arena.scores import total
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure, Table
from randori.experiments.train import train_to_the_end
from randori.methods.som.atlas import THREE_STAGES
from randori.methods.som.config import SomConfig
from randori.players.files import PLAYER_FILE, load_player
from randori.players.simple import Random

GAME = "othello8"
LAST_MOVES = 4
OURS = SomConfig()
MAP_SETTINGS = (
    "height", "width", "stages", "winner", "thresholds", "data", "rough", "fine", "map_training", "map_rounds",
    "source", "source_chance", "by_side",
)  # fmt: skip
ONLY_THE_WINNER = 0.05  # a temperature at which hardly any neuron counts but the winner

WAYS = {
    "ours": OURS,
    "one value a neuron, no slopes": replace(OURS, slopes=False),
    "only the winner counts": replace(OURS, temperature=ONLY_THE_WINNER),
    "only the winner counts, no slopes": replace(OURS, temperature=ONLY_THE_WINNER, slopes=False),
    "half the temperature": replace(OURS, temperature=OURS.temperature / 2),
    "twice the temperature": replace(OURS, temperature=OURS.temperature * 2),
    "least distance wins": replace(OURS, winner="distance"),
    "one map": replace(OURS, stages=(60,)),
    "three maps": replace(OURS, stages=THREE_STAGES),
    "one neuron a map": replace(OURS, height=1, width=1),
    "maps of 10 x 10": replace(OURS, height=10, width=10),
    "maps trained by batches": replace(OURS, map_training="batch"),
    "TD(0)": replace(OURS, trace_decay=0.0),
    "Monte Carlo": replace(OURS, trace_decay=1.0),
    "no search while learning": replace(OURS, exact=0),
    "no random openings": replace(OURS, opening=0),
}


@dataclass(frozen=True)
class Trials:
    """How long each way learns, in how many runs, and how it is measured."""

    rounds: int
    """Of games, after those of the maps."""
    n_runs: int
    measured: int
    """Games against random moves after each run."""
    ways: dict[str, SomConfig]


BEYOND_FULL = Trials(30, 1, 2_000, WAYS)
_FEW = ("ours", "one value a neuron, no slopes", "only the winner counts, no slopes")
BEYOND_QUICK = Trials(2, 1, 1_000, {name: WAYS[name] for name in _FEW})


def run_ways(trials: Trials, seeds: range, folder: Path, workers: CountingWorkers) -> dict[str, list[Score]]:
    """Every run of every way; those that are complete in the folder are only measured.

    Ways that do not change the maps take over those of the first, run by run.
    """
    first, *others = trials.ways
    own = [way for way in others if not _has_maps_of(trials.ways[first], trials.ways[way])]
    alone = [(trials, way, seed, folder, None) for way in [first, *own] for seed in seeds]
    scores = dict(zip([task[1:3] for task in alone], workers.map(try_way, alone), strict=True))
    shared = [
        (trials, way, seed, folder, _run(folder, first, seed)) for way in others if way not in own for seed in seeds
    ]
    scores |= dict(zip([task[1:3] for task in shared], workers.map(try_way, shared), strict=True))
    return {way: [scores[way, seed] for seed in seeds] for way in trials.ways}


def _has_maps_of(one: SomConfig, other: SomConfig) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in MAP_SETTINGS)


def _run(folder: Path, way: str, seed: int) -> Path:
    return folder / ("".join(letter if letter.isalnum() else "-" for letter in way.lower()) + f"-{seed}")


def try_way(trials: Trials, way: str, seed: int, folder: Path, maps: Path | None) -> Score:
    """Trains one run, and measures it with the last four moves searched and no other search."""
    config, game, run = trials.ways[way], games.game(GAME), _run(folder, way, seed)
    rounds = trials.rounds if maps else config.map_rounds + trials.rounds
    if maps:
        config = replace(config, maps=str(maps))
    recipe = Recipe(GAME, "som", config, seed, rounds, evaluate_games=0)

    def measure() -> Score:
        with CountingWorkers(1) as staff:
            train_to_the_end(recipe, run, staff)
            player = load_player(run / PLAYER_FILE, game, f"exact={LAST_MOVES}")
            return play_duels([duel(game, player, Random(game), trials.measured, seed=seed)], staff)[0].score

    return Score(**kept(run / "measured.json", {"recipe": recipe, "games": trials.measured}, measure))


def compare_ways(trials: Trials, found: dict[str, list[Score]]) -> Table:
    figures = []
    for way, scores in found.items():
        together = total(scores)
        figures.append(Figure(way, together.mean, together.interval, games=together.games))
    n_games = trials.rounds * OURS.games
    note = (
        f"Score against random moves from both seats, a draw half a point, after {n_games:,} games of sparring in each run; "
        f"only the last {LAST_MOVES} moves are searched. Intervals over the games."
    )
    return Table("Table 8: beyond the paper, what helps and what does not", figures, note, digits=3)
