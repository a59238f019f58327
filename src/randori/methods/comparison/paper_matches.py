"""Matches of trained networks: table 4 against another author's program, table 5 beyond the paper."""

from dataclasses import replace
from functools import partial

import numpy as np

from randori import games
from randori.arena import duel, play_duels
from randori.arena.scores import Score
from randori.core.game import Game
from randori.experiments.kept import kept
from randori.experiments.papers import Reproduction
from randori.experiments.report import Figure, Table
from randori.methods.comparison.chains_player import Comparison
from randori.methods.comparison.config import ComparisonConfig
from randori.methods.comparison.learner import ComparisonLearner
from randori.methods.comparison.paper_program import INSTALL, PygomokuProgram, is_installed
from randori.methods.comparison.paper_series import best_of_the_series
from randori.methods.comparison.patterns_player import Patterns
from randori.players import Player, player
from randori.players.files import find_file, load_player

OTHER_PROGRAM = "The star program's line: this is a different program from the paper's, which is not named."


def _score(what: str, game: Game, ours: Player, other: Player, n_games: int, reproduction: Reproduction) -> Score:
    """Of a match from paired random openings; kept by the weights and options that play it."""

    def measure() -> Score:
        return play_duels([duel(game, ours, other, n_games)], reproduction.workers)[0].score

    name = what.lower().replace(",", "").replace(":", "").replace(" ", "-")
    of = {"game": game.name, "player": _identity(ours), "opponent": other.name, "games": n_games}
    return Score(**kept(reproduction.folder / "matches" / f"{name}.json", of, measure))


def _identity(ours: Player) -> list[object]:
    """What distinguishes the players of these tables: options and, for trained ones, the sums of their weights."""
    found: list[object] = [ours.name]
    if isinstance(ours, Comparison | Patterns):
        found += [ours.threats, *(float(it.sum()) for it in ours.contents().tensors.values())]
    return found


def _figure(what: str, score: Score, published: float | None = None, explained: str | None = None) -> Figure:
    figure = Figure(what, score.mean, score.interval, published, score.games, explained)
    return replace(figure, explained=None) if figure.standing == "inside" else figure


def independent(
    n_seeds: int, n_games: int, n_deeper: int, reproduction: Reproduction
) -> tuple[Table, list[tuple[str, Score]] | None]:
    """The table, and what the paper's own network scored on each board; None where the program is not there."""
    title = "4. Against another author's program"
    if not is_installed():
        return Table(title, [], f"Not measured: install the program with `{INSTALL}` and start this again."), None
    figures, of_the_paper = [], []
    best = best_of_the_series(n_seeds, reproduction)
    for name, depth, n in (("gomoku15", 1, n_games), ("gomoku9", 2, n_deeper)):
        game = games.game(name)
        program, file = PygomokuProgram(game, depth), find_file(f"zoo/{name}-comparison")
        rows: list[tuple[str, Player, float | None]] = [
            ("the paper's network, the best of table 1", replace(best, game=game), 0.9),
            ("our network", load_player(file, game, "threats=0"), None),
            ("our network with threat search", load_player(file, game), None),
            ("the star program", player("heuristic", game), None),
        ]
        for what, ours, published in rows:
            label = f"{game.title}, depth {depth}: {what}"
            score = _score(label, game, ours, program, n, reproduction)
            figures.append(_figure(label, score, published, OTHER_PROGRAM))
            if published is not None:
                of_the_paper.append((game.title, score))
    note = (
        f"Scores against pygomoku 1.0.0 by Rui He (`{INSTALL}`): alpha-beta over rows and their open ends. "
        "The paper's opponent, which lost 9 of 10 games, was an unnamed commercial program. The paper's network learned "
        "on 19x19 and plays on these boards with the same weights."
    )
    return Table(title, figures, note), of_the_paper


def beyond(n_games: int, reproduction: Reproduction) -> Table:
    figures = []
    for name in ("gomoku9", "gomoku15", "gomoku19"):
        game = games.game(name)
        novice = ComparisonLearner(game, ComparisonConfig(), np.random.default_rng(0), reproduction.workers).player()
        assert isinstance(novice, Patterns)
        file = find_file(f"zoo/{name}-comparison")
        against_star = partial(
            _score, game=game, other=player("heuristic", game), n_games=n_games, reproduction=reproduction
        )
        for what, ours in (
            ("before learning", replace(novice, threats=0)),
            ("after learning", load_player(file, game, "threats=0")),
            ("before learning, with threat search", novice),
            ("after learning, with threat search", load_player(file, game)),
        ):
            label = f"{game.title}, {what}"
            figures.append(_figure(label, against_star(label, ours=ours)))
    return Table(
        "5. Beyond the paper: scores against the star program",
        figures,
        "Networks of line patterns that learned from games against themselves alone. Each opening of 4 random plies is "
        "played from both sides.",
        digits=3,
    )
