"""The ladder: the ratings of a game's players, where they come from, and a tournament to watch."""

import asyncio
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from randori.app.crosstable import ratings_table, score_table, whisker
from randori.app.page.frame import frame
from randori.app.page.meeting import Meeting
from randori.app.page.parts import box, button, choice, link, picture, scrolling, set_text, text
from randori.app.page.values import facts_list
from randori.app.service.claims import WHY_NOT, Who
from randori.app.service.menu import Entry, game_named, offered
from randori.app.service.tournaments import GAMES_A_PAIR, Standings, Tournaments
from randori.arena import in_words
from randori.core.game import Game
from randori.experiments.gauge import Met, opponents_on

_SECONDS_A_LOOK = 1.0


async def show(who: Who, meeting: Meeting, tournaments: Tournaments, game_name: str) -> None:
    game = game_named(game_name)
    with frame(f"Ladder of {game.title}", "/ladder"):
        with box("div", "heading"):
            text("h1", "Ladder")
            titles = {name: game_named(name).title for name in offered()}
            choice("Game", titles, game.name, lambda name: ui.navigate.to(f"/ladder?game={name}"))
        entries = list((await asyncio.to_thread(meeting.menu.entries, game)).values())
        rated = sorted((it for it in entries if it.strength is not None), key=_elo, reverse=True)
        text("p", "Ratings on the Elo scale with 95% intervals; a random player has 0.", "note")
        if any(it.strength is not None and it.strength.extrapolated for it in rated):
            text("p", "“At least” means stronger than everybody of known strength.", "note")
        scrolling(_table(rated), "Ratings")
        _cards(meeting, game, [it for it in entries if it.is_trained])
        Stage(who, game, tournaments).build()


class Stage:
    """The tournament under way, if there is one, the last one's tables, and a button for those who may start another."""

    def __init__(self, who: Who, game: Game, tournaments: Tournaments) -> None:
        self._who, self._game, self._tournaments = who, game, tournaments
        self._shown: Standings | None = None

    def build(self) -> None:
        text("h2", "Tournament")
        n = len(self._tournaments.entrants(self._game))
        entered = "1 player" if n == 1 else f"{n} players"
        text("p", f"{entered}; every pair plays {GAMES_A_PAIR} games from random openings.", "note")
        if not self._tournaments.may_start(self._who):
            text("p", WHY_NOT, "note").props("id=why-not")
        with box("div", "form"):
            self._start = button("Play a tournament", self._play, "main", id="tournament")
            self._stop = button("Stop", lambda: self._tournaments.stop(self._who), id="stop")
        self._progress = text("p", "", "note").props("role=status id=progress")
        self._result = scrolling("", "Tournament").classes("tournament")
        self._look()
        ui.timer(_SECONDS_A_LOOK, self._look)

    def _play(self) -> None:
        self._tournaments.start(self._who, self._game)
        self._look()

    def _look(self) -> None:
        tournaments, under_way = self._tournaments, self._tournaments.under_way
        self._start.set_visibility(under_way is None and tournaments.may_start(self._who))
        self._stop.set_visibility(tournaments.may_stop(self._who))
        progress = tournaments.complaint
        if under_way is not None:
            progress = f"{under_way.game.title} is being played: {under_way.n_games} of {under_way.total} games."
        set_text(self._progress, progress)
        played = tournaments.played(self._game)
        if played is not None and played is not self._shown:
            self._result.set_content(ratings_table(played, played.titles) + score_table(played, played.titles))
            self._shown = played


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
    return f"<table class=ladder><tr><th>player</th><th>rating</th><th>interval</th><td></td></tr>{rows}</table>"


def _cards(meeting: Meeting, game: Game, trained: list[Entry]) -> None:
    text("h2", "Trained players")
    if not trained:
        text("p", "Nobody has learned this game yet. Be the first to train a player.", "note")
        link("Train", "/learning", "button")
    for entry in trained:
        with box("details", "card"):
            text("summary", entry.title)
            with box("div", "controls"):
                button(
                    "Play", partial(meeting.meet, game, entry.spec), "main", aria_label=f"Play against {entry.title}"
                )
            picture(_facts(entry))


def _facts(entry: Entry) -> str:
    """The card in the player's file."""
    card = entry.card
    assert card is not None
    facts: dict[str, Any] = {"learner": card.learner, **card.training}
    if card.rating is not None:
        facts["rating"] = in_words(card.rating)
        facts["opponents"] = ", ".join(map(_in_short, opponents_on(card.rating)))
    return f'{facts_list(facts)}<h3>Settings</h3><div class="facts">{facts_list(card.config)}</div>'


def _in_short(met: Met) -> str:
    drawn = f" and {met['draws']} drawn" if met["draws"] else ""
    return f"{met['player'].partition(',')[0]} {met['wins']} : {met['losses']}{drawn}"
