"""The view of one's own progress: the rating game by game, results by opponent, and all games."""

from collections.abc import Mapping
from datetime import datetime
from html import escape

from nicegui import ui

from randori.app.page.board import side_names
from randori.app.page.charts import Drawn, Lines
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import box, choice, link, picture, text
from randori.app.page.tiles import Tiles, words
from randori.app.service.menu import game_named
from randori.app.service.progress import Played, Progress, RatedGame, progress_of
from randori.app.service.store import KeptRating
from randori.chart import Curve

_LISTED = 100
_RESULTS = {1.0: "Won", 0.5: "Drawn", 0.0: "Lost", None: "Not over"}
_ACROSS = {"games": "games", "days": "days since the first"}
_A_DAY = 24 * 3600.0
_COUNTS = "Games count if the opponent's strength is known and you took no hint and no move back."


async def show(visit: Visit, chosen: str) -> None:
    found = await progress_of(visit.rooms, visit.profile.id)
    with frame("Your progress", "/"):
        text("h1", "Your progress")
        if found:
            Progressing(found, await visit.rooms.ratings(visit.profile.id), chosen).build()
        else:
            _nothing_yet()


def _nothing_yet() -> None:
    text(
        "p",
        "Here you will see your rating from game to game, your results against each opponent, and every game you played.",
    )
    text("p", "Play a game at your level first, or solve a puzzle.")
    with box("div", "ways"):
        link("Play", "/", "button main")
        link("Practice", "/practice", "button")


class Progressing:
    """The progress in one of the games that somebody has played."""

    def __init__(self, found: Mapping[str, Progress], ratings: Mapping[str, KeptRating], chosen: str) -> None:
        self._found, self._ratings = found, ratings
        self._chosen = chosen if chosen in found else next(iter(found))
        self._across = "games"

    def build(self) -> None:
        tiles = {name: words(game_named(name).title) for name in self._found}
        Tiles("Game", tiles, self._chosen, self._choose, "sizes")
        self._one_game()

    def _choose(self, name: str) -> None:
        self._chosen = name
        self._one_game.refresh()

    @ui.refreshable_method
    def _one_game(self) -> None:
        own = self._found[self._chosen]
        picture(_summary(own, self._ratings.get(self._chosen)), "standing progress")
        self._curve(own.rated)
        if own.tally.games:
            text("h2", "By opponent")
            picture(_by_opponent(own), "scroll")
        if own.played:
            text("h2", "Games")
            picture(_games(own.played[:_LISTED]), "scroll")
        if len(own.played) > _LISTED:
            text("p", f"The newest {_LISTED} of {len(own.played)} games.", "note")

    def _curve(self, rated: list[RatedGame]) -> None:
        if not rated:
            text("p", f"A curve of your rating begins with the next game that counts. {_COUNTS}", "note")
            return
        drawn = Drawn()
        with box("div", "charts one"):
            drawn.build(_lines(rated, self._across))

        def draw(across: str) -> None:
            if across in _ACROSS:
                self._across = across
                drawn.show(_lines(rated, across))

        if len(rated) > 1:
            choice("Over", _ACROSS, self._across, draw)
        text("p", f"The band is the uncertainty of the rating. {_COUNTS}", "note")


def _lines(rated: list[RatedGame], across: str) -> Lines:
    by_number = [float(number) for number in range(1, len(rated) + 1)]
    by_day = [round((it.at - rated[0].at).total_seconds() / _A_DAY, 2) for it in rated]
    curve = Curve(
        "your rating",
        by_number if across == "games" else by_day,
        [round(it.elo) for it in rated],
        [round(it.elo - it.deviation) for it in rated],
        [round(it.elo + it.deviation) for it in rated],
    )
    return Lines("Your rating", _ACROSS[across], "rating (random = 0)", [curve])


def _summary(own: Progress, rating: KeptRating | None) -> str:
    won, drawn, lost = own.tally
    cells = {} if rating is None else {"Rating": f"{rating.elo:.0f} <small>± {rating.deviation:.0f}</small>"}
    cells |= {"Games": str(own.tally.games), "Won": str(won), "Drawn": str(drawn), "Lost": str(lost)}
    if own.puzzles is not None:
        solved = f"<small>{own.puzzles.solved} of {own.puzzles.tries} solved</small>"
        cells["Puzzles"] = f"{own.puzzles.elo:.0f} {solved}"
    return f"<dl>{''.join(f'<div><dt>{name}</dt><dd>{value}</dd></div>' for name, value in cells.items())}</dl>"


def _by_opponent(own: Progress) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td>{''.join(f'<td>{it}</td>' for it in (tally.games, *tally))}</tr>"
        for name, tally in own.by_opponent.items()
    )
    return f"<table>{_heads('opponent', 'games', 'won', 'drawn', 'lost')}{rows}</table>"


def _games(played: list[Played]) -> str:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(it))}</tr>" for it in played)
    return f'<table class="played">{_heads("date", "opponent", "you played", "result", "rating", "more")}{rows}</table>'


def _cells(it: Played) -> tuple[str, ...]:
    is_over = it.score is not None
    target, label = (f"/game/{it.id}/review", "Review") if is_over else (f"/game/{it.id}", "Continue")
    return (
        _date(it.begun),
        escape(it.opponent),
        side_names(game_named(it.game))[it.seat],
        _RESULTS[it.score],
        "" if it.rated is None else f"{it.rated.elo:.0f}",
        f'<a href="{target}">{label}</a>',
    )


def _date(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y}"


def _heads(*names: str) -> str:
    return f"<thead><tr>{''.join(f'<th scope=col>{it}</th>' for it in names)}</tr></thead>"
