"""What a league is to do: which methods learn which games, for how long, and who joins them."""

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
"""What a league asks of a snapshot: what has it learned, without a search and without exact endings; and how strongly does
it play, with so many milliseconds per move."""

GAMES = ("tictactoe", "connect4", "othello6", "othello8", "gomoku9", "hex7")
POINTS = 7
"""Snapshots of a training: at a 64th of the budget, a 32nd, ... and all of it."""
MILLISECONDS = 10.0
_SHARE_OF_GAMES = 0.6
"""Games that a snapshot adds, as a share of those that it plays: most are against another snapshot, and count for both."""
_SHARE_OF_PLIES = 0.75
"""Plies that a game takes, as a share of the longest possible one."""


@dataclass(frozen=True)
class LeagueRequest:
    """All that a league depends on, except for what it measures."""

    games: tuple[str, ...] = GAMES
    methods: tuple[str, ...] = ()
    """An empty tuple means all of them."""
    budget: float = 600.0
    """CPU seconds of each training."""
    seeds: int = 3
    joined: tuple[str, ...] = ()
    """Further players by their specs, runs and player files by their paths."""
    most_games: int = 100
    """Of each snapshot, in each of the two tournaments."""
    milliseconds: float = MILLISECONDS
    """CPU time per move."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.games:
            games.game(name)
        for name in self.methods:
            methods.find(name)
        least = {"seeds": 1, "most_games": 20, "seed": 0}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise UserError(f"'{name.replace('_', '-')}' must be {value} or more, not {getattr(self, name)}.")
        if not 0 < self.milliseconds < 1e6:
            raise UserError(f"The milliseconds per move must be a positive number, not {self.milliseconds:g}.")
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
        """The command that makes this league, without its folder."""
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
    """Has no end of its own: the league decides when to stop."""

    @property
    def name(self) -> str:
        return f"{self.line}-{self.recipe.seed}"


class Guest(NamedTuple):
    """A trained player from outside the league that joins with its file."""

    line: str
    source: Path
    seed: int | None
    round: int | None
    games: int | None
    cpu_seconds: float | None


class Line(NamedTuple):
    """A participant: a method, a run or a player."""

    name: str
    title: str
    learner: str | None
    preset: str | None = None
    spec: str | None = None
    """Set for a player without a file, which takes part only with its search."""


@dataclass(frozen=True)
class GamePlan:
    """The league of one game: who takes part, and why others do not."""

    game: Game
    lines: Sequence[Line]
    courses: Sequence[Course]
    guests: Sequence[Guest]
    refusals: Mapping[str, str] = field(default_factory=dict)


def plan(request: LeagueRequest) -> list[GamePlan]:
    """Every game with its lines. Raises UserError where nobody plays a game, or somebody who is to join can play none of them."""
    found = [_plan_game(request, games.game(name)) for name in request.games]
    for it in found:
        names = [line.name for line in it.lines]
        if not names:
            raise UserError(f"Nobody in this league plays {it.game.title}: name other games or methods.")
        for name in names:
            if names.count(name) > 1:
                raise UserError(f"Two lines of {it.game.title} are called '{name}': give one of them another name.")
    for spec in request.joined:
        if all(spec in it.refusals for it in found):
            raise UserError(f"'{spec}' cannot join: {found[0].refusals[spec]}")
    return found


def _plan_game(request: LeagueRequest, game: Game) -> GamePlan:
    lines, courses, guests, refusals = [], [], [], {}
    for name in request.methods or methods.all_methods():
        method = methods.find(name)
        reason = _why_not(method, game)
        if reason is not None:
            refusals[name] = reason
            continue
        preset = method.preset_for(game, request.budget)
        config = find_preset(name, preset).config
        lines.append(Line(name, method.title, name, preset))
        courses += [Course(name, Recipe(game.name, name, config, seed, evaluate_games=0)) for seed in request.runs]
    for spec in request.joined:
        try:
            line, files = _join(spec, game)
        except UserError as error:
            refusals[spec] = str(error)
            continue
        lines.append(line)
        guests += files
    return GamePlan(game, lines, courses, guests, refusals)


def _why_not(method: methods.Method, game: Game) -> str | None:
    try:
        method.check_installed()
    except UserError as error:
        return str(error)
    reason = method.why_not(game)
    return None if reason is None else f"{reason[:1].upper()}{reason[1:]}."


def _join(spec: str, game: Game) -> tuple[Line, list[Guest]]:
    """A run joins with its snapshots, a player file as a single snapshot, anything else as a player without a file."""
    place, options = split_spec(spec)
    if spec in ladder(game):
        raise UserError(f"'{spec}' is a rung of the ladder of {game.title}, which takes part anyway.")
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
        return line, _guests_of_run(Path(place), name)
    training = card.training
    cpu_seconds = float(training["cpu_seconds"]) if is_number(training.get("cpu_seconds")) else None
    return line, [Guest(name, file, training.get("seed"), training.get("rounds"), training.get("games"), cpu_seconds)]


def _guests_of_run(folder: Path, name: str) -> list[Guest]:
    """The last snapshots of a run, each trained twice as long as the one before, and its present player."""
    rows = read_metrics(folder / METRICS_FILE)
    last = read_card(folder / PLAYER_FILE).training["rounds"]
    files = {n: path for n, path in snapshots(folder).items() if n < last} | {last: folder / PLAYER_FILE}
    seed = read_recipe(folder / RECIPE_FILE).seed
    found = []
    for round, path in sorted(files.items())[-POINTS:]:
        row: dict[str, Any] = next((it for it in rows if it["round"] >= round), {})
        found.append(Guest(name, path, seed, round, read_card(path).training["games"], row.get("cpu_seconds")))
    return found


def learning_seconds(request: LeagueRequest, it: GamePlan) -> float:
    """CPU seconds that all trainings of a game take."""
    return request.budget * len(it.courses)


def rating_seconds(request: LeagueRequest, it: GamePlan, milliseconds: float | None = None, played: int = 0) -> float:
    """CPU seconds of the tournament with search if every snapshot plays as many games as it may, at so many milliseconds per
    move; games already `played` are not counted. The tournament by knowledge alone takes next to nothing.
    """
    n_players = POINTS * len(it.courses) + len(it.guests) + sum(line.spec is not None for line in it.lines)
    n_games = max(_SHARE_OF_GAMES * request.most_games * n_players - played, 0.0)
    seconds_per_move = (request.milliseconds if milliseconds is None else milliseconds) / 1000
    return n_games * _SHARE_OF_PLIES * it.game.max_plies * seconds_per_move


def expected_seconds(request: LeagueRequest, planned: Sequence[GamePlan]) -> float:
    """A rough estimate, in CPU seconds."""
    return sum(learning_seconds(request, it) + rating_seconds(request, it) for it in planned)


def in_words(request: LeagueRequest, planned: Sequence[GamePlan]) -> list[str]:
    """What the league will do: a list of sentences."""
    sentences = []
    for it in planned:
        who = ", ".join(line.title for line in it.lines)
        length = f"; {len(it.courses)} trainings of {_time(request.budget)} of CPU time" if it.courses else ""
        sentences.append(f"{it.game.title}: {who}{length}.")
        sentences += [f"{it.game.title} without {name}: {reason}" for name, reason in it.refusals.items()]
    n = sum(POINTS * len(it.courses) + len(it.guests) for it in planned)
    learning = sum(learning_seconds(request, it) for it in planned)
    rating = sum(rating_seconds(request, it) for it in planned)
    sentences.append(
        f"Then up to {n} snapshots play up to {request.most_games} games each in two tournaments: by knowledge alone, and with "
        f"{request.milliseconds:g} ms of CPU time per move. Expect {duration(learning)} of CPU time for learning and up to "
        f"{duration(rating)} for rating; what is already there takes none."
    )
    return sentences


def _time(seconds: float) -> str:
    """Such as 1 h, 10 min or 20 s."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:g} s"
