"""Pictures of what the players of runs have learned, as the page asks for them: each method has its own, or none."""

from collections.abc import Iterator
from contextlib import contextmanager

from randori import methods
from randori.app.service.menu import Menu, game_named
from randori.app.service.refusals import Invalid, Refusal, Unknown
from randori.app.service.watched_run import WatchedRun
from randori.core.notation import parse_transcript
from randori.errors import UserError
from randori.methods.pictures import Pictures
from randori.players import Player


def pictures_of(watched: WatchedRun) -> Pictures | None:
    """The pictures of the run's method; None if it has none, or is not known here."""
    method = methods.all_methods().get(watched.learner)
    return None if method is None else method.load_pictures()


def captions(menu: Menu, watched: WatchedRun) -> list[str]:
    """What each picture of its newest player shows."""
    drawn_by, player = _pictures(watched), _player(menu, watched, None)
    with _errors_as(Unknown):
        return drawn_by.captions(player)


def picture(menu: Menu, watched: WatchedRun, round: int | None, number: int | None) -> str:
    """One picture as SVG, the first by default. Raises Unknown if there is none."""
    drawn_by, player = _pictures(watched), _player(menu, watched, round)
    with _errors_as(Unknown):
        within = min(max(number or 1, 1), len(drawn_by.captions(player)))
        return drawn_by.draw(player, within, _called(menu, watched, round))


def picture_of_game(menu: Menu, watched: WatchedRun, round: int | None, moves: str) -> str:
    """A game as the player sees it: an SVG."""
    drawn_by, player = _pictures(watched), _player(menu, watched, round)
    with _errors_as(Invalid):
        actions = parse_transcript(game_named(watched.game), moves)
        return drawn_by.draw_game(player, actions, _called(menu, watched, round))


@contextmanager
def _errors_as(refusal: type[Refusal]) -> Iterator[None]:
    try:
        yield
    except Refusal:
        raise
    except UserError as error:
        raise refusal(str(error)) from error


def _pictures(watched: WatchedRun) -> Pictures:
    found = pictures_of(watched)
    if found is None:
        raise Unknown(f"The run '{watched.name}' has no pictures.")
    return found


def _player(menu: Menu, watched: WatchedRun, round: int | None) -> Player:
    return menu.player(game_named(watched.game), watched.spec(round))


def _called(menu: Menu, watched: WatchedRun, round: int | None) -> str:
    return menu.title(game_named(watched.game), watched.spec(round))
