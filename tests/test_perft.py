"""Numbers of paths and of games: against published counts, and against the slow judges."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from reference import JUDGES, Judge, Position

import randori
from randori.kernels.playouts import count_games, perft

PUBLISHED = {
    "othello8": (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288),
    "connect4": (7, 49, 343, 2401, 16807, 117649, 823536, 5673234),
    "tictactoe": (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872),
}
# Tic-Tac-Toe and 4x4 Othello go beyond the end of their longest games.
JUDGED_DEPTHS = {
    "tictactoe": 10,
    "connect4": 6,
    "othello4": 18,
    "othello6": 7,
    "othello8": 6,
    "gomoku9": 2,
    "hex5": 4,
    "hex11": 2,
}


def judged_paths(judge: Judge, depth: int) -> list[int]:
    """Paths of exactly 1, 2, ... `depth` plies from the start: games that end before do not count."""
    counts = []
    level = Counter([judge.start()])
    for _ in range(depth):
        after: Counter[Position] = Counter()
        for position, paths in level.items():
            for action in judge.legal(position):
                after[judge.play(position, action)] += paths
        level = after
        counts.append(level.total())
    return counts


def judged_games(judge: Judge) -> int:
    @cache
    def games(position: Position) -> int:
        actions = judge.legal(position)
        return sum(games(judge.play(position, action)) for action in actions) if actions else 1

    return games(judge.start())


@pytest.mark.parametrize("name", PUBLISHED)
def test_paths_are_as_many_as_published(name: str) -> None:
    game = randori.game(name)
    depths = range(1, len(PUBLISHED[name]) + 1)
    assert tuple(perft(game.rules, game.start(1)[0], depth) for depth in depths) == PUBLISHED[name]


@pytest.mark.parametrize("name", JUDGED_DEPTHS)
def test_paths_are_as_many_as_the_judge_counts(name: str) -> None:
    game = randori.game(name)
    depths = range(1, JUDGED_DEPTHS[name] + 1)
    counts = [perft(game.rules, game.start(1)[0], depth) for depth in depths]
    assert counts == judged_paths(JUDGES[name], JUDGED_DEPTHS[name])


@pytest.mark.parametrize(("name", "published"), [("tictactoe", 255168), ("othello4", 60060)])
def test_games_are_as_many_as_published(name: str, published: int) -> None:
    game = randori.game(name)
    assert judged_games(JUDGES[name]) == published
    assert count_games(game.rules, game.start(1)[0]) == published
