"""What a league is asked for: which methods learn which games, for how long, and who joins them."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from randori import games, methods, players
from randori.core.game import Game
from randori.errors import UserError, duration
from randori.experiments.ladder import ladder
from randori.experiments.metrics import read_metrics
from randori.experiments.papers import SEEDS_APART
from randori.experiments.recipe import Recipe, find_preset, read_recipe
from randori.experiments.run import METRICS_FILE, RECIPE_FILE, snapshots
from randori.players.files import PLAYER_FILE, find_file, names_file, read_card, split_spec
from randori.reading import is_number

Question = Literal["knowledge", "player"]
QUESTIONS: dict[Question, str] = {
    "knowledge": "Knowledge alone",
    "player": "As a player",
}
"""What a league asks: what has it learned, without a search and without exact endings; and how strong does it play, with
so many milliseconds for a move."""

GAMES = ("tictactoe", "connect4", "othello6", "othello8", "gomoku9", "hex7")
POINTS = 7
"""Snapshots of a training: at a 64th of the budget, a 32nd, ... and all of it."""
MILLISECONDS = 10.0
_SHARE_OF_GAMES = 0.6
"""Games that a snapshot adds, as a share of those that it plays: most are against another one."""
_SHARE_OF_PLIES = 0.75
"""Of the longest game."""


@dataclass(frozen=True)
class Asked:
    """All that a league depends on, but for what was measured."""

    games: tuple[str, ...] = GAMES
    methods: tuple[str, ...] = ()
    """None: all that there are."""
    budget: float = 600.0
    """CPU seconds of each training."""
    seeds: int = 3
    joined: tuple[str, ...] = ()
    """Further players by their specs, runs and player files by their paths."""
    most_games: int = 100
    """Of each snapshot, in each of the two leagues."""
    milliseconds: float = MILLISECONDS
    """CPU time for a move."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.games:
            games.game(name)
        for name in self.methods:
            methods.find(name)
        least = {"seeds": 1, "most_games": 20, "seed": 0}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise UserError(f"'{name.replace('_', '-')}' is {value} or more, not {getattr(self, name)}.")
        if not 0 < self.milliseconds < 1e6:
            raise UserError(f"The milliseconds for a move are a positive number, not {self.milliseconds:g}.")
        for it in (*self.games, *self.methods, *self.joined):
            if (*self.games, *self.methods, *self.joined).count(it) > 1:
                raise UserError(f"'{it}' is in the league twice; name it once.")

    @property
    def runs(self) -> range:
        """The seeds of the trainings."""
        return range(SEEDS_APART * self.seed, SEEDS_APART * self.seed + self.seeds)

    def thresholds(self) -> list[float]:
        """CPU seconds at which snapshots are taken."""
        return [self.budget / 2**halvings for halvings in reversed(range(POINTS))]

    @property
    def command(self) -> str:
        """What one types for it, whatever the folder."""
        words = ["randori", "league", "--games", *self.games]
        words += ["--methods", *self.methods] if self.methods else []
        words += ["--budget", f"{self.budget:g}s", "--seeds", str(self.seeds)]
        words += ["--with", *self.joined] if self.joined else []
        words += ["--most-games", str(self.most_games)]
        words += ["--milliseconds", f"{self.milliseconds:g}"] if self.milliseconds != MILLISECONDS else []
        return shlex.join([*words, *(["--seed", str(self.seed)] if self.seed else [])])


class Course(NamedTuple):
    """One training of a line."""

    line: str
    recipe: Recipe
    """Without an end: the league ends it."""

    @property
    def name(self) -> str:
        return f"{self.line}-{self.recipe.seed}"


class Taken(NamedTuple):
    """A player from elsewhere that joins with its file."""

    line: str
    source: Path
    seed: int | None
    round: int | None
    games: int | None
    cpu_seconds: float | None


class Line(NamedTuple):
    """What has a name in the league: a method, a run, a player."""

    name: str
    title: str
    learner: str | None
    preset: str | None = None
    spec: str | None = None
    """Of a player without a file of its own, who plays as a player only."""


@dataclass(frozen=True)
class OfGame:
    """The league of one game: who is in it, and why others are not."""

    game: Game
    lines: Sequence[Line]
    courses: Sequence[Course]
    taken: Sequence[Taken]
    refusals: Mapping[str, str] = field(default_factory=dict)


def plan(asked: Asked) -> list[OfGame]:
    """Every game with its lines. Raises UserError where nobody learns a game, or who joins is nobody."""
    found = [_of_game(asked, games.game(name)) for name in asked.games]
    for it in found:
        names = [line.name for line in it.lines]
        if not names:
            raise UserError(f"Nobody in this league plays {it.game.title}: name other games or methods.")
        for name in names:
            if names.count(name) > 1:
                raise UserError(f"Two lines of {it.game.title} are called '{name}': give one of them another name.")
    for spec in asked.joined:
        if all(spec in it.refusals for it in found):
            raise UserError(f"'{spec}' cannot join: {found[0].refusals[spec]}")
    return found


