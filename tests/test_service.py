"""The service: its API, its limits, and that nothing played is ever lost."""

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

from randori import games
from randori.app.service.claims import Who
from randori.app.service.keeper import Keeper
from randori.app.service.limits import BY_PROFILE, MAX_BODY, MAX_TOGETHER, Buckets, Rate
from randori.app.service.menu import Menu, offered
from randori.app.service.minds import read_mind
from randori.app.service.pictures import captions, picture, picture_of_game, pictures_of
from randori.app.service.refusals import Invalid, TooMany, Unknown
from randori.app.service.samples import sample_game
from randori.app.service.server import service
from randori.app.service.store import Change, Conflict, Store
from randori.app.service.thinking import Thinking
from randori.app.service.trainings import Trainings
from randori.app.service.turns import Turns
from randori.core.record import record
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.methods.som.config import SomConfig
from randori.methods.table.learner import TableConfig
from randori.players.simple import Random

OWNER = Who("owner", is_owner=True)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        yield client


def begin(client: TestClient, game: str = "tictactoe", **more: str) -> dict[str, object]:
    answer = client.post("/api/rooms", json={"game": game, "second": "random", **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_a_game_is_played_to_its_end(client: TestClient) -> None:
    room = begin(client)
    while not room["over"]:
        assert room["to_move"] == 0
        room = client.post(f"/api/rooms/{room['id']}/moves", json={"move": room["legal"][0]}).json()
    assert room["result"] in (0.0, 0.5, 1.0)
    assert room["legal"] == []
    kept = client.get(f"/api/rooms/{room['id']}").json()
    assert kept == room
    assert client.get("/api/rooms").json()[0]["result"] == room["result"]


@pytest.mark.parametrize("game", offered())
def test_every_listed_game_and_player_can_be_met(client: TestClient, game: str) -> None:
    players = client.get(f"/api/games/{game}/players").json()
    assert {"random", "greedy", "heuristic"} <= {it["spec"] for it in players}
    room = begin(client, game, first="heuristic", second="person")
    assert len(room["moves"]) == 1


def test_the_other_side_begins_and_a_record_goes_in_and_out(client: TestClient) -> None:
    room = begin(client, "othello6", moves="e4e3")
    assert room["transcript"] == "e4e3"
    assert client.post("/api/rooms", json={"game": "othello6", "moves": "a1"}).status_code == 422
    first = begin(client, "connect4", first="random", second="person")
    assert len(first["moves"]) == 1
    assert first["to_move"] == 1


def test_undo_hint_and_resign(client: TestClient) -> None:
    room = begin(client)
    url = f"/api/rooms/{room['id']}"
    client.post(f"{url}/moves", json={"move": "b2"})
    hint = client.post(f"{url}/hint").json()
    assert hint["move"] in client.get(url).json()["legal"]
    assert client.post(f"{url}/undo").json()["moves"] == []
    assert client.post(f"{url}/undo").status_code == 409
    assert client.post(f"{url}/resign").json()["result"] == 0.0
    assert client.post(f"{url}/moves", json={"move": "b2"}).status_code == 409


def test_a_forced_pass_is_a_move_of_its_own(client: TestClient) -> None:
    """The second player moves by itself; the person passes by name."""
    game = games.game("othello4")
    rng = np.random.default_rng(3)
    for _ in range(200):
        state, actions = game.start(1), []
        while game.outcome(state)[0] == 2 and not (game.legal(state)[0, -1] and len(actions) % 2 == 0):
            actions.append(int(game.pick(state, rng.random(1))[0]))
            state = game.play(state, actions[-1:])
        if game.outcome(state)[0] == 2:
            break
    moves = "".join(game.move_names[it] for it in actions)
    room = begin(client, "othello4", moves=moves)
    assert room["legal"] == ["pass"]
    answer = client.post(f"/api/rooms/{room['id']}/moves", json={"move": "pass"})
    assert answer.json()["moves"][len(actions)] == "pass"


def test_two_players_are_watched_step_by_step(client: TestClient) -> None:
    room = begin(client, first="heuristic", second="random")
    assert room["moves"] == []
    assert len(client.post(f"/api/rooms/{room['id']}/step").json()["moves"]) == 1
    assert client.post(f"/api/rooms/{room['id']}/moves", json={"move": "a1"}).status_code == 409


def teach(client: TestClient, n_games: int, rng: np.random.Generator) -> None:
    """Games of a person who moves by chance, and begins every other one."""
    client.app.state.rooms.pace = Buckets(Rate(1e6, 1e6))  # type: ignore[attr-defined]  # nobody is too quick
    for number in range(n_games):
        seats = ("person", "pupil") if number % 2 == 0 else ("pupil", "person")
        room = begin(client, first=seats[0], second=seats[1])
        while not room["over"]:
            move = {"move": str(rng.choice(room["legal"]))}
            room = client.post(f"/api/rooms/{room['id']}/moves", json=move).json()


def opinions(client: TestClient) -> list[float]:
    """What the visitor's pupil thinks of the positions after the first move."""
    rooms, game = client.app.state.rooms, games.game("tictactoe")  # type: ignore[attr-defined]
    me = rooms.store.profile(client.cookies["randori"])
    pupil = asyncio.run(rooms.pupils.pupil(me.id, game))
    return [float(it) for it in pupil.evaluate(game.play(game.start(9), np.arange(9)), np.random.default_rng(0)).values]


def test_a_pupil_learns_from_its_person_alone_and_outlives_a_restart(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'page.sqlite'}"
    with TestClient(service(tmp_path / "runs", database)) as client:
        client.get("/api/profile")
        assert not any(opinions(client))
        teach(client, 3, np.random.default_rng(0))
        learned, cookie = opinions(client), client.cookies["randori"]
        assert any(learned)
    with TestClient(service(tmp_path / "runs", database)) as client:
        client.get("/api/profile")
        assert not any(opinions(client)), "a stranger's pupil has learned nothing"
        client.cookies.clear()
        client.cookies.set("randori", cookie)
        assert opinions(client) == learned
        assert {it["game"]: it["games"] for it in client.get("/api/pupils").json()}["tictactoe"] == 3
        assert client.delete("/api/pupils/tictactoe").status_code == 204
        assert not any(opinions(client))
        teach(client, 1, np.random.default_rng(1))
        assert {it["game"]: it["games"] for it in client.get("/api/pupils").json()}["tictactoe"] == 1


def test_a_game_that_is_taken_back_after_its_end_teaches_once(client: TestClient) -> None:
    room = begin(client, second="pupil")
    url = f"/api/rooms/{room['id']}"
    client.post(f"{url}/moves", json={"move": "b2"})
    client.post(f"{url}/resign")
    client.post(f"{url}/undo")
    assert {it["games"] for it in client.get("/api/pupils").json()} == {0}
    client.post(f"{url}/moves", json={"move": "a1"})
    client.post(f"{url}/resign")
    assert sum(it["games"] for it in client.get("/api/pupils").json()) == 1


def test_the_companion_plays_in_a_style(client: TestClient) -> None:
    room = begin(client, second="companion:style=som")
    url = f"/api/rooms/{room['id']}"
    while not room["over"]:
        room = client.post(f"{url}/moves", json={"move": room["legal"][0]}).json()
    assert client.get("/api/profile").json()["ratings"]["tictactoe"]["games"] == 1
    specs = {it["spec"] for it in client.get("/api/games/tictactoe/players").json()}
    assert {"companion", "companion:style=som", "companion:style=ntuple"} <= specs
    for seats in ({"second": "companion:style=nobody"}, {"second": "companion:style=zoo/connect4-som"}):
        assert client.post("/api/rooms", json={"game": "tictactoe", **seats}).status_code == 404
    alone = {"game": "tictactoe", "first": "random", "second": "companion:style=som"}
    assert client.post("/api/rooms", json=alone).status_code == 422


def test_games_without_maps_say_kindly_that_there_is_no_pupil(client: TestClient) -> None:
    answer = client.post("/api/rooms", json={"game": "gomoku15", "second": "pupil"})
    assert answer.status_code == 404
    assert "meet the companion" in answer.json()["detail"]
    assert client.delete("/api/pupils/gomoku15").status_code == 404
    assert (
        client.post("/api/rooms", json={"game": "tictactoe", "first": "random", "second": "pupil"}).status_code == 422
    )


def test_minds_side_by_side(client: TestClient) -> None:
    room = begin(client)
    minds = client.get(f"/api/rooms/{room['id']}/minds").json()
    assert len(minds) >= 3
    assert all(it["move"] in room["legal"] for it in minds.values())
    evolved, mapped = minds["zoo/tictactoe-evolution"], minds["zoo/tictactoe-som"]
    assert evolved["value"] is None, "its scores are no chances"
    assert min(evolved["behind"].values()) == 0
    assert -1 <= mapped["value"] <= 1
    assert mapped["behind"] is None


def small_run(folder: Path, learner: str = "som") -> None:
    """A run of a few rounds, with its snapshots."""
    tiny = SomConfig(4, 4, data=(200,), rough=(100,), fine=(100,), map_rounds=1, games=20)
    recipe = Recipe(
        "tictactoe", learner, tiny if learner == "som" else TableConfig(games=10), rounds=4, evaluate_games=0
    )
    with CountingWorkers(1) as staff:
        train(recipe, folder, staff)


def test_a_run_can_be_met_as_it_was_after_some_rounds(client: TestClient) -> None:
    runs = client.app.state.rooms.menu.runs  # type: ignore[attr-defined]
    small_run(runs / "mine", "table")
    room = begin(client, first="runs/mine@2", second="person")
    assert len(room["moves"]) == 1
    assert client.app.state.rooms.menu.title(games.game("tictactoe"), "runs/mine@2") == "mine, round 2"  # type: ignore[attr-defined]
    for wrong in ("runs/mine@3", "runs/mine@../../../etc", "runs/other@2", "runs/mine@"):
        answer = client.post("/api/rooms", json={"game": "tictactoe", "second": wrong})
        assert answer.status_code == 404, wrong
    assert "runs/mine@2" not in {it["spec"] for it in client.get("/api/games/tictactoe/players").json()}


def test_maps_of_a_run_are_drawn(tmp_path: Path) -> None:
    small_run(tmp_path / "mapped")
    menu, watched = Menu(tmp_path), Trainings(tmp_path).run("mapped")
    assert watched.snapshots == (1, 2, 4)
    assert picture(menu, watched, None, None).startswith("<svg")
    assert "map 1 of" in picture(menu, watched, 2, 1)
    assert "a game on the maps" in picture_of_game(menu, watched, None, "b2a1c3")
    with pytest.raises(Invalid):
        picture_of_game(menu, watched, None, "b2b2")
    with pytest.raises(Unknown):
        picture(menu, watched, 3, None)
    assert "map 1 of" in picture(menu, watched, None, 0)
    n = len(captions(menu, watched))
    assert f"map {n} of {n}" in picture(menu, watched, None, 99)


def test_a_method_without_pictures_says_so(tmp_path: Path) -> None:
    small_run(tmp_path / "plain", "table")
    menu, watched = Menu(tmp_path), Trainings(tmp_path).run("plain")
    assert pictures_of(watched) is None
    with pytest.raises(Unknown, match="no pictures"):
        picture(menu, watched, None, None)
    assert pictures_of(replace(watched, learner="of-somebody-else")) is None


def test_sample_games_are_whole_games() -> None:
    game = games.game("connect4")
    for seed in range(3):
        chance = Random(game)
        actions = sample_game(game, chance, chance, np.random.default_rng(seed))
        assert len(record(game, np.array([actions], np.int16))) == 1


def test_a_training_without_torch_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainings = Trainings(tmp_path / "runs")
    monkeypatch.setattr("randori.methods.method.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'randori\[train\]'"):
        trainings.start(OWNER, "alphazero", "tictactoe", "1m")
    assert trainings.names() == []


def test_a_training_that_finds_a_broken_torch_says_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    trainings = Trainings(tmp_path / "runs")
    name = trainings.start(OWNER, "deep-q", "tictactoe", "1m")
    limit = time.monotonic() + 60
    while not trainings.status(OWNER, name).complaint and time.monotonic() < limit:
        time.sleep(0.2)
    assert "pip install 'randori[train]'" in trainings.status(OWNER, name).complaint


@pytest.mark.parametrize(
    "wrong",
    [
        {"game": "chess"},
        {"game": "tictactoe", "second": "../../etc/passwd"},
        {"game": "tictactoe", "second": "/tmp/player.safetensors"},
        {"game": "tictactoe", "second": "zoo/../tictactoe-evolution"},
        {"game": "tictactoe", "second": "gtp:command=touch /tmp/here"},
        {"game": "tictactoe", "second": "uct:simulations=100000000"},
        {"game": "tictactoe", "second": "zoo/othello6-evolution"},
        {"game": "tictactoe", "moves": "x" * 5000},
        {"game": "tictactoe", "unknown": 1},
        {"game": 3},
        {},
    ],
)
def test_only_listed_games_and_players_are_accepted(client: TestClient, wrong: dict[str, object]) -> None:
    answer = client.post("/api/rooms", json=wrong)
    assert answer.status_code in (404, 422), answer.text


def test_games_of_others_are_hidden(client: TestClient) -> None:
    room = begin(client)
    client.cookies.clear()
    assert client.get(f"/api/rooms/{room['id']}").status_code == 404
    assert client.get("/api/rooms").json() == []


def test_names_and_safety_headers(client: TestClient) -> None:
    assert client.put("/api/profile", json={"name": " Ann "}).status_code == 204
    answer = client.get("/api/profile")
    assert answer.json()["name"] == "Ann"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    client.cookies.clear()
    cookie = client.get("/api/profile").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_foreign_names_and_long_requests_are_refused(client: TestClient) -> None:
    assert client.get("/api/games", headers={"host": "evil.example"}).status_code == 400
    assert client.post("/api/rooms", content=b"x" * (MAX_BODY + 1)).status_code == 413
    unannounced = iter([b"x" * MAX_BODY, b"x"])
    assert client.post("/api/rooms", content=unannounced).status_code in (400, 413)


def test_a_storm_is_answered_with_429(client: TestClient) -> None:
    client.app.state.rooms.pace.clock = lambda: 0.0  # type: ignore[attr-defined]  # a slow machine would refill it
    room = begin(client)
    answers = [client.post(f"/api/rooms/{room['id']}/undo") for _ in range(int(BY_PROFILE.burst) + 40)]
    assert {it.status_code for it in answers} == {409, 429}
    assert next(it for it in answers if it.status_code == 429).headers["retry-after"] == "1"


def test_buckets_fill_again() -> None:
    now = [0.0]
    buckets = Buckets(Rate(a_second=2.0, burst=3.0), clock=lambda: now[0])
    for _ in range(3):
        buckets.take("somebody")
    with pytest.raises(TooMany):
        buckets.take("somebody")
    buckets.take("somebody else")
    now[0] = 0.5
    buckets.take("somebody")


def test_a_full_queue_of_thoughts_refuses_at_once() -> None:
    async def ask() -> None:
        thinking = Thinking(threads=1, most_waiting=0)
        with pytest.raises(TooMany):
            await thinking.about(lambda: 1)
        thinking.close()

    asyncio.run(ask())


def test_questions_that_wait_for_one_player_are_answered_together() -> None:
    sizes: list[int] = []

    def answer(questions: list[int]) -> list[int | Exception]:
        sizes.append(len(questions))
        return [ValueError("odd") if it % 2 else it for it in questions]

    async def ask() -> list[int | BaseException]:
        thinking, may_go_on = Thinking(threads=1), threading.Event()
        first = asyncio.create_task(thinking.about(may_go_on.wait))
        tasks = [asyncio.create_task(thinking.together("somebody", it, answer)) for it in range(MAX_TOGETHER + 4)]
        await asyncio.sleep(0)  # lets all tasks ask
        may_go_on.set()
        assert await first
        return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(ask())
    assert sizes == [MAX_TOGETHER, 4]
    assert answers[::2] == list(range(0, MAX_TOGETHER + 4, 2))
    assert {type(it) for it in answers[1::2]} == {ValueError}


def test_addresses_take_turns() -> None:
    turns, done = Turns(most=1), []
    for address, number in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("b", 5)]:
        turns.add(address, partial(done.append, number))
    turns.do_some()
    assert done == [1, 4, 2, 5, 3]


def test_an_address_keeps_only_some_threads_busy() -> None:
    turns, done = Turns(most=1), []

    def work_during_which_others_come() -> None:
        turns.add("a", partial(done.append, "a later"))
        turns.add("b", partial(done.append, "b"))
        turns.do_some()  # as another thread would
        done.append("a")

    turns.add("a", work_during_which_others_come)
    turns.do_some()
    assert done == ["b", "a", "a later"]


def test_a_game_that_continued_elsewhere_spoils_no_other(tmp_path: Path) -> None:
    """Changes that wait are kept together; only the one that comes too late is refused."""
    store = Store(f"sqlite:///{tmp_path / 'page.sqlite'}")
    me = store.profile("a" * 32)
    for id in ("here", "elsewhere", "there"):
        store.add_game(id, me.id, "tictactoe", ("person", "random"), [])
    store.keep([Change("elsewhere", 0, 0, (4,), None, False, None)])

    async def keep_all() -> list[BaseException | None]:
        keeper = Keeper(store)
        changes = [Change(id, 0, 0, (0, 1), None, False, None) for id in ("here", "elsewhere", "there")]
        results = await asyncio.gather(*map(keeper.keep, changes), return_exceptions=True)
        keeper.close()
        return results

    results = asyncio.run(keep_all())
    assert [type(it) for it in results] == [type(None), Conflict, type(None)]
    assert [it and it.actions for it in map(store.game, ("here", "elsewhere", "there"))] == [(0, 1), (4,), (0, 1)]


def test_many_play_at_once(tmp_path: Path) -> None:
    app = service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")

    async def play() -> float:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            new = {"game": "tictactoe", "second": "zoo/tictactoe-evolution"}
            room = (await client.post("/api/rooms", json=new)).json()
            while not room["over"]:
                move = {"move": room["legal"][-1]}
                room = (await client.post(f"/api/rooms/{room['id']}/moves", json=move)).json()
            return float(room["result"])

    async def play_at_once() -> list[float]:
        return await asyncio.gather(*(play() for _ in range(12)))

    assert len(asyncio.run(play_at_once())) == 12


@pytest.mark.parametrize("name", ["tictactoe", "othello6", "connect4"])
def test_minds_judge_positions_for_the_side_to_move(name: str, tmp_path: Path) -> None:
    game, rng = games.game(name), np.random.default_rng(0)
    menu = Menu(tmp_path)
    for entry in menu.families(game):
        mind = read_mind(menu.player(game, entry.spec), game, game.start(1), rng)
        legal = game.legal(game.start(1))[0]
        assert legal[mind.action]
        if mind.liking is not None:
            assert mind.liking.max() == pytest.approx(1.0)
            assert (mind.liking[~legal] == 0).all()
        assert mind.value is None or -1 <= mind.value <= 1
