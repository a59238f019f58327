"""`randori map`."""

from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import Positional, arg

from randori import games
from randori.arena import play_games
from randori.core.game import Actions
from randori.core.notation import parse_transcript, transcript
from randori.errors import UserError
from randori.methods.som.drawing import draw_path
from randori.methods.som.pictures import draw_one, follow, views_of, with_maps
from randori.methods.som.player import SelfOrganized
from randori.players import player as player_named
from randori.players.files import find_file, load_player, read_card
from randori.tensorfile import write_whole


def draw(
    file: Positional[str],
    out: Path,
    stage: Annotated[int | None, arg(help_behavior_hint="(default: the middle one)")] = None,
    moves: str | None = None,
    against: str | None = None,
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
    if moves is not None and against is not None:
        raise UserError("Give either the moves of a game or an opponent to play one against, not both.")
    path = find_file(file)
    game = games.game(read_card(path).game)
    player = with_maps(load_player(path, game, name=file))
    views = views_of(player, np.random.default_rng(seed))
    if moves is not None or against is not None:
        actions = _played(player, against, seed) if moves is None else parse_transcript(game, moves)
        picture = draw_path(views, follow(player, actions), f"{file}: a game on the maps of {game.title}")
        print(f"The game: {transcript(game, actions)}")
    else:
        number = (len(views) + 1) // 2 if stage is None else stage
        picture = draw_one(player, views, number, file)
    try:
        write_whole(out, picture.encode())
    except OSError as error:
        raise UserError(f"'{out}' cannot be written ({error.strerror}); choose another --out.") from error
    print(f"Written to {out}.")


def _played(player: SelfOrganized, against: str | None, seed: int) -> Actions:
    opponent = player_named(against or "random", player.game)
    played = play_games(player.game, player, opponent, np.zeros((1, 0), np.int16), np.random.default_rng(seed))
    return played.actions[0][played.actions[0] >= 0]