def _of_game(asked: Asked, game: Game) -> OfGame:
    lines, courses, taken, refusals = [], [], [], {}
    for name in asked.methods or methods.all_methods():
        method = methods.find(name)
        reason = _why_not(method, game)
        if reason is not None:
            refusals[name] = reason
            continue
        preset = method.preset_for(game, asked.budget)
        config = find_preset(name, preset).config
        lines.append(Line(name, method.title, name, preset))
        courses += [Course(name, Recipe(game.name, name, config, seed, evaluate_games=0)) for seed in asked.runs]
    for spec in asked.joined:
        try:
            line, files = _joining(spec, game)
        except UserError as error:
            refusals[spec] = str(error)
            continue
        lines.append(line)
        taken += files
    return OfGame(game, lines, courses, taken, refusals)


def _why_not(method: methods.Method, game: Game) -> str | None:
    try:
        method.check_installed()
    except UserError as error:
        return str(error)
    reason = method.why_not(game)
    return None if reason is None else f"{reason[:1].upper()}{reason[1:]}."


def _joining(spec: str, game: Game) -> tuple[Line, list[Taken]]:
    """A run joins with its snapshots, a player file as the one snapshot that it is, anybody else as a player."""
    place, options = split_spec(spec)
    if spec in ladder(game):
        raise UserError(f"'{spec}' is a rung of the ladder of {game.title}, which the league has anyway.")
    if not names_file(spec) or options:
        players.player(spec, game)
        return Line(spec, spec, None, spec=spec), []
    file = find_file(place)
    card = read_card(file)
    if card.game != game.name:
        raise UserError(f"'{spec}' plays {card.game}, not {game.name}.")
    name = Path(place).stem if place.endswith(".safetensors") else Path(place).name
    line = Line(name, spec, card.learner)
    if (Path(place) / RECIPE_FILE).is_file():
        return line, _of_run(Path(place), name)
    training = card.training
    cpu_seconds = float(training["cpu_seconds"]) if is_number(training.get("cpu_seconds")) else None
    return line, [Taken(name, file, training.get("seed"), training.get("rounds"), training.get("games"), cpu_seconds)]


def _of_run(folder: Path, name: str) -> list[Taken]:
    """Its last snapshots, each twice as long trained as the one before, and the player that it has come to."""
    rows = read_metrics(folder / METRICS_FILE)
    last = read_card(folder / PLAYER_FILE).training["rounds"]
    files = {n: path for n, path in snapshots(folder).items() if n < last} | {last: folder / PLAYER_FILE}
    seed = read_recipe(folder / RECIPE_FILE).seed
    found = []
    for round, path in sorted(files.items())[-POINTS:]:
        row: dict[str, Any] = next((it for it in rows if it["round"] >= round), {})
        found.append(Taken(name, path, seed, round, read_card(path).training["games"], row.get("cpu_seconds")))
    return found


def learning_seconds(asked: Asked, it: OfGame) -> float:
    """CPU seconds."""
    return asked.budget * len(it.courses)


def rating_seconds(asked: Asked, it: OfGame, milliseconds: float | None = None, played: int = 0) -> float:
    """CPU seconds in which everybody plays as many games as it may as a player, with so many milliseconds for a move, but for
    those `played` already; by knowledge alone it takes next to nothing."""
    n_players = POINTS * len(it.courses) + len(it.taken) + sum(line.spec is not None for line in it.lines)
    n_games = max(_SHARE_OF_GAMES * asked.most_games * n_players - played, 0.0)
    a_move = (asked.milliseconds if milliseconds is None else milliseconds) / 1000
    return n_games * _SHARE_OF_PLIES * it.game.max_plies * a_move


def expected_seconds(asked: Asked, planned: Sequence[OfGame]) -> float:
    """CPU seconds, about."""
    return sum(learning_seconds(asked, it) + rating_seconds(asked, it) for it in planned)


def in_words(asked: Asked, planned: Sequence[OfGame]) -> list[str]:
    """What will be done, a sentence a line."""
    told = []
    for it in planned:
        who = ", ".join(line.title for line in it.lines)
        length = f"; {len(it.courses)} trainings of {_time(asked.budget)} of CPU time" if it.courses else ""
        told.append(f"{it.game.title}: {who}{length}.")
        told += [f"{it.game.title} without {name}: {reason}" for name, reason in it.refusals.items()]
    n = sum(POINTS * len(it.courses) + len(it.taken) for it in planned)
    learning = sum(learning_seconds(asked, it) for it in planned)
    rating = sum(rating_seconds(asked, it) for it in planned)
    told.append(
        f"Then up to {n} snapshots play up to {asked.most_games} games each in two leagues: by knowledge alone, and with "
        f"{asked.milliseconds:g} ms of CPU time for a move. Expect {duration(learning)} of CPU time for learning and up to "
        f"{duration(rating)} for rating; what is there already takes none."
    )
    return told


def _time(seconds: float) -> str:
    """As one types it."""
    for unit, length in (("h", 3600), ("m", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:g} s"
