"""What goes beyond Humphreys et al.: one change of the learner at a time, trained players, and playouts of `uct`."""

from collections.abc import Mapping
from dataclasses import replace

from randori import games
from randori.arena import duel
from randori.core.game import Game
from randori.experiments.intervals import interval_of_mean
from randori.experiments.papers import Reproduction
from randori.experiments.report import Figure, Table
from randori.methods.deep_q.config import DeepQConfig
from randori.methods.deep_q.paper_agents import GAME, kept_scores, train_all
from randori.methods.deep_q.paper_published import Pair
from randori.players import player
from randori.players.files import PLAYER_FILE, ZOO, load_player

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
PLAYOUTS = ("random", "epsilon", "softmax", "favourites")
SIMULATIONS = (5, 10, 100, 1000)


def variants(
    title: str, configs: Mapping[str, DeepQConfig], rounds: int, n_seeds: int, n_games: int, reproduction: Reproduction
) -> Table:
    """Each trained by itself."""
    folder, seeds = reproduction.folder / "variants", reproduction.seeds(n_seeds)
    short = {name: replace(it, horizon=rounds * it.games) for name, it in configs.items()}
    keys = {name: name.replace(" ", "-").replace(",", "").replace("'", "") for name in short}
    runs = [(keys[name], it, VARIANT_GAME, seed, rounds) for name, it in short.items() for seed in seeds]
    train_all(runs, folder, reproduction.workers)
    game, figures = games.game(VARIANT_GAME), []
    for name in short:
        for opponent in ("random", "heuristic"):
            duels = [
                duel(
                    game,
                    load_player(folder / f"{keys[name]}-{seed}" / PLAYER_FILE, game),
                    player(opponent, game),
                    n_games,
                )
                for seed in seeds
            ]
            of = {"agent": [short[name], rounds], "seeds": list(seeds)}
            scores = kept_scores(reproduction, f"{keys[name]} v {opponent}", of, duels)
            means = [it.mean for it in scores]
            interval = interval_of_mean(means) if len(means) > 1 else scores[0].interval
            played = sum(it.games for it in scores)
            figures.append(Figure(f"{name} v {opponent}", sum(means) / len(means), interval, games=played))
    note = (
        f"Scores, a draw half a point, on {game.title} after {rounds * DeepQConfig().games:,} games of learning"
        f" with {n_seeds} {'seed' if n_seeds == 1 else 'seeds'}."
    )
    return Table(title, figures, note, digits=3)


def trained(title: str, n_games: int, reproduction: Reproduction) -> Table:
    """The zoo's players of this learner, as they are."""
    lines = [
        _match(reproduction, games.game(name.partition("-")[0]), (f"zoo/{name}", opponent), n_games)
        for name in (path.stem for path in sorted(ZOO.glob("*-deep-q.safetensors")))
        for opponent in ("random", "heuristic")
    ]
    return Table(title, lines, "Scores, a draw half a point; no search, one network evaluation per move.", digits=3)


def playouts(title: str, n_games: int, reproduction: Reproduction) -> Table:
    """Each against random play, and against the same search with random playouts."""
    lines = []
    for n in SIMULATIONS:
        search = {kind: f"uct:simulations={n},priors=false,rollout={kind}" for kind in PLAYOUTS}
        pairs = [(search[kind], "random") for kind in PLAYOUTS]
        pairs += [(search[kind], search["random"]) for kind in PLAYOUTS[1:]]
        lines += [_match(reproduction, games.game(GAME), pair, n_games) for pair in pairs]
    note = (
        "Scores, a draw half a point. Nothing but visits guides the tree (priors=false), so only the playouts differ: "
        "any move (random); the game's preferred square, or any move with probability one half (epsilon); a square drawn by "
        "those preferences (softmax); a corner where there is one, else any move (favourites)."
    )
    return Table(title, lines, note, digits=3)


def readings(title: str, n_games: int, reproduction: Reproduction) -> Table:
    """The paper's search by what t may mean."""
    lines = [
        _match(reproduction, games.game(GAME), (f"mcts-humphreys:simulations={n},t={t}", "random"), n_games)
        for n in (5, 10, 100)
        for t in ("simulations", "visits", "wins")
    ]
    note = (
        "Scores, a draw half a point. t is the number of the simulation, as in the tables above; or the visits of "
        "the parent node; or, as the paper words it, the wins of all nodes together, but at least 1."
    )
    return Table(title, lines, note, digits=3)


def _match(reproduction: Reproduction, game: Game, pair: Pair, n_games: int) -> Figure:
    first, second = (player(name, game) for name in pair)
    (score,) = kept_scores(reproduction, f"{' v '.join(pair)} at {game.name}", {}, [duel(game, first, second, n_games)])
    return Figure(f"{pair[0]} v {pair[1]}", score.mean, score.interval, games=score.games)
