"""Every command, with everything that Windows lacks hidden from our modules, and stand-ins for what it has instead.

`as_windows/sitecustomize.py` does that in each process, workers and engines included; text is ASCII by default. Ray is
left out. What only Windows itself can show, its own workflow does.
"""

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from processes import members, needs_proc, wait_until

import randori
from randori.app.cli import COMMANDS

HERE = Path(__file__).parent
PATHS = [HERE / "as_windows", Path(randori.__file__).parents[1]]
ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join(map(str, PATHS)),
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the stand-ins are made for Linux")

ENGINE = f'gtp:command="{sys.executable} -m randori engine gtp --player greedy --game connect4"'
QUICK = (
    "games",
    "players --game tictactoe",
    "match random greedy --game tictactoe --games 20 --workers 2",
    "train table --game tictactoe --rounds 2 --workers 2 --evaluate-games 2 --out run",
    "solve --game tictactoe",
)
THOROUGH = (
    "league --games tictactoe --methods table --budget 1s --seeds 1 --most-games 20 --milliseconds 1 --workers 2 --out league",
    "tournament random greedy heuristic --game connect4 --games 4 --workers 2",
    "review a1b2c3 --game tictactoe",
    "accuracy greedy --game tictactoe --positions 10",
    "companion --game tictactoe --persons 1 --only random --workers 2 --out companion",
    "pupil --game tictactoe --pupils 1 --teachers random --workers 2",
    "train som --game othello6 --rounds 1 --evaluate-games 0 --out som",
    "train evolution --game tictactoe --rounds 1 --evaluate-games 0 --workers 2 --out evolution",
    "train ntuple --game tictactoe --rounds 1 --evaluate-games 0 --workers 2 --out ntuple",
    "inspect zoo/connect4-som",
    "card zoo/tictactoe-som --games 1 --workers 2",
    "export zoo/connect4-alphazero --onnx network.onnx",
    "map zoo/connect4-som --out map.svg",
    "report run --out report",
    "convert games.txt again.txt --game connect4",
    "check-game tictactoe --games 5",
    "prepare tictactoe --gently",
    "bench --only playouts/tictactoe",
    "reproduce handa --help",
    "completion fish",
)
ELSEWHERE = {"play", "engine"}
"""Commands with tests of their own below."""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "randori", *words]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, encoding="utf-8", timeout=300)


def check(folder: Path, *words: str) -> str:
    result = run(folder, *words)
    assert result.returncode == 0, (words, result.stderr)
    assert "Traceback" not in result.stderr, (words, result.stderr)
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("as windows")
    (path / "run").mkdir()  # empty, as a user may have made it
    (path / "games.txt").write_text("4434\n44\n")
    return path


def script(source: str, *words: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", source, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )


def test_our_modules_see_what_windows_has(folder: Path) -> None:
    process = script(
        "from randori import systems as it; print(it.sys.platform, hasattr(it.os, 'killpg'))", folder=folder
    )
    assert process.communicate() == ("win32 False\n", "")
    process = script("__package__ = 'randori'; import fcntl", folder=folder)
    assert "No module named 'fcntl' on Windows" in process.communicate()[1]
    assert sys.platform == "linux"


def test_every_command_is_tried() -> None:
    assert {it.split()[0] for it in (*QUICK, *THOROUGH)} | ELSEWHERE == {*COMMANDS}


@pytest.mark.parametrize("command", QUICK)
def test_everyday_commands(command: str, folder: Path) -> None:
    check(folder, *command.split())


@pytest.mark.thorough
@pytest.mark.parametrize("command", THOROUGH)
def test_all_other_commands(command: str, folder: Path) -> None:
    if "report" in command:
        check(folder, *QUICK[3].split())
    check(folder, *command.split())


@pytest.mark.thorough
def test_another_program_plays(folder: Path) -> None:
    assert "2 games" in check(folder, "match", ENGINE, "random", "--game", "connect4", "--games", "2", "--workers", "1")


@pytest.mark.thorough
def test_an_engine_answers(folder: Path) -> None:
    words = [sys.executable, "-m", "randori", "engine", "gtp", "--player", "greedy", "--game", "connect4"]
    requests = "name\ngenmove b\nquit\n"
    result = subprocess.run(
        words, input=requests, env=ENVIRONMENT, cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert result.stdout.count("=") == 3, result.stderr


@pytest.mark.thorough
def test_the_page_answers_and_a_second_server_is_refused_its_database(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "randori",
        "play",
        "--no-browser",
        "--port",
        "8700",
        "--runs",
        str(tmp_path / "runs"),
    ]
    environment = ENVIRONMENT | {"RANDORI_DB": f"sqlite:///{tmp_path / 'page.sqlite'}"}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = None
            while found is None:
                line = server.stdout.readline()
                assert line, "it has ended"
                found = re.search(r"http://\S+/", line)
            with urllib.request.urlopen(found[0], timeout=30) as answer:
                assert answer.status == 200
            with urllib.request.urlopen(f"{found[0]}papers", timeout=30) as answer:
                assert "Kamei" in answer.read().decode()
            second = subprocess.run(words, env=environment, capture_output=True, encoding="utf-8", timeout=60)
            assert second.returncode == 2
            assert f"in use by another server (process {server.pid})" in second.stderr
        finally:
            server.kill()


TRAIN = """
import sys
from randori.app.service import leash
from randori.systems import is_locked
from pathlib import Path

run = Path(sys.argv[1])
words = ["train", "table", "--game", "tictactoe", "--rounds", "100000000", "--evaluate-games", "0", "--out", str(run)]
child = leash.start(words, 2)
while not (run / "player.safetensors").exists() and not (run / "snapshots").exists():
    pass
print(is_locked(run), flush=True)
if sys.stdin.readline() == "stop\\n":
    leash.interrupt(child)
    print(child.wait(), is_locked(run), flush=True)
"""


@needs_proc
@pytest.mark.parametrize("how", ["stopped", "left alone"])
def test_a_training_can_be_stopped_and_ends_with_its_server(how: str, tmp_path: Path) -> None:
    server = script(TRAIN, str(tmp_path / "run"), folder=tmp_path)
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stdout.readline() == "True\n"
    if how == "stopped":
        output, errors = server.communicate("stop\n", timeout=30)
        assert output == "1 False\n"
        assert "Stopped" in errors
    else:
        server.kill()
        server.communicate()
    assert wait_until(lambda: not members(server.pid))


MAP = """
import time
from randori.workers import Workers

def task(seconds):
    print("begun", flush=True)
    time.sleep(seconds)
    return seconds

with Workers(2) as workers:
    print(workers.map(task, [(0,), (0.1,)]), flush=True)
    workers.map(task, [(60,), (60,)])
"""


@needs_proc
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    parent = script(MAP, folder=tmp_path)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "[0, 0.1]\n"
    assert len(members(parent.pid)) == 3
    parent.kill()
    parent.communicate()
    assert wait_until(lambda: not members(parent.pid))


REPLACED = """
import sys
from pathlib import Path
from randori import systems

path, part = Path(sys.argv[1]) / "whole", Path(sys.argv[1]) / "part"
part.write_text("new")
real, calls = Path.replace, []

def replace(self, target):
    calls.append(target)
    if len(calls) < 4:
        raise PermissionError(13, "somebody reads it")
    return real(self, target)

Path.replace = replace
systems.replace_file(part, path)
print(len(calls), path.read_text())
"""


def test_a_file_that_is_being_read_is_replaced_a_moment_later(tmp_path: Path) -> None:
    assert script(REPLACED, str(tmp_path), folder=tmp_path).communicate() == ("4 new\n", "")
