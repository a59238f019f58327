"""Makes courses: `python -m randori.practice.make_course [GAME ...] [--puzzles N]`.

Puzzles are positions of games between players of the house who now and then move by chance, as people do; of a game with
few positions, all of them. Every round depends on the seed and its number alone and is kept when it is done, so that what
was interrupted goes on where it was.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple, cast

import numpy as np

from randori import games, players
from randori.arena import play_games
from randori.arena.openings import random_openings
from randori.core.game import LOSS, ONGOING, Game, States
from randori.core.notation import transcript
from randori.core.positions import has_few_positions
from randori.core.record import Games
from randori.core.symmetry import canonical_keys
from randori.players import Player
from randori.players.simple import Exploring
from randori.practice.courses import Course, read_course, write_course
from randori.practice.difficulty import ratings
from randori.practice.proof import GLANCE_NODES, Prover, within_reach
from randori.practice.puzzle import Puzzle
from randori.registry import load_plugin
from randori.review.referee import strongest
from randori.search.solver import reach
from randori.search.threats import find_wins

PUZZLES = 240
GAMES_A_ROUND = 24
MOST_ROUNDS = 1000
_BY_CHANCE = 0.12
_TRIES_A_GAME = 8


class Candidate(NamedTuple):
    """A position that may become a puzzle, `[1, words]`, and the moves that led to it."""

    state: States
    actions: tuple[int, ...]


def make_course(game: Game, n: int, course: Course) -> Iterator[Course]:
    """Ever more of a course, round by round, until it has `n` puzzles or all there are."""
    pairs = list(permutations(_players(game), 2))
    while len(course.puzzles) < n and course.rounds < (1 if has_few_positions(game) else MOST_ROUNDS):
        rng = np.random.default_rng(np.random.SeedSequence(course.seed, spawn_key=(course.rounds,)))
        if has_few_positions(game):
            drawn = [[it] for it in _all_positions(game)]
        else:
            first, second = pairs[course.rounds % len(pairs)]
            openings = random_openings(game, GAMES_A_ROUND, game.opening_plies, rng)
            drawn = list(_drawn(play_games(game, first, second, openings, rng), rng))
        known = {it.id for it in course.puzzles}
        # A prover of its own: what is proved within its nodes depends on what it remembers.
        found = [*course.puzzles, *_puzzles(game, Prover(game), drawn, known, course.rounds)]
        course = Course(course.seed, course.rounds + 1, tuple(found if has_few_positions(game) else found[:n]))
        yield course


def _players(game: Game) -> list[Player]:
    """Who plays, each with some moves by chance."""
    best = strongest(game)
    sides = [players.player(spec, game) for spec in ("heuristic", "uct:simulations=100")]
    if best is not None:
        sides.append(cast(Player, best))  # the review knows it only as somebody who shows a search
    return [Exploring(game, it, _BY_CHANCE) for it in sides]


def _drawn(played: Games, rng: np.random.Generator) -> Iterator[list[Candidate]]:
    """Some positions of each game, in an order by chance, that the solver or a threat search may prove something of."""
    game = played.game
    by_game: list[list[Candidate]] = [[] for _ in range(len(played))]
    for ply in played.replay():
        if game.knowledge.first_threats is None:
            promising = within_reach(game, ply.states)
        else:
            promising = find_wins(game, ply.states, GLANCE_NODES) >= 0
        for i in np.flatnonzero(promising):
            so_far = tuple(int(it) for it in played.actions[ply.games[i], : ply.number])
            if so_far and so_far[-1] != game.pass_action:  # a transcript leaves passes out
                by_game[ply.games[i]].append(Candidate(ply.states[i : i + 1], so_far))
    for candidates in by_game:
        # Where moves left are not known to be few, the last ones of a game are.
        late = candidates if game.fills else candidates[-reach(game) :]
        yield [late[i] for i in rng.permutation(len(late))[:_TRIES_A_GAME]]


def _all_positions(game: Game) -> Iterator[Candidate]:
    """Every position that is not over, each once, whichever side sees it; for games with few positions."""
    level = [Candidate(game.start(1), ())]
    while level:
        yield from level
        after: dict[int, Candidate] = {}
        for it in level:
            children = game.children(it.state)
            going = np.flatnonzero(game.outcome(children.states) == ONGOING)
            for i, key in zip(going, canonical_keys(game, children.states[going]), strict=True):
                after.setdefault(
                    int(key), Candidate(children.states[i : i + 1], (*it.actions, int(children.actions[i])))
                )
        level = list(after.values())


def _asks_something(game: Game, state: States) -> bool:
    """Whether nobody can win at once here, nor the other side after all moves but one: everybody sees that."""
    children = game.children(state).states
    outcomes = game.outcome(children)
    replies = game.children(children[outcomes == ONGOING])
    refuted = np.unique(replies.parents[game.outcome(replies.states) == LOSS])
    wins = game.knowledge.wins_at_once and (outcomes == LOSS).any()
    return not wins and len(children) - len(refuted) > 1


def _puzzles(game: Game, prover: Prover, drawn: list[list[Candidate]], known: set[str], seed: int) -> Iterator[Puzzle]:
    """One of each list at most, none that a symmetry carries into another."""
    chosen = []
    for candidates in drawn:
        for it in candidates:
            id = f"{int(canonical_keys(game, it.state)[0]):016x}"
            asks = id not in known and (has_few_positions(game) or _asks_something(game, it.state))
            proof = prover.prove(it.state) if asks else None
            if proof is not None:
                known.add(id)
                chosen.append((id, it, proof))
                break
    if not chosen:
        return
    rated = ratings(game, np.concatenate([it.state for _, it, _ in chosen]), [it.answer for _, _, it in chosen], seed)
    for (id, it, proof), rating in zip(chosen, rated, strict=True):
        names = [game.move_names[action] for action in proof.line]
        moves = transcript(game, np.array(it.actions, np.int16))
        yield Puzzle(id, moves, names[0], proof.goal, " ".join(names), rating)


def main(arguments: list[str]) -> None:
    """Makes the courses of these games, or of all, or continues them."""
    parser = argparse.ArgumentParser(prog="make_course")
    parser.add_argument("games", metavar="GAME", nargs="*")
    parser.add_argument("--puzzles", type=int, default=PUZZLES)
    parser.add_argument("--plugin", metavar="FILE.py", action="append", default=[], help="registers games of your own")
    chosen = parser.parse_args(arguments)
    for file in chosen.plugin:
        load_plugin(file)
    for name in chosen.games or games.names():
        game = games.game(name)
        for course in make_course(game, chosen.puzzles, read_course(game)):
            write_course(game, course)
            print(f"{name}: {len(course.puzzles)} puzzles after {course.rounds} rounds", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
