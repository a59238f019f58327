"""The JSON API with everybody it lists, over every game it offers, and the page with games of other people."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import foreign
import pytest
from fastapi.testclient import TestClient
from selenium import webdriver
from serving import serving
from test_page import Mouse, Visitor, driver, resign, targets  # noqa: F401  the fixture of the browser

import randori
from randori import games
from randori.app.service.limits import MAX_SQUARES, Buckets, Rate
from randori.app.service.server import service

OFFERED = [name for name in games.names() if games.game(name).n_squares <= MAX_SQUARES]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, registered: None) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("served")
    with TestClient(service(folder / "runs", f"sqlite:///{folder / 'page.sqlite'}")) as client:
        client.app.state.rooms.pace = Buckets(Rate(1e6, 1e6))  # type: ignore[attr-defined]  # nobody is too quick
        yield client


def asked(client: TestClient, method: str, path: str, body: dict[str, Any] | None = None, status: int = 200) -> Any:
    answer = client.request(method, f"/api{path}", json=body)
    assert answer.status_code == status, (path, body, answer.text)
    return answer.json()


@pytest.mark.parametrize("name", [*foreign.FILES, *OFFERED])
def test_everybody_who_is_listed_is_met(client: TestClient, name: str) -> None:
    assert name in {it["name"] for it in asked(client, "GET", "/games")}
    game = randori.game(name)
    for spec in [it["spec"] for it in asked(client, "GET", f"/games/{name}/players")]:
        room = asked(client, "POST", "/rooms", {"game": name, "second": spec}, 201)
        path = f"/rooms/{room['id']}"
        room = asked(client, "POST", f"{path}/moves", {"move": room["legal"][-1]})
        assert len(room["moves"]) == 2
        assert asked(client, "POST", f"{path}/hint")["move"] in game.move_names
        assert asked(client, "POST", f"{path}/undo")["moves"] == []
        assert asked(client, "POST", f"{path}/resign")["result"] == 0.0


@pytest.mark.parametrize("name", [*foreign.FILES, *OFFERED])
def test_every_mind_is_read_and_two_are_watched(client: TestClient, name: str) -> None:
    room = asked(client, "POST", "/rooms", {"game": name, "first": "heuristic", "second": "person"}, 201)
    minds = asked(client, "GET", f"/rooms/{room['id']}/minds")
    assert len(minds) >= 2
    assert {it["move"] for it in minds.values()} <= {*room["legal"]}
    watched = asked(client, "POST", "/rooms", {"game": name, "first": "greedy", "second": "random"}, 201)
    assert len(asked(client, "POST", f"/rooms/{watched['id']}/step")["moves"]) == 1


@pytest.mark.parametrize("name", foreign.FILES)
def test_a_whole_game_and_what_the_companion_says(client: TestClient, name: str) -> None:
    room = asked(client, "POST", "/rooms", {"game": name, "second": "companion"}, 201)
    while not room["over"]:
        room = asked(client, "POST", f"/rooms/{room['id']}/moves", {"move": room["legal"][0]})
    assert room["result"] in (0.0, 0.5, 1.0)
    told = asked(client, "GET", f"/rooms/{room['id']}/review")
    assert len(told["chances"]) == len(room["moves"]) + 1
    assert {it["move"] for it in told["moves"] if it} <= {*room["moves"]}
    again = asked(client, "POST", "/rooms", {"game": name, "moves": room["transcript"]}, 201)
    assert again["over"]
    assert name in asked(client, "GET", "/profile")["ratings"]


def test_a_hint_does_not_come_from_chance(client: TestClient) -> None:
    """Nobody has measured these games, so that only chance has a rating there."""
    menu = client.app.state.rooms.menu  # type: ignore[attr-defined]
    assert {menu.adviser(randori.game(name)).family for name in foreign.FILES} == {"search"}


needs_chromium = pytest.mark.skipif(
    shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no Chromium"
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("page")
    with serving(folder, foreign.FILES.values()) as server:
        yield server.address


@pytest.fixture
def visitor(driver: webdriver.Chrome, address: str) -> Iterator[Visitor]:  # noqa: F811
    driver.get_log("browser")
    visitor = Visitor(driver, address)
    yield visitor
    assert visitor.errors() == []


@pytest.mark.thorough
@needs_chromium
@pytest.mark.xdist_group("page")
@pytest.mark.parametrize("name", foreign.FILES)
def test_a_foreign_game_is_chosen_and_played_on_the_page(visitor: Visitor, name: str) -> None:
    visitor.visit("/")
    game = randori.game(name)
    visitor.click(f".games [data-value={game.family.name}]")
    visitor.until(lambda: visitor.text(".play-card p").startswith(game.title))
    visitor.click(".everybody summary")
    visitor.click(".opponents [data-value=random]")
    visitor.until(lambda: visitor.find(".opponents [data-value=random]").get_attribute("aria-checked") == "true")
    visitor.click("#start")
    visitor.until(lambda: "/game/" in visitor.driver.current_url)
    play_a_move(visitor)
    visitor.until(lambda: visitor.board()["ply"] >= 2)
    visitor.turn()
    visitor.click("#hint")
    visitor.find(".board .hint")
    visitor.click("#minds")
    visitor.find(".mind")
    resign(visitor)
    visitor.until(lambda: "resigned" in visitor.board()["status"])
    visitor.visit(f"/ladder?game={name}")
    visitor.find("main h1")


def play_a_move(visitor: Visitor) -> None:
    """One click, or two where a piece is taken up first: then only where it can go is marked."""
    square = visitor.turn()["legal"][-1]
    Mouse(visitor).play(*square)
    visitor.until(lambda: visitor.board()["ply"] > 0 or targets(visitor))
    if visitor.board()["ply"] == 0:
        Mouse(visitor).play(*targets(visitor)[0])
