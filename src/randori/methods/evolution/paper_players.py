"""Evolved players at their best, beyond the paper: Tic-Tac-Toe that is never lost, and the Othello players of the zoo."""

import time
from pathlib import Path

import numpy as np

from randori import games, players
from randori.arena import duel, play_duels
from randori.core.game import ONGOING, Game
from randori.core.positions import positions_of_random_games
from randori.experiments.cpu import CountingWorkers
from randori.experiments.exhaustive import lost_ends
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure, Table
from randori.experiments.train import train_to_the_end
from randori.methods.evolution.learner import EvolutionLearner
from randori.methods.evolution.player import Evolved
from randori.players import Player
from randori.players.files import PLAYER_FILE, load_player
from randori.workers import Workers

SEATS = ("first", "second")


def never_lost(seeds: range, folder: Path, workers: CountingWorkers) -> Table:
    """Our own preset for Tic-Tac-Toe; every game that its players could lose is looked for, not sampled."""
    tasks = [(seed, folder / str(seed)) for seed in seeds]
    found = workers.map(_learn_tictactoe, tasks)
    lost, seconds = np.array([it[:2] for it in found]), np.array([it[2] for it in found])
    figures = [Figure("runs", len(seeds))]
    figures += [
        Figure(f"runs whose {seat} mover never loses", int(np.sum(lost[:, place] == 0)))
        for place, seat in enumerate(SEATS)
    ]
    figures.append(Figure("CPU seconds per run", float(seconds.mean()), (float(seconds.min()), float(seconds.max()))))
    note = (
        "Every possible game is followed, whatever the opponent plays, with every move that the player rates equally high. The "
        "interval of the seconds is their range."
    )
    return Table("Part 8: Tic-Tac-Toe players that never lose", figures, note, digits=0)


def _learn_tictactoe(seed: int, folder: Path) -> tuple[int, int, float]:
    """Ends that the first and the second mover can lose in, and CPU seconds."""
    preset, game = EvolutionLearner.presets["tictactoe"], games.game("tictactoe")
    with CountingWorkers(1) as staff:
        recipe = Recipe("tictactoe", "evolution", preset.config, seed, preset.rounds, evaluate_games=0)
        progress = train_to_the_end(recipe, folder, staff)
    player = load_player(folder / PLAYER_FILE, game)
    assert isinstance(player, Evolved)
    return lost_ends(game, player.liked, 0), lost_ends(game, player.liked, 1), progress.cpu_seconds


def zoo_players(n_games: int, workers: Workers) -> Table:
    """As the paper plays, one ply ahead, and as their files say, with lookahead and exact endings."""
    figures = []
    for name in ("othello6", "othello8"):
        game = games.game(name)
        heuristic = players.player("heuristic", game)
        for how, options in (("one ply ahead", ":depth=1,exact=0"), ("looking ahead", "")):
            spec = f"zoo/{name}-evolution{options}"
            player = players.player(spec, game)
            score = play_duels([duel(game, player, heuristic, n_games)], workers)[0].score
            low, high = score.interval
            what = f"{game.title}, {how}"
            figures.append(Figure(f"{what}: score in %", 100 * score.mean, (100 * low, 100 * high), games=score.games))
            figures.append(Figure(f"{what}: games won in %", 100 * score.wins / score.games, games=score.games))
            figures.append(Figure(f"{what}: CPU milliseconds per move", 1000 * _seconds_a_move(game, player)))
    note = (
        "Against the player `heuristic`, from paired openings, as `randori match zoo/NAME heuristic --games N` plays; "
        "a draw is half a point. `zoo/NAME:depth=1,exact=0` plays one ply ahead."
    )
    return Table("Part 9: Othello players of the zoo", figures, note, digits=1)


def _seconds_a_move(game: Game, player: Player) -> float:
    """CPU time of one position at a time, mean over random games."""
    rng = np.random.default_rng(0)
    states = positions_of_random_games(game, 5, rng)
    states = states[game.outcome(states) == ONGOING]
    began = time.process_time()
    for row in range(len(states)):
        player.choose(states[row : row + 1], rng)
    return (time.process_time() - began) / len(states)
