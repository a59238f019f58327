"""Humphreys, Petlah, Eshmirzaev and Mahdi, "Reinforcement Learning Algorithm Comparisons For The Game Of Reversi".

Tables 1 to 5 are the paper's: wins as a share of all games. Each of its agents was trained once and met others in 50
games (20 in table 5); here each is trained with several seeds and plays many more. Tables 6 and 7 are ours: what goes
beyond the paper, one change at a time, and trained players.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from randori import games
from randori.arena import Score, duel, play_duels
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_mean
from randori.experiments.papers import Reproduction
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure, Report, Table
from randori.experiments.train import train_to_the_end
from randori.methods.deep_q.config import PAPER, DeepQConfig
from randori.methods.deep_q.learner import DeepQLearner
from randori.players import Player, player
from randori.players.files import PLAYER_FILE, ZOO, load_player
from randori.workers import Workers

GAME = "othello8"
DQN = tuple(name for name in PAPER if name.startswith("dqn"))
WIN_RATES: dict[int, dict[tuple[str, str], float]] = {
    1: dict(zip(((it, "random") for it in DQN), (0.6, 0.52, 0.38, 0.5, 0.64, 0.52, 0.46, 0.4), strict=True)),
    2: dict(zip(((it, "dqn2") for it in DQN), (0.0, 0.0, 0.52, 0.36, 0.0, 0.0, 0.0, 0.0), strict=True)),
    3: dict(zip(((it, "dqn1") for it in DQN), (0.0, 0.38, 0.56, 0.68, 0.5, 0.56, 0.0, 0.56), strict=True)),
    4: {
        ("dsqn", "random"): 0.5,
        ("dsqn-selfplay", "random"): 0.62,
        ("dsqn", "dsqn-selfplay"): 0.0,
        ("dsqn", "dqn2"): 0.54,
        ("dsqn-selfplay", "dqn2"): 0.56,
    },
    5: {("mcts-humphreys:simulations=5", "random"): 0.6, ("mcts-humphreys:simulations=10", "random"): 0.8},
}
"""Published, by table, agent and opponent."""
TITLES = {
    1: "Deep Q agents against chance",
    2: "Deep Q agents against dqn2",
    3: "Deep Q agents against dqn1",
    4: "Deep SARSA",
    5: "Tree search with few simulations",
    6: "Beyond the paper, one change at a time",
    7: "Trained players without search",
}
VARIANTS: dict[str, DeepQConfig] = {
    "ours": DeepQConfig(),
    "Double": replace(DeepQConfig(), double=True),
    "no dueling": replace(DeepQConfig(), dueling=False),
    "returns of 1 step": replace(DeepQConfig(), steps=1),
    "returns of 4 steps": replace(DeepQConfig(), steps=4),
    "returns to the end of the game": replace(DeepQConfig(), steps=64),
    "no turned boards": replace(DeepQConfig(), symmetric=False),
    "next position after the reply": replace(DeepQConfig(), bootstrap="reply", steps=8),
    "the paper's network 2, masked": replace(
        DeepQConfig(), network="board", win=1.0, draw=0.5, loss=0.0, bootstrap="reply", steps=8
    ),
}
VARIANT_GAME = "othello6"


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


SIZES = {"quick": Sizes(3, 1000, 1, 8, 1000), "full": Sizes(5, 2000, 2, 12, 10_000)}


def reproduce(asked: Reproduction) -> Report:
    """The tables of the paper, and two of ours."""
    tables = [_table(number, SIZES[asked.scale], asked) for number in asked.tables()]
    return Report("Humphreys et al.: Deep Q, Deep SARSA and tree search for Reversi", tables=tables)


def _table(number: int, sizes: Sizes, asked: Reproduction) -> Table:
    if number == 6:
        return _variants(sizes, asked)
    if number == 7:
        return _trained(sizes, asked.workers)
    return _published(number, sizes, asked)


def _published(number: int, sizes: Sizes, asked: Reproduction) -> Table:
    folder, seeds = asked.folder / "agents", asked.seeds(sizes.seeds)
    pairs = WIN_RATES[number]
    named = {name for pair in pairs for name in pair if name in PAPER}
    _train_all(
        [(name, PAPER[name], GAME, seed, _rounds(name)) for name in sorted(named) for seed in seeds],
        folder,
        asked.workers,
    )
    figures = []
    for (first, second), published in pairs.items():
        scores = _scores(first, second, sizes, seeds, folder, asked.workers)
        rates = [it.wins / it.games for it in scores]
        spread = f" (seeds {min(rates):.2f} to {max(rates):.2f})" if len(set(rates)) > 1 else ""
        n_games = sum(it.games for it in scores)
        mean = sum(it.wins for it in scores) / n_games
        figures.append(Figure(f"{first} v {second}{spread}", mean, interval_of_mean(rates), published, n_games))
    note = (
        f"Wins as a share of all games, draws not counted, mean of {sizes.seeds} trainings with the interval over them. "
        "Published: one training, 50 games (20 in table 5). Ours begin with random plies, played from both sides."
    )
    return Table(f"Table {number}: {TITLES[number]}", figures, note)


def _rounds(name: str) -> int:
    rounds = DeepQLearner.presets[name].rounds
    assert rounds is not None
    return rounds


def _scores(first: str, second: str, sizes: Sizes, seeds: range, folder: Path, workers: Workers) -> list[Score]:
    """Of each seed; agents that are trained meet those of the same seed, dqn1 and dqn2 themselves those of the next."""
    game = games.game(GAME)
    each = -(-sizes.games // sizes.seeds)

    def of(name: str, seed: int) -> Player:
        return load_player(folder / f"{name}-{seed}" / PLAYER_FILE, game) if name in PAPER else player(name, game)

    duels = [
        duel(game, of(first, seed), of(second, seeds[(place + (first == second)) % len(seeds)]), each, seed=seed)
        for place, seed in enumerate(seeds)
    ]
    return [it.score for it in play_duels(duels, workers)]


def _train_all(runs: Sequence[tuple[str, DeepQConfig, str, int, int]], folder: Path, workers: Workers) -> None:
    """Trains what is not there yet."""
    workers.map(_train, [(folder, *run) for run in runs])


def _train(folder: Path, name: str, config: DeepQConfig, game: str, seed: int, rounds: int) -> None:
    with CountingWorkers(1) as staff:
        recipe = Recipe(game, "deep-q", config, seed, rounds, evaluate_games=0)
        train_to_the_end(recipe, folder / f"{name}-{seed}", staff)


def _variants(sizes: Sizes, asked: Reproduction) -> Table:
    rounds, folder, seeds = sizes.variant_rounds, asked.folder / "variants", asked.seeds(sizes.variant_seeds)
    short = {name: replace(it, horizon=rounds * it.games) for name, it in VARIANTS.items()}
    keys = {name: name.replace(" ", "-").replace(",", "").replace("'", "") for name in short}
    runs = [(keys[name], it, VARIANT_GAME, seed, rounds) for name, it in short.items() for seed in seeds]
    _train_all(runs, folder, asked.workers)
    game, figures = games.game(VARIANT_GAME), []
    for name in short:
        for opponent in ("random", "heuristic"):
            duels = [
                duel(
                    game,
                    load_player(folder / f"{keys[name]}-{seed}" / PLAYER_FILE, game),
                    player(opponent, game),
                    sizes.games,
                )
                for seed in seeds
            ]
            scores = [it.score for it in play_duels(duels, asked.workers)]
            means = [it.mean for it in scores]
            interval = interval_of_mean(means) if len(means) > 1 else scores[0].interval
            n_games = sum(it.games for it in scores)
            figures.append(Figure(f"{name} v {opponent}", sum(means) / len(means), interval, games=n_games))
    note = (
        f"Scores, a draw half a point, on {game.title} after {rounds * DeepQConfig().games:,} games of learning"
        f" with {sizes.variant_seeds} seed(s)."
    )
    return Table(f"Table 6: {TITLES[6]}", figures, note, digits=3)


def _trained(sizes: Sizes, workers: Workers) -> Table:
    """The zoo's players of this learner, as they are."""
    names = [path.stem for path in sorted(ZOO.glob("*-deep-q.safetensors"))]
    played = []
    for name in names:
        game = games.game(name.partition("-")[0])
        played += [
            duel(game, player(f"zoo/{name}", game), player(opponent, game), sizes.trained_games)
            for opponent in ("random", "heuristic")
        ]
    figures = [
        Figure(f"{it.duel.first.name} v {it.duel.second.name}", it.score.mean, it.score.interval, games=it.score.games)
        for it in play_duels(played, workers)
    ]
    note = "Scores, a draw half a point; no search, one look at the network a move."
    return Table(f"Table 7: {TITLES[7]}", figures, note, digits=3)
