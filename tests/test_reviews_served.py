"""Reviews by the service: piece by piece, shared, bounded, and refused where they would be unfair."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from randori import formats, games
from randori.app.service import reviews as module
from randori.app.service.refusals import TooMany
from randori.app.service.reviews import Reviews, chances
from randori.app.service.server import service
from randori.app.service.thinking import Thinking
from randori.core.game_so_far import GameSoFar
from randori.formats import GameRecord
from randori.review import review

MOVES = "a1b2c3a3a2c1"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        yield client


def board(name: str, moves: str) -> GameSoFar:
    game = games.game(name)
    found = GameSoFar(game)
    for action in formats.parse_pasted(game, moves).actions:
        found.play(action)
    return found


def test_a_finished_game_is_reviewed_and_one_under_way_is_not(client: TestClient) -> None:
    new = {"game": "tictactoe", "first": "person", "second": "person", "moves": MOVES}
    room = client.post("/api/rooms", json=new).json()
    assert room["over"]
    reply = client.get(f"/api/rooms/{room['id']}/review").json()
    assert reply["complete"]
    assert reply["chances"] == [0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0]
    assert [it["mark"] for it in reply["moves"]] == [None, None, None, "blunder", "missed win", None]
    assert reply["accuracy"][0]["opening"] == 1.0
    other = client.post("/api/rooms", json={**new, "moves": MOVES[:4]}).json()
    answer = client.get(f"/api/rooms/{other['id']}/review")
    assert answer.status_code == 409
    assert "it can be reviewed when it is" in answer.json()["detail"]
    client.post(f"/api/rooms/{other['id']}/resign")
    assert client.get(f"/api/rooms/{other['id']}/review").json()["complete"]
    assert client.get("/api/rooms/nothing/review").status_code == 404


def test_a_record_is_reviewed_in_any_format(client: TestClient) -> None:
    game = games.game("othello4")
    actions = formats.parse_pasted(game, "b1a1").actions
    for text in ("b1a1", formats.write_sgf(game, [GameRecord(actions)])):
        reply = client.post("/api/reviews", json={"game": "othello4", "moves": text}).json()
        assert [it["move"] for it in reply["moves"]] == ["b1", "a1"]
        assert all(it["exact"] for it in reply["moves"])
    assert client.post("/api/reviews", json={"game": "othello4", "moves": "a1"}).status_code == 422
    assert client.post("/api/reviews", json={"game": "chess", "moves": ""}).status_code == 404


def test_viewers_of_one_game_share_its_review() -> None:
    async def look() -> None:
        thinking = Thinking(2)
        kept = Reviews(thinking)
        game = board("connect4", "44332")
        one, other = kept.of(game.game, game.history), kept.of(game.game, game.history)
        assert one is other
        assert one.review.chances == (None,) * 6
        first, second = await asyncio.gather(kept.more(one), kept.more(other))
        assert first is second
        await kept.within(one, 60.0)
        assert one.review.complete
        assert one.review.chances == review(game.game, game.history).chances
        thinking.close()

    asyncio.run(look())


def test_a_visitor_who_leaves_takes_nothing_from_others() -> None:
    async def look() -> None:
        thinking = Thinking(2)
        kept = Reviews(thinking)
        game = board("connect4", "44332")
        it = kept.of(game.game, game.history)
        for _ in range(4):
            leaving = asyncio.create_task(kept.more(it))
            await asyncio.sleep(0)
            leaving.cancel()
            await kept.more(it)
        assert (await kept.within(it, 60.0)).complete
        thinking.close()

    asyncio.run(look())


def test_the_number_of_reviews_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REVIEWS", 3)
    monkeypatch.setattr(module, "MAX_REVIEWS_UNDER_WAY", 2)
    kept = Reviews(Thinking(1))
    game = games.game("tictactoe")

    async def look() -> None:
        watched = [kept.of(game, [it]) for it in range(2)]
        with pytest.raises(TooMany):
            kept.of(game, [2])
        for it in watched:
            await kept.within(it, 60.0)
        for action in range(2, 9):
            await kept.within(kept.of(game, [action]), 60.0)
        assert kept.of(game, [8]).review.complete, "the newest is kept"
        assert not kept.of(game, [0]).review.complete, "the oldest is made again"

    asyncio.run(look())


def test_an_unwatched_review_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REVIEWS_UNDER_WAY", 1)

    async def look() -> None:
        kept, game = Reviews(Thinking(1)), games.game("tictactoe")
        kept.of(game, [0])
        assert not kept.of(game, [1]).review.complete

    asyncio.run(look())


def test_the_course_of_a_game_under_way() -> None:
    """For the side that began: it threatens to finish a diagonal, though the other side is to move."""
    found = board("tictactoe", "b2b1a1")
    assert chances(found.game, found.states, 0) == [0.5, 0.5, 1.0, 1.0]
    assert chances(found.game, found.states[2:], 2) == [1.0, 1.0]
