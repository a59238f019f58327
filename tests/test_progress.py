"""One's own progress: ratings after each game that counted, results by opponent, and games with friends among them."""

from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from test_duels import GUEST, HOST, Club, club  # noqa: F401
from test_rooms import NEARLY_WON, rooms_of

from randori.app.service.server import service


def win(club: Club, second: str = "random", last: str = "a3") -> dict[str, Any]:  # noqa: F811
    """Plays a nearly won game of Tic-Tac-Toe to its end."""
    room = club.do(HOST, "/rooms", {"game": "tictactoe", "second": second, "moves": NEARLY_WON})
    return club.do(HOST, f"/rooms/{room['id']}/moves", {"move": last})


def progress(club: Club, who: str = HOST) -> dict[str, Any]:  # noqa: F811
    return dict(club.ask(who, "GET", "/progress").json())


def test_a_new_person_has_no_progress(club: Club) -> None:  # noqa: F811
    assert progress(club) == {}


def test_ratings_are_kept_after_each_game_that_counted(club: Club) -> None:  # noqa: F811
    ratings = []
    for _ in range(3):
        win(club)
        ratings.append(club.ask(HOST, "GET", "/profile").json()["ratings"]["tictactoe"]["elo"])
    own = progress(club)["tictactoe"]
    assert [it["elo"] for it in own["rated"]] == ratings
    assert [it["at"] for it in own["rated"]] == sorted(it["at"] for it in own["rated"])
    assert all(it["at"].endswith(("Z", "+00:00")) for it in own["rated"])
    assert own["opponents"] == {"Random": {"won": 3, "drawn": 0, "lost": 0}}
    assert progress(club, GUEST) == {}


def test_a_game_with_a_hint_is_in_the_list_but_not_in_the_curve(club: Club) -> None:  # noqa: F811
    room = club.do(HOST, "/rooms", {"game": "tictactoe", "second": "random", "moves": NEARLY_WON})
    club.do(HOST, f"/rooms/{room['id']}/hint")
    club.do(HOST, f"/rooms/{room['id']}/resign")
    own = progress(club)["tictactoe"]
    assert (own["rated"], own["opponents"]) == ([], {"Random": {"won": 0, "drawn": 0, "lost": 1}})


def test_a_game_with_a_friend_is_in_both_lists_from_each_ones_side(club: Club) -> None:  # noqa: F811
    club.ask(HOST, "PUT", "/profile", {"name": "Ann"})
    path, _ = club.begun()
    club.play(path, "a1 b1 a2 b2 a3")
    club.invite()  # which nobody accepts
    assert progress(club)["tictactoe"]["opponents"] == {"A friend": {"won": 1, "drawn": 0, "lost": 0}}
    assert progress(club, GUEST)["tictactoe"]["opponents"] == {"Ann": {"won": 0, "drawn": 0, "lost": 1}}


def test_games_of_two_people_at_one_board_are_not_progress(club: Club) -> None:  # noqa: F811
    win(club, second="person")
    assert progress(club) == {}
    rooms = club.ask(HOST, "GET", "/rooms").json()
    assert [it["result"] for it in rooms] == [1.0]
    assert rooms[0]["begun"] > "2020"


def test_the_curve_outlives_a_restart_and_goes_with_the_profile(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'page.sqlite'}"
    with TestClient(service(tmp_path / "runs", database)) as client:
        win(Club(client))
    with TestClient(service(tmp_path / "runs", database)) as client:
        again = Club(client)
        assert len(progress(again)["tictactoe"]["rated"]) == 1
        assert again.ask(HOST, "DELETE", "/profile").status_code == 204
        assert progress(again) == {}
        with rooms_of(client).store._reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM rated").scalar() == 0


def test_solving_puzzles_alone_is_progress_too(club: Club) -> None:  # noqa: F811
    puzzle = club.ask(HOST, "GET", "/practice/connect4/next").json()
    club.ask(HOST, "POST", f"/practice/connect4/{puzzle['id']}/tries", {"move": None})
    assert progress(club) == {"connect4": {"rated": [], "opponents": {}}}
