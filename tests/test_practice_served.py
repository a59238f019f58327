"""Practice by the service: puzzles are posed, tries are answered and kept, one's own mistakes come back."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from randori import games
from randori.app.service.kept_practice import Try, keep_try, practised
from randori.app.service.practice import Practice
from randori.app.service.server import service
from randori.app.service.store import Conflict, Store
from randori.practice import Card, Skill, puzzles_of
from randori.practice.progress import PAUSES

MISSED = "a1b2c3a3a2c1"  # the side that begins misses a win by a2


class Clock:
    """A clock that stands still until the test moves it."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(tmp_path: Path, clock: Clock) -> Iterator[TestClient]:
    app = service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")
    app.state.practice = Practice(app.state.rooms, clock)
    with TestClient(app) as client:
        yield client


def next_puzzle(client: TestClient, game: str = "tictactoe", own: bool = False) -> dict[str, Any]:
    answer = client.get(f"/api/practice/{game}/next", params={"own": own})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def answer_to(client: TestClient, puzzle: dict[str, Any], move: str | None) -> dict[str, Any]:
    answer = client.post(f"/api/practice/{puzzle['game']}/{puzzle['id']}/tries", json={"move": move})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def right_move(puzzle: dict[str, Any]) -> str:
    return puzzles_of(games.game(puzzle["game"]))[puzzle["id"]].answer


def wrong_move(puzzle: dict[str, Any]) -> str:
    game = games.game(puzzle["game"])
    board = puzzles_of(game)[puzzle["id"]].board(game)
    legal = [name for name, is_legal in zip(game.move_names, board.legal, strict=True) if is_legal]
    return next(it for it in legal if it != right_move(puzzle))


def test_a_right_answer_counts_once_and_comes_back_later(client: TestClient, clock: Clock) -> None:
    puzzle = next_puzzle(client)
    assert puzzle["counts"]
    assert puzzle["task"].startswith(("Cross to move", "Nought to move"))
    reply = answer_to(client, puzzle, right_move(puzzle))
    assert reply["right"]
    assert reply["counted"]
    assert reply["line"][0] == right_move(puzzle)
    assert reply["due"] == clock.now + PAUSES[2]
    assert reply["skill"]["streak"] == reply["skill"]["solved"] == reply["skill"]["tries"] == 1
    again = answer_to(client, puzzle, right_move(puzzle))
    assert again["right"]
    assert not again["counted"]
    assert again["skill"] == reply["skill"]
    assert next_puzzle(client)["id"] != puzzle["id"]
    clock.now += PAUSES[2]
    assert next_puzzle(client)["id"] == puzzle["id"], "what is due goes before what is new"
    later = answer_to(client, puzzle, right_move(puzzle))
    assert later["counted"]
    assert later["skill"]["elo"] == reply["skill"]["elo"], "a puzzle that was met before does not change the rating"
    assert later["due"] == clock.now + PAUSES[3]


def test_a_wrong_answer_is_refuted_and_comes_back_soon(client: TestClient, clock: Clock) -> None:
    puzzle = next_puzzle(client)
    move = wrong_move(puzzle)
    reply = answer_to(client, puzzle, move)
    assert not reply["right"]
    assert reply["counted"]
    assert reply["line"][0] == move
    assert right_move(puzzle) not in reply["words"]
    assert reply["due"] == clock.now + PAUSES[0]
    assert reply["skill"]["streak"] == 0
    retry = answer_to(client, puzzle, right_move(puzzle))
    assert retry["right"]
    assert not retry["counted"], "the second try at a puzzle does not count"
    clock.now += PAUSES[0]
    assert next_puzzle(client)["id"] == puzzle["id"]


def test_giving_up_shows_the_answer(client: TestClient) -> None:
    puzzle = next_puzzle(client)
    reply = answer_to(client, puzzle, None)
    assert not reply["right"]
    assert reply["counted"]
    assert reply["line"][0] == right_move(puzzle)


def test_the_rating_follows_the_results(client: TestClient) -> None:
    before = {it["game"]: it for it in client.get("/api/practice").json()}["connect4"]
    assert before["puzzles"] >= 200
    assert before["met"] == 0
    up = answer_to(client, puzzle := next_puzzle(client, "connect4"), right_move(puzzle))["skill"]["elo"]
    assert up > before["skill"]["elo"]
    down = answer_to(client, puzzle := next_puzzle(client, "connect4"), wrong_move(puzzle))["skill"]["elo"]
    assert down < up
    after = {it["game"]: it for it in client.get("/api/practice").json()}["connect4"]
    assert (after["met"], after["due"], after["skill"]["elo"]) == (2, 0, down)


def test_own_mistakes_come_back(client: TestClient) -> None:
    assert client.get("/api/practice/tictactoe/next", params={"own": True}).status_code == 404
    new = {"game": "tictactoe", "first": "person", "second": "random", "moves": MISSED}
    room = client.post("/api/rooms", json=new).json()
    assert room["over"]
    assert client.post("/api/practice/tictactoe/examination").json() == {"left": 0, "puzzles": 1}
    assert client.post("/api/practice/tictactoe/examination").json() == {"left": 0, "puzzles": 1}
    puzzle = next_puzzle(client, own=True)
    assert puzzle["moves"] == MISSED[:8]
    assert puzzle["goal"] == "win"
    assert puzzle["rating"] is None
    wrong, right = answer_to(client, puzzle, "a2"), answer_to(client, puzzle, "c1")
    assert not wrong["right"]
    assert wrong["words"] == "Not a2: it loses."
    assert right["right"]
    with TestClient(client.app) as stranger:
        assert stranger.post(f"/api/practice/tictactoe/{puzzle['id']}/tries", json={"move": "c1"}).status_code == 404


def test_wrong_tries_are_refused(client: TestClient) -> None:
    puzzle = next_puzzle(client)
    path = f"/api/practice/tictactoe/{puzzle['id']}/tries"
    assert client.post(path, json={"move": "z9"}).status_code == 422
    assert client.post(path, json={}).status_code == 422
    occupied = puzzle["moves"][:2]
    assert client.post(path, json={"move": occupied}).status_code == 409
    assert client.post("/api/practice/tictactoe/nothing/tries", json={"move": "a1"}).status_code == 404
    assert client.get("/api/practice/chess/next").status_code == 404


def test_two_tabs_cannot_count_one_puzzle_twice(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'page.sqlite'}")
    me = store.profile("token").id
    skill, card = Skill(500.0, 250.0, 1, 1, 1), Card("it", 2, 10, 1)
    first = Try(me, "tictactoe", None, card, None, skill)
    keep_try(store, first)
    with pytest.raises(Conflict):
        keep_try(store, first)
    second = first._replace(
        before=card, after=card._replace(tries=2), skill_before=skill, skill=skill._replace(tries=2)
    )
    keep_try(store, second)
    with pytest.raises(Conflict):
        keep_try(store, second)
    assert practised(store, me, "tictactoe").cards["it"].tries == 2
    assert practised(store, me, "tictactoe").skill == skill._replace(tries=2)
    store.close()


def test_the_second_of_two_simultaneous_tries_does_not_count(client: TestClient) -> None:
    puzzle = next_puzzle(client)
    practice: Practice = client.app.state.practice  # type: ignore[attr-defined]
    me = practice._rooms.store.profile("somebody").id

    async def both() -> list[bool]:
        tries = [practice.hear(me, "tictactoe", puzzle["id"], right_move(puzzle)) for _ in range(2)]
        return [it.counted for it in await asyncio.gather(*tries)]

    assert sorted(client.portal.call(both)) == [False, True]  # type: ignore[union-attr]
