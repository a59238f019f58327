"""The package's functions for everyday use; they accept names in place of objects."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from randori import arena, formats, games, methods, players
from randori.arena.match import Seats
from randori.core.game import Game
from randori.core.notation import parse_transcript
from randori.core.player import Player
from randori.core.replay import last_position
from randori.errors import UserError
from randori.experiments import CountingWorkers, Ending
from randori.experiments import train as train_recipe
from randori.experiments.gauge import Strength
from randori.experiments.recipe import find_preset, recipe_for, run_folder
from randori.experiments.run import Progress
from randori.methods import Method
from randori.players import PlayerKind
from randori.players.files import find_file, load_player, read_card
from randori.search.answering import answer
from randori.search.solver import Solution, Solver
from randori.workers import Workers

__all__ = ["load", "match", "player", "register", "solve", "tournament", "train"]


def register(*things: Game | PlayerKind | Method) -> None:
    """Makes games, players and methods known by name to every function and command, to workers and the page.

    What is registered again under its name takes the place of what was; names of the package itself are taken.

    >>> from dataclasses import replace
    >>> import randori
    >>> randori.register(replace(randori.game("tictactoe"), name="noughts", title="Noughts and Crosses"))
    >>> randori.match("heuristic", "random", "noughts", n_games=20).score.games
    20
    """
    for it in things:
        if isinstance(it, Game):
            games.REGISTRY.register(it)
        elif isinstance(it, PlayerKind):
            players.REGISTRY.register(it)
        elif isinstance(it, Method):
            methods.REGISTRY.register(it)
        else:
            raise UserError(f"Register a randori.Game, PlayerKind or Method, not {it!r:.80}.")


def player(spec: str, game: Game | str) -> Player:
    """The player that a spec such as `uct:simulations=1000` names, for a game.

    >>> import randori
    >>> randori.player("uct:simulations=50", "connect4").name
    'uct:simulations=50'
    """
    return players.player(spec, _rules(game))


def load(place: Path | str, options: str = "") -> Player:
    """A trained player: `zoo/NAME`, the folder of a run, or a player file; `options` as after the colon of a spec.

    It plays the game that its card names.

    >>> import randori
    >>> learned = randori.load("zoo/tictactoe-som")
    >>> randori.match(learned, "random", "tictactoe", n_games=100).score.mean > 0.8
    True
    """
    path = find_file(str(place))
    spec = f"{place}:{options}" if options else str(place)
    return load_player(path, games.game(read_card(path).game), options, name=spec)


def match(
    first: Player | str,
    second: Player | str,
    game: Game | str | None = None,
    n_games: int = 100,
    *,
    seed: int = 0,
    opening_plies: int | None = None,
    book: Path | str | Sequence[str] | None = None,
    seats: Seats = "alternate",
    workers: int | None = 1,
    ray: str | None = None,
    on_games: Callable[[int], None] = lambda n: None,
) -> arena.Match:
    """Plays a match from paired openings; `workers=None` uses more processes when it takes long, `ray` the cluster at an
    address.

    Openings are random, or lines of a book, the path of a file of records or a list of transcripts: each line once
    before any comes twice, whole or, with `opening_plies`, only so much of it. The game can be left out where one of the
    players is named by a file, whose card names it. `on_games` gets the number of games that have just ended.

    >>> import randori
    >>> played = randori.match("zoo/tictactoe-som", "random", n_games=100, seed=1)
    >>> low, high = played.score.interval
    >>> 0.5 < low < played.score.mean < high
    True
    """
    (one, other), rules = _seated([first, second], game)
    lines = None if book is None else formats.read_book(book, rules, opening_plies)
    planned = arena.duel(rules, one, other, n_games, seed=seed, opening_plies=opening_plies, seats=seats, book=lines)
    with Workers(_local(workers, ray), ray=ray) as staff:
        return arena.play_duels([planned], staff, on_games)[0]


def tournament(
    entrants: Iterable[Player | str],
    game: Game | str | None = None,
    n_games: int = 100,
    *,
    seed: int = 0,
    opening_plies: int | None = None,
    workers: int | None = 1,
    ray: str | None = None,
    on_games: Callable[[int], None] = lambda n: None,
) -> arena.Tournament:
    """Everyone against everyone, `n_games` for each pair, and ratings on the Elo scale with `random` at 0.

    >>> import randori
    >>> played = randori.tournament(["random", "greedy", "heuristic"], "connect4", n_games=60)
    >>> [it.name for it in played.ratings]
    ['heuristic', 'greedy', 'random']
    """
    seated, rules = _seated(entrants, game)
    with Workers(_local(workers, ray), ray=ray) as staff:
        return arena.play_tournament(
            rules, seated, n_games, seed=seed, opening_plies=opening_plies, workers=staff, on_games=on_games
        )


def train(
    learner: str,
    game: Game | str,
    folder: Path | str | None = None,
    *,
    preset: str = "default",
    rounds: int | None = None,
    budget: float | str | None = None,
    seed: int = 0,
    evaluate_every: int | None = None,
    evaluate_games: int = 40,
    workers: int | None = 1,
    ray: str | None = None,
    show: Callable[[Progress, Strength | None], None] = lambda progress, strength: None,
    **settings: Any,
) -> Ending:
    """Trains a learner until its rounds or its budget (seconds, or as in `"20m"`) are used up.

    The run is kept in the folder, without one in `runs/GAME-LEARNER`; the same call again continues it. `settings` change
    single settings of the preset. `show` is called after each round, with the last rating where there is a new one.

    >>> import randori
    >>> ending = randori.train("table", "tictactoe", "runs/mine", rounds=3, evaluate_games=0, games=20)
    >>> ending.complete, ending.progress.round
    (True, 3)
    >>> randori.match("runs/mine", "random", n_games=20).score.games
    20
    """
    name = game if isinstance(game, str) else game.name
    config = find_preset(learner, preset).config
    try:
        config = replace(config, **settings)
    except TypeError as error:
        raise UserError(f"Learner '{learner}' has other settings: {error}.") from None
    recipe = recipe_for(
        learner,
        name,
        preset,
        config=config,
        rounds=rounds,
        budget=budget,
        seed=seed,
        evaluate_every=evaluate_every,
        evaluate_games=evaluate_games,
    )
    place = run_folder(learner, name, preset) if folder is None else Path(folder)
    with CountingWorkers(_local(workers, ray), ray=ray) as staff:
        return train_recipe(recipe, place, staff, show=show)


def solve(moves: str, game: Game | str, *, seconds: float | None = None, megabytes: int = 256) -> Solution:
    """The exact value and the best actions of the position after `moves`, for the side to move.

    With a limit in seconds, what is known by then: `complete` says whether that is everything. Without one, UserError
    where it would take more than a minute.

    >>> import randori
    >>> connect4 = randori.game("connect4")
    >>> found = randori.solve("", connect4)
    >>> found.value, [connect4.move_names[action] for action in found.best]
    (1, ['4'])
    """
    rules = _rules(game)
    state = last_position(rules, parse_transcript(rules, moves))
    return answer(Solver(rules, megabytes), state, seconds)[0]


def _local(workers: int | None, ray: str | None) -> int | None:
    """Whoever names a cluster does not also have to override the default of one process."""
    return None if ray is not None and workers == 1 else workers


def _rules(game: Game | str) -> Game:
    return games.game(game) if isinstance(game, str) else game


def _seated(named: Iterable[Player | str], game: Game | str | None) -> tuple[list[Player], Game]:
    """All of them as players of one game; if nobody names the game, their cards do."""
    found = list(named)
    rules = _rules(game) if game is not None else players.game_for([it for it in found if isinstance(it, str)])
    return [players.player(it, rules) if isinstance(it, str) else it for it in found], rules
