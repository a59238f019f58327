"""`randori map`."""

from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import Positional, arg

from randori import games
from randori.arena import play_games
from randori.core.game import ONGOING, Actions, Game, States
from randori.core.notation import parse_transcript, transcript
from randori.core.positions import positions_of_random_games
from randori.core.replay import positions
from randori.errors import UserError
from randori.methods.som.atlas import boards_of, n_moves
from randori.methods.som.drawing import MapView, Step, draw_map, draw_path
from randori.methods.som.player import SelfOrganized
from randori.players import player as player_named
from randori.players.files import find_file, load_player, read_card
from randori.tensorfile import write_whole

GAMES_SEEN = 500


def draw(
    file: Positional[str],
    out: Path,
    stage: Annotated[int | None, arg(help_behavior_hint="(default: the middle one)")] = None,
    moves: str = "",
    against: str = "",
    seed: int = 0,
) -> None:
    """Draws the maps of a player of the learner `som` as an SVG picture.

    Without moves one map: the position that each neuron stands for, what positions there are worth, and how often the
    neuron wins in random games. With moves all maps, and the way of that game over them.

    Args:
        file: A player file, the folder of a run, or `zoo/NAME`.
        out: The picture's file, such as `map.svg`.
        stage: Which map, from 1 on.
        moves: A game to follow, such as `f5d6c3`.
        against: Instead of moves, an opponent to play a game against, such as `random`.
        seed: Of the random games, and of the game against the opponent.
    """
    if out.suffix != ".svg":
        raise UserError(f"The picture is an SVG file: name it {out.with_suffix('.svg')}.")
    if moves and against:
        raise UserError("Give either the moves of a game or an opponent to play one against, not both.")
    path = find_file(file)
    game = games.game(read_card(path).game)
    player = load_player(path, game, name=file)
    if not isinstance(player, SelfOrganized):
        raise UserError(f"'{file}' has no maps; name a player of the learner 'som'.")
    views = views_of(player, np.random.default_rng(seed))
    if moves or against:
        actions = parse_transcript(game, moves) if moves else _played(player, against, seed)
        picture = draw_path(views, follow(player, actions), f"{file}: a game on the maps of {game.title}")
        print(f"The game: {transcript(game, actions)}")
    else:
        number = (len(views) + 1) // 2 if stage is None else stage
        if not 1 <= number <= len(views):
            raise UserError(f"'{file}' has the maps 1 to {len(views)}, not {number}.")
        picture = draw_map(views[number - 1], game.shape, f"{file}: map {number} of {len(views)}, {game.title}")
    try:
        write_whole(out, picture.encode())
    except OSError as error:
        raise UserError(f"'{out}' cannot be written ({error.strerror}); choose another --out.") from error
    print(f"Written to {out}.")


def views_of(player: SelfOrganized, rng: np.random.Generator) -> list[MapView]:
    """What random games show of each map."""
    atlas, game = player.values.atlas, player.game
    states = positions_of_random_games(game, GAMES_SEEN, rng)
    states = states[game.outcome(states) == ONGOING]
    places = atlas.find(boards_of(game, states))
    values = -player.values(states, rng).values
    learned = game.moves_left(states) > player.exact
    firsts = (0, *(end + 1 for end in atlas.ends[:-1]))
    views = []
    for stage, (first, last) in enumerate(zip(firsts, atlas.ends, strict=True)):
        here = places.stages == stage
        n_neurons = atlas.weights.shape[1]
        wins = np.bincount(places.neurons[here], minlength=n_neurons)
        counts = np.bincount(places.neurons[here & learned], minlength=n_neurons)
        sums = np.bincount(places.neurons[here & learned], values[here & learned], n_neurons)
        means = np.divide(sums, counts, out=np.full(n_neurons, np.nan), where=counts > 0)
        title = f"moves {first} to {last}" + ("" if counts.any() else ", searched to the end")
        views.append(MapView(atlas.shape, atlas.weights[stage], means, wins, title))
    return views


def _played(player: SelfOrganized, against: str, seed: int) -> Actions:
    opponent = player_named(against, player.game)
    played = play_games(player.game, player, opponent, np.zeros((1, 0), np.int16), np.random.default_rng(seed))
    return played.actions[0][played.actions[0] >= 0]


def follow(player: SelfOrganized, actions: Actions) -> list[Step]:
    """The positions of a game after each move; a pass leaves the board as it was."""
    game = player.game
    steps: list[Step] = []
    for ply, reached in enumerate(positions(game, actions)[1:]):
        state = reached[None]
        move = _move_number(game, state)
        if steps and steps[-1].move == move:
            continue
        found = player.values.atlas.find(boards_of(game, state))
        value = None
        if game.outcome(state)[0] == ONGOING and game.moves_left(state)[0] > player.exact:
            value = float(-player.values(state, np.random.default_rng(0)).values[0])
        steps.append(Step(int(found.stages[0]), int(found.neurons[0]), move, ply % 2, value))
    return steps


def _move_number(game: Game, state: States) -> int:
    return int(np.count_nonzero(game.cells(state))) - game.shape[0] * game.shape[1] + n_moves(game)
