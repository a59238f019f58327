"""`randori map`."""

from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import arg

from randori import games, methods
from randori.app.flags import SeedFlag, TrainedFlag
from randori.arena import play_games
from randori.core.game import Actions, Game
from randori.core.notation import parse_transcript, transcript
from randori.core.player import Player
from randori.errors import UserError
from randori.methods.pictures import Pictures
from randori.players import player as player_named
from randori.players.files import find_file, load_player, read_card
from randori.tensorfile import write_whole


def draw(
    file: TrainedFlag,
    out: Annotated[Path, arg(metavar="FILE")],
    stage: Annotated[
        int | None, arg(metavar="N", help_behavior_hint="(default: the middle map, or the first tuple)")
    ] = None,
    moves: Annotated[str | None, arg(metavar="MOVES", help_behavior_hint="")] = None,
    against: Annotated[str | None, arg(metavar="PLAYER", help_behavior_hint="")] = None,
    seed: SeedFlag = 0,
) -> None:
    """Draws what a player has learned as an SVG picture. Players of `som` and `ntuple` have such pictures.

    For `som` it is one map: the position that each neuron stands for, what positions there are worth, and how often the
    neuron wins in random games. With a game, it is all maps and the path of the game across them. For `ntuple` it is the
    best and the worst patterns of one tuple, or what the player expected during a game.

    Args:
        out: The file to write, such as `map.svg`.
        stage: Which map or tuple, counted from 1.
        moves: A game to follow, such as `f5d6c3`.
        against: Instead of --moves, an opponent to play a game against, such as `random`.
    """
    if out.suffix != ".svg":
        raise UserError(f"The picture is an SVG file: name it {out.with_suffix('.svg')}.")
    if moves is not None and against is not None:
        raise UserError("Give either --moves or --against, not both.")
    path = find_file(file)
    card = read_card(path)
    game, pictures = games.game(card.game), _pictures(card.learner, file)
    player = load_player(path, game, name=file)
    if moves is not None or against is not None:
        actions = _played(player, game, against, seed) if moves is None else parse_transcript(game, moves)
        print(f"The game: {transcript(game, actions)}")
        picture = pictures.draw_game(player, actions, file)
    else:
        picture = pictures.draw(player, pictures.usual(player) if stage is None else stage, file)
    try:
        write_whole(out, picture.encode())
    except OSError as error:
        raise UserError(f"'{out}' cannot be written ({error.strerror}); choose another --out.") from error
    print(f"Written to {out}.")


def _pictures(learner: str, file: str) -> Pictures:
    known = methods.all_methods()
    found = known[learner].load_pictures() if learner in known else None
    if found is None:
        drawn = " or ".join(f"'{name}'" for name, it in known.items() if it.pictures is not None)
        raise UserError(f"'{file}' has no maps or patterns to draw; name a player trained by {drawn}.")
    return found


def _played(player: Player, game: Game, against: str | None, seed: int) -> Actions:
    opponent = player_named(against or "random", game)
    played = play_games(game, player, opponent, np.zeros((1, 0), np.int16), np.random.default_rng(seed))
    return played.actions[0][played.actions[0] >= 0]
