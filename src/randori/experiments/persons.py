"""Tests the companion with simulated people of known, fixed strength, each a rung of the ladder."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from randori import players
from randori.arena import Score, play_games
from randori.chart import Curve
from randori.core.game import Game
from randori.core.record import Games
from randori.errors import UserError
from randori.experiments.ladder import ladder
from randori.experiments.report import Chart, Figure, Report, Table
from randori.players.companion import (
    Companion,
    Dial,
    Estimate,
    PlayedGame,
    Setting,
    dial,
    first_estimate,
    style_dial,
    update,
)
from randori.workers import Workers

SETTLING, COUNTED, PERSONS = 10, 40, 5
TARGET = (0.40, 0.60)


class Sitting(NamedTuple):
    """All games of one person with the companion, in order; `results` are the companion's."""

    results: list[float]
    companion_elos: list[float]
    estimates: list[Estimate]
    transcripts: list[tuple[int, ...]]


@dataclass(frozen=True)
class Met:
    """How the companion did against the people of one rung, after it had settled. Scores are the companion's."""

    player: str
    rating: float
    score: Score
    first_score: float
    """In the games in which it settled."""
    sittings: list[Sitting]

    @property
    def within(self) -> bool:
        return TARGET[0] <= self.score.mean <= TARGET[1]

    @property
    def companion_elo(self) -> float:
        """The mean strength at which it played once settled."""
        return float(np.mean([it.companion_elos[SETTLING:] for it in self.sittings]))

    def summary(self) -> dict[str, Any]:
        """The figures as plain values."""
        low, high = self.score.interval
        return {
            "player": self.player,
            "rating": self.rating,
            "score": round(self.score.mean, 4),
            "interval": [round(low, 4), round(high, 4)],
            "games": self.score.games,
            "wins": self.score.wins,
            "draws": self.score.draws,
            "losses": self.score.losses,
            "settling_score": round(self.first_score, 4),
            "companion_elo": round(self.companion_elo, 1),
            "by_person": [round(float(np.mean(it.results[SETTLING:])), 4) for it in self.sittings],
            "within": self.within,
        }


def persons(game: Game, style: str | None = None) -> dict[str, float]:
    """The rungs that stand for persons and their ratings: all but the top of the ladder, and the top where the dial of the
    companion reaches it; for a style, all that its dial reaches.
    """
    known = ladder(game)
    if len(known) < 2:
        raise UserError(
            f"{game.title} has no ladder: nobody has measured opponents there who could stand for people of known "
            "strength; choose a game of the package."
        )
    if style is not None:
        return {spec: elo for spec, elo in known.items() if elo <= style_dial(game, style).strongest}
    top = max(known, key=lambda spec: known[spec])
    return {spec: elo for spec, elo in known.items() if spec != top or elo <= dial(game).strongest}


def sit(game: Game, spec: str, n_games: int, target: float, seed: tuple[int, ...], style: str | None = None) -> Sitting:
    """One person, a stranger at first, plays the companion again and again, beginning every other game."""
    person = players.player(spec, game)
    rng = np.random.default_rng(seed)
    estimate = first_estimate(game)
    sitting = Sitting([], [], [], [])
    for n in range(n_games):
        partner = Companion(game, estimate, target, style)
        seat = n % 2
        first, second = (person, partner) if seat == 0 else (partner, person)
        played = play_games(game, first, second, np.empty((1, 0), np.int16), rng)
        result = _result(played, seat)
        actions = [int(it) for it in played.actions[0] if it >= 0]
        estimate = update(game, estimate, PlayedGame(actions, seat, result, partner.elo))
        sitting.results.append(1 - result)
        sitting.companion_elos.append(partner.elo)
        sitting.estimates.append(estimate)
        sitting.transcripts.append(tuple(actions))
    return sitting


def _result(played: Games, seat: int) -> float:
    """1, 0.5 or 0 for the side at a seat."""
    won = int(played.outcomes[0]) * (1 if seat == 0 else -1)
    return (won + 1) / 2


def meet(
    game: Game,
    specs: list[str],
    n_persons: int,
    target: float,
    seed: int,
    workers: Workers,
    on_person: Callable[[int], None] = lambda n: None,
    style: str | None = None,
) -> list[Met]:
    """`n_persons` of each rung, each on their own with a companion that knows only them."""
    known = ladder(game)
    tasks = [
        (game, spec, SETTLING + COUNTED, target, (seed, list(known).index(spec), i), style)
        for spec in specs
        for i in range(n_persons)
    ]
    sittings = workers.map(sit, tasks, on_result=lambda index, result: on_person(1))
    return [_met(spec, known[spec], sittings[i * n_persons : (i + 1) * n_persons]) for i, spec in enumerate(specs)]


def _met(spec: str, rating: float, sittings: list[Sitting]) -> Met:
    results = np.array([it.results for it in sittings])
    counted = results[:, SETTLING:]
    distinct = len({moves for it in sittings for moves in it.transcripts[SETTLING:]})
    wins, draws, losses = (int(np.sum(counted == points)) for points in (1, 0.5, 0))
    score = Score(wins, draws, losses, distinct)
    return Met(spec, rating, score, float(results[:, :SETTLING].mean()), sittings)


def report(game: Game, met: list[Met], command: str, style: str | None = None) -> Report:
    """The scores as a table, and how the companion found each person's strength as curves."""
    scale = dial(game) if style is None else style_dial(game, style)
    figures = [
        Figure(f"{it.player} ({it.rating:.0f})", it.score.mean, it.score.interval, games=it.score.games) for it in met
    ]
    marks = [Figure(_mark_in_words(mark), elo) for mark, elo in zip(scale.marks, scale.elos, strict=True)]
    note = f"Persons with their ratings; the scores are the companion's, after {SETTLING} games in which it settled."
    curves = []
    for it in met:
        elos = np.array([sitting.companion_elos for sitting in it.sittings])
        games = list(range(1, elos.shape[1] + 1))
        low, high = elos.min(axis=0), elos.max(axis=0)
        curves.append(Curve(it.player, games, elos.mean(axis=0).tolist(), low.tolist(), high.tolist()))
    title = f"{game.title}: how strongly the companion plays"
    chart = Chart(f"companion-{game.name}", title, "game", "rating (random = 0), mean and range over persons", curves)
    tables = [Table("Companion's score", figures, note), Table("Marks of the dial", marks, _about(scale), digits=0)]
    whose = "" if style is None else f" in the style of {style}"
    return Report(f"The companion: {game.title}{whose}", command, tables, [chart])


def _about(scale: Dial) -> str:
    """Where a dial's marks come from, in sentences."""
    sentences = ["Ratings as the companion uses them, `random` being 0."]
    if not scale.measured:
        sentences.append("Nobody has measured them: they are guesses.")
    if scale.master is not None:
        sentences.append(f"The master is `{scale.master}`.")
    return " ".join(sentences)


def _mark_in_words(mark: Setting) -> str:
    if mark.absent == 1:
        return "any legal move"
    if mark.mastery == 1:
        return "the master"
    search = f"{mark.simulations} simulations, temperature {mark.temperature:g}, losing at most {mark.bound:g}"
    shares = [(mark.absent, "any legal move"), ((1 - mark.absent) * mark.mastery, "the master's move")]
    others = [f"{100 * share:.0f}% {what}" for share, what in shares if share]
    return ", ".join([*others, f"else {search}"]) if others else search
