"""Trainings and tournaments on a server of its own: who may do what over its sockets, and how they end with it."""

import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from serving import Server, serving
from viewing import FROM_ELSEWHERE, View, viewing
from waiting import wait_for

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("page")]

TABLE = {"learner": "table", "game": "tictactoe", "budget": "20m"}


def owner_of(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.address)


def stranger_of(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.address, headers=FROM_ELSEWHERE)


def start(visitor: httpx.Client) -> str:
    """Starts a training and returns where it can be watched, once it has begun."""
    with viewing(visitor, "/learning") as view:
        view.press("train", TABLE)
        path = str(view.until(lambda: view.opened)[0])
    with viewing(visitor, path) as view:
        view.until(lambda: "yours, learning" in view.text)
    return path


def trainers(folder: Path) -> list[int]:
    """The processes that train in a folder (Linux)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        if b"leash" in command and str(folder).encode() in command:
            found.append(int(process.name))
    return found


def until_no_trainer(folder: Path) -> float:
    """Returns the seconds that it took."""
    began = time.monotonic()
    wait_for(lambda: not trainers(folder))
    return time.monotonic() - began


def rounds(view: View) -> int:
    """The number of rounds that the view shows."""
    found = re.search(r": round ([\d,]+), ", view.text)
    return int(found[1].replace(",", "")) if found else 0


def test_others_can_neither_start_nor_stop(tmp_path: Path) -> None:
    with serving(tmp_path) as server, owner_of(server) as owner, stranger_of(server) as stranger:
        path = start(owner)
        with viewing(stranger, "/learning") as view:
            assert "--open-training" in view.text
            assert "somebody else&#x27;s, learning" in view.text
            assert "train" not in view.buttons
        with viewing(stranger, "/ladder?game=tictactoe") as view:
            assert not {"tournament", "stop"} & view.buttons
            view.press("tournament")
            view.press("stop")
        with viewing(stranger, path) as view:
            view.until(lambda: "learning" in view.text)
            assert not {"stop", "continue"} & view.buttons
            view.press("stop")
            view.press("continue")
            for button in ("longer", "rename", "delete", "delete"):
                view.press(button)
            assert stranger.get(f"{path}/run.zip").status_code == 403
            before = view.until(lambda: rounds(view))
            view.until(lambda: rounds(view) > before)
        with viewing(owner, "/ladder?game=tictactoe") as view:
            assert "is being played" not in view.text
            assert "tournament" in view.buttons
        with viewing(owner, "/learning") as view:  # nonsense instead of the choices
            for nonsense in (None, 5, [], {"learner": "table"}, {key: {} for key in TABLE}, "table"):
                view.press("train", nonsense)
            view.until(lambda: "Choose a learner" in view.text or "There is no game" in view.text)
        assert len(trainers(tmp_path)) == 1
        assert len([it for it in (tmp_path / "runs").iterdir() if not it.name.startswith(".")]) == 1
        with viewing(owner, path) as view:
            view.until(lambda: "stop" in view.buttons)
            view.press("stop")
            view.until(lambda: "yours, stopped" in view.text and "continue" in view.buttons)
            assert "stop" not in view.buttons


def test_open_to_all_a_training_belongs_to_its_starter_and_the_owner(tmp_path: Path) -> None:
    with ExitStack() as visit:
        server = visit.enter_context(serving(tmp_path, more=["--open-training"]))
        owner, ann, ben = (visit.enter_context(it(server)) for it in (owner_of, stranger_of, stranger_of))
        path = start(ann)
        with viewing(ben, path) as view:
            view.until(lambda: "somebody else" in view.text)
            view.press("stop")
            before = view.until(lambda: rounds(view))
            view.until(lambda: rounds(view) > before)
        with viewing(owner, path) as view:
            view.until(lambda: "stop" in view.buttons)
            view.press("stop")
            view.until(lambda: "stopped" in view.text)
        assert ann.delete("/api/profile").status_code == 204
        with viewing(ann, path) as view:
            view.until(lambda: "nobody" in view.text)
            assert "continue" not in view.buttons


def test_a_training_ends_with_the_server_and_waits_for_the_next(tmp_path: Path) -> None:
    others = tmp_path / "runs" / "tictactoe-table"  # where `randori train` goes by itself
    command = [sys.executable, "-m", "randori", "train", "table", "--game", "tictactoe", "--budget", "10m"]
    cookies, path, last = httpx.Cookies(), "", 0
    with subprocess.Popen([*command, "--out", str(others), "--workers", "1"], stderr=subprocess.DEVNULL) as theirs:
        try:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                with serving(tmp_path) as server, httpx.Client(base_url=server.address, cookies=cookies) as owner:
                    if path:
                        last = go_on(owner, path, last)
                    else:
                        path, cookies = start(owner), owner.cookies
                    assert len(trainers(tmp_path)) == 1
                    server.process.send_signal(number)
                    server.process.wait(30)
                    until_no_trainer(tmp_path)
            assert theirs.poll() is None
        finally:
            theirs.send_signal(signal.SIGINT)
    assert theirs.returncode == 1, "stopped by us, ready to continue"
    assert (others / "player.safetensors").is_file()
    assert sorted(it.name for it in (tmp_path / "runs").iterdir()) == [
        ".page",
        "tictactoe-table",
        "tictactoe-table-page-1",
    ]


def go_on(owner: httpx.Client, path: str, last: int) -> int:
    """Continues a training that is beyond the round `last`, and returns the round where it was interrupted."""
    with viewing(owner, path) as view:
        view.until(lambda: "yours, interrupted" in view.text)
        reached = rounds(view)
        assert reached > last
        view.press("continue")
        view.until(lambda: rounds(view) > reached and "yours, learning" in view.text)
    return reached


def test_a_tournament_is_played_seen_by_others_and_there_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as server, owner_of(server) as owner:
        with viewing(owner, "/ladder?game=tictactoe") as view:
            view.press("tournament")
            view.until(lambda: "class=cross" in view.text)
            view.until(lambda: "tournament" in view.buttons)
        server.kill()
    with (
        serving(tmp_path) as server,
        stranger_of(server) as stranger,
        viewing(stranger, "/ladder?game=tictactoe") as view,
    ):
        assert "class=cross" in view.text


def test_a_server_that_ends_does_not_wait_for_a_tournament(tmp_path: Path) -> None:
    with serving(tmp_path) as server, owner_of(server) as owner:
        with viewing(owner, "/ladder?game=othello8") as view:
            view.press("tournament")
            view.until(lambda: "is being played" in view.text and "stop" in view.buttons)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(30)
