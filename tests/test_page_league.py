"""The view of a league: its chart, its ranks, and every snapshot to play against."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from leagues import made
from serving import Server, serving
from viewing import viewing

import randori
from randori.app.page.league import LeagueView, _tables
from randori.app.service import leagues as module
from randori.app.service.leagues import OURS, in_time, league, leagues, snapshot_named, spec_of
from randori.app.service.menu import Menu
from randori.app.service.refusals import Unknown
from randori.experiments.league import LeagueRequest, read_league

REQUEST = LeagueRequest(("tictactoe",), ("table", "ntuple"), budget=0.05, seeds=1, most_games=20)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "runs"
    folder.mkdir()
    made(folder / "mine", REQUEST)
    return folder


def test_leagues_are_listed_by_name(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(leagues(runs)) - {OURS} == {"mine"}
    assert leagues(tmp_path / "nothing") in ({}, {OURS: module.STORED})
    assert league(runs, "mine") == read_league(runs / "mine")
    for name in ("other", "../runs/mine", ""):
        with pytest.raises(Unknown):
            league(runs, name)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "league.json").write_text('{"format_version": 1, "games": [{}]}')
    with pytest.raises(Unknown, match="damaged"):
        league(tmp_path, "bad")


def test_every_snapshot_can_be_played(runs: Path) -> None:
    game, menu = randori.game("tictactoe"), Menu(runs)
    for row in read_league(runs / "mine")["games"][0]["snapshots"]:
        for question in ("knowledge", "player"):
            spec = spec_of("mine", row["name"], question)  # type: ignore[arg-type]
            entry = menu.entry(game, spec)
            assert entry.strength is not None
            assert entry.strength.elo == row[question]["rating"]["elo"]
            assert entry.title.startswith(("Table after 0.", "N-tuples after 0."))
            assert entry.title.endswith("by knowledge alone") == (question == "knowledge")
            assert entry.options == row[question]["options"]
            action = menu.player(game, spec).choose(game.start(1), np.random.default_rng(0)).actions[0]
            assert 0 <= action < 9


def test_other_names_are_refused(runs: Path) -> None:
    row = read_league(runs / "mine")["games"][0]["snapshots"][-1]["name"]
    for spec in (
        f"league/mine/{row}@master",
        f"league/yours/{row}@player",
        "league/mine/../../x@player",
        "league/mine",
        f"runs/mine/{row}@player",
    ):
        assert snapshot_named(runs, "tictactoe", spec) is None
        with pytest.raises(Unknown):
            Menu(runs).entry(randori.game("tictactoe"), spec)
    assert snapshot_named(runs, "connect4", f"league/mine/{row}@player") is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.3125, "0.31 seconds"), (19.9, "20 seconds"), (119, "119 seconds"), (480, "8 minutes"), (9000, "2.5 hours")],
)
def test_times_read_well(seconds: float, words: str) -> None:
    assert in_time(seconds) == words


def test_the_tables_have_every_line(runs: Path) -> None:
    html = _tables(read_league(runs / "mine")["games"][0], "player")
    assert html.count("<td>Table</td>") == html.count("<td>N-tuples</td>") == 2
    assert "What search adds" in html


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[Server]:
    with serving(runs.parent) as running:
        yield running


@pytest.mark.thorough
def test_the_view_opens_a_game_against_a_snapshot(server: Server) -> None:
    with httpx.Client(base_url=server.address, timeout=120) as visitor:
        visitor.get("/")
        with viewing(visitor, "/league?name=mine") as view:
            assert "Meet Table after 0." in view.text
            assert "Ranks that the intervals allow" in view.text
            assert REQUEST.command in view.text
            for odd in (3, {}, {"seriesName": 5, "value": "x"}, {"seriesName": "Nobody", "value": [1.0]}):
                view.press_point(odd)
            view.press_point({"seriesName": "N-tuples", "value": [0.001, 400, 300, 500]})
            view.until(lambda: "Meet N-tuples after 0." in view.text)
            view.press("meet")
            view.until(lambda: view.opened)
            assert view.opened[0].startswith("/game/")
        page = visitor.get(view.opened[0])
        assert page.status_code == 200
        assert "N-tuples after 0." in page.text


def test_the_included_league_opens_where_methods_differ_most() -> None:
    read = read_league(module.STORED)
    view = LeagueView(None, OURS, module.STORED, read)  # type: ignore[arg-type]
    by_spread = sorted((it["game"] for it in read["games"]), key=view._spread)
    assert by_spread[0] == "tictactoe", "where everybody soon plays perfectly"
    ratings = [it["player"]["rating"]["elo"] for it in view._games[by_spread[-1]]["snapshots"] if it["player"]]
    assert 0 < view._spread(by_spread[-1]) <= max(ratings) - min(ratings)


@pytest.mark.thorough
def test_a_league_without_players_says_how_to_train_them(runs: Path, server: Server) -> None:
    bare = runs / "bare"
    bare.mkdir()
    shutil.copy(runs / "mine" / "league.json", bare)
    first = json.loads((bare / "league.json").read_text())["games"][0]["snapshots"]
    command = next(it["command"] for it in reversed(first) if it["line"] == "table")
    try:
        with httpx.Client(base_url=server.address, timeout=120) as visitor:
            visitor.get("/")
            with viewing(visitor, "/league?name=bare") as view:
                assert f"Its player is not stored here. Train it yourself: {command}" in view.text
                assert "meet" not in view.buttons
        with pytest.raises(Unknown):
            Menu(runs).entry(randori.game("tictactoe"), spec_of("bare", first[-1]["name"], "player"))
    finally:
        shutil.rmtree(bare)


@pytest.mark.thorough
def test_without_a_league_the_view_says_how_to_make_one(tmp_path: Path) -> None:
    if module.STORED.is_dir():
        pytest.skip("The package has one.")
    with serving(tmp_path) as server, httpx.Client(base_url=server.address, timeout=120) as visitor:
        visitor.get("/")
        assert "randori league --games connect4 --budget 1m" in visitor.get("/league").text
