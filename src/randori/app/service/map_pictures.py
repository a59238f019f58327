"""Pictures of the maps of runs, as the page asks for them."""

from functools import lru_cache

import numpy as np

from randori.app.commands.map import follow, views_of
from randori.app.service.menu import Menu, game_named
from randori.app.service.refusals import Invalid, Unknown
from randori.app.service.trainings import WatchedRun
from randori.core.notation import parse_transcript
from randori.errors import UserError
from randori.methods.som.drawing import MapView, draw_map, draw_path
from randori.methods.som.player import SelfOrganized


def map_picture(menu: Menu, watched: WatchedRun, round: int | None, stage: int | None) -> str:
    """One map, the first unless told: an SVG. Raises Unknown where there is none."""
    player = _player(menu, watched, round)
    views = _views(player)
    number = 1 if stage is None else min(max(stage, 1), len(views))
    title = f"{menu.title(player.game, watched.spec(round))}: map {number} of {len(views)}, {player.game.title}"
    return draw_map(views[number - 1], player.game.shape, title)


def path_picture(menu: Menu, watched: WatchedRun, round: int | None, moves: str) -> str:
    """All maps, and the way of a game over them: an SVG."""
    player = _player(menu, watched, round)
    try:
        actions = parse_transcript(player.game, moves)
    except UserError as error:
        raise Invalid(str(error)) from error
    title = f"{menu.title(player.game, watched.spec(round))}: the sample game on the maps of {player.game.title}"
    return draw_path(_views(player), follow(player, actions), title)


def map_titles(menu: Menu, watched: WatchedRun, round: int | None) -> list[str]:
    """Which moves each map is for."""
    ends = _player(menu, watched, round).values.atlas.ends
    return [f"moves {first} to {last}" for first, last in zip((0, *(it + 1 for it in ends)), ends, strict=False)]


def _player(menu: Menu, watched: WatchedRun, round: int | None) -> SelfOrganized:
    player = menu.player(game_named(watched.game), watched.spec(round))
    if not isinstance(player, SelfOrganized):
        raise Unknown(f"The run '{watched.name}' has no maps.")
    return player


@lru_cache(maxsize=8)
def _views(player: SelfOrganized) -> list[MapView]:
    """Players are compared by identity, and the menu makes a new one for a file that has changed."""
    return views_of(player, np.random.default_rng(0))
