"""The ladder: who plays a game how strongly, whence that is known, and a tournament to see it happen."""

from html import escape
from typing import Any

from nicegui import ui

from randori.app.crosstable import ratings_table, score_table, whisker
from randori.app.page.frame import frame
from randori.app.page.parts import box, button, choice, link, picture, text
from randori.app.service.menu import Entry, Menu, game_named, offered
from randori.app.service.tournaments import GAMES_A_PAIR, Tournaments
from randori.arena import in_words
from randori.core.game import Game
from randori.experiments.gauge import Met, opponents_on


async def show(menu: Menu, tournaments: Tournaments, game_name: str) -> None:
    game = game_named(game_name)
    with frame(f"Ladder of {game.title}", "/ladder"):
        with box("div", "heading"):
            text("h1", "Ladder")
            titles = {name: game_named(name).title for name in offered()}
            choice("Game", titles, game.name, lambda name: ui.navigate.to(f"/ladder?game={name}"))
        entries = list(menu.entries(game).values())
        rated = sorted((it for it in entries if it.strength is not None), key=_elo, reverse=True)
        text("p", "Ratings on the Elo scale, a random player being 0, with 95 % intervals.", "note")
        if any(it.strength is not None and it.strength.extrapolated for it in rated):
            text("p", "“At least” means that nobody of known strength is as strong.", "note")
        picture(_table(rated), "scroll")
        _cards([it for it in entries if it.is_trained])
        Stage(game, tournaments).build()


class Stage:
    """A tournament that can be started here."""

    def __init__(self, game: Game, tournaments: Tournaments) -> None:
        self._game, self._tournaments = game, tournaments

    def build(self) -> None:
        text("h2", "Tournament")
        n = len(self._tournaments.entrants(self._game))
        text("p", f"{n} players, each two meet {GAMES_A_PAIR} times from random openings.", "note")
        button("Play a tournament", self._play, "main", id="tournament")
        self._progress = text("p", "", "note")
        self._result = picture("", "scroll tournament")
        self._show()

    async def _play(self) -> None:
        watching = ui.timer(0.5, self._tell_progress)
        try:
            await self._tournaments.play(self._game)
        finally:
            watching.cancel()
        self._progress.set_content("")
        self._show()

    def _tell_progress(self) -> None:
        self._progress.set_content(f"{self._tournaments.n_games} of {self._tournaments.total(self._game)} games")

    def _show(self) -> None:
        played = self._tournaments.played.get(self._game.name)
        if played is not None:
            titles = self._tournaments.titles[self._game.name]
            self._result.set_content(ratings_table(played, titles) + score_table(played, titles))


def _elo(entry: Entry) -> float:
    return entry.strength.elo if entry.strength is not None else 0.0


def _table(rated: list[Entry]) -> str:
    known = [(it, it.strength) for it in rated if it.strength is not None]
    low = min((strength.low for _, strength in known), default=0.0)
    span = max((strength.high for _, strength in known), default=1.0) - low or 1.0
    rows = "".join(
        f"<tr><td class=name>{escape(it.title)}<small>{escape(it.summary)}</small></td><td>{strength.figure}</td>"
        f"<td class=note>{strength.low:.0f} .. {strength.high:.0f}</td>"
        f"<td>{whisker(strength.low, strength.elo, strength.high, low, span)}</td></tr>"
        for it, strength in known
    )
    return f"<table class=ladder><tr><th>player</th><th>rating</th><th>interval</th><th></th></tr>{rows}</table>"


def _cards(trained: list[Entry]) -> None:
    text("h2", "Trained players")
    if not trained:
        text("p", "Nobody has learned this game yet: be the first to train somebody.", "note")
        link("Train", "/learning", "button")
    for entry in trained:
        with box("details", "card"):
            text("summary", entry.title)
            picture(_facts(entry))


def _facts(entry: Entry) -> str:
    """The card that came with the player's file."""
    card = entry.card
    assert card is not None
    facts: dict[str, Any] = {"learner": card.learner, **card.training, "settings": card.config}
    if card.rating is not None:
        facts["rating"] = in_words(card.rating)
        facts["opponents"] = ", ".join(map(_in_short, opponents_on(card.rating)))
    rows = "".join(f"<dt>{escape(key)}</dt><dd>{escape(_words(value))}</dd>" for key, value in facts.items())
    return f"<dl>{rows}</dl>"


def _in_short(met: Met) -> str:
    drawn = f" and {met['draws']} drawn" if met["draws"] else ""
    return f"{met['player'].partition(',')[0]} {met['wins']} : {met['losses']}{drawn}"


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(it)}" for key, it in value.items())
    return f"{value:,.1f}" if isinstance(value, float) else str(value)
