"""Other programs that misbehave: little memory, a sentence soon, and nothing left behind."""

import json
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from programs import command, running

import randori
from randori.core.player import PlayerFailed
from randori.players.outside.talk import Talk

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked for in /proc")
RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")
# The memory that a whole match may add, in KB.
MOST_MEMORY = 100_000


def gone(tag: str, seconds: float = 10.0) -> bool:
    """Whether every process with this tag ends within the time."""
    deadline = time.monotonic() + seconds
    while running(tag) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(tag)


def spec(protocol: str, when: str, what: str, tag: object, **options: object) -> str:
    settings = "".join(f",{key}={value}" for key, value in options.items())
    return f'{protocol}:command="{command("rogue", protocol, when, what, tag)}"{settings}'


def assert_fails(protocol: str, when: str, what: str, message: str, tag: str) -> None:
    # On a busy machine even an endless line takes its time to grow too long.
    patience = 10 if what == "prints_one_endless_line" else 1
    soon = {"start": patience, "seconds": 5} if when == "start" else {"start": 30, "seconds": patience}
    game = "gomoku9" if protocol == "gomocup" else "othello4"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    with pytest.raises(PlayerFailed) as error:
        randori.match(spec(protocol, when, what, tag, **soon), "random", game, 20)
    assert time.monotonic() - began < 20
    assert message in str(error.value)
    assert str(error.value).endswith("so there is no score; run the command in a terminal to see what is wrong.")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY
    assert gone(tag)


@pytest.mark.parametrize(
    ("protocol", "what", "message"),
    [
        ("gtp", "is_silent", "gave no answer in time and never got ready"),
        ("gomocup", "dies", "ended (it said: the data file is missing) and never got ready"),
        ("nboard", "prints_one_endless_line", "a line of more than 65,536 characters and never got ready"),
        ("gtp", "prints_garbage", "never got ready"),
        ("gtp", "closes_its_output", "never got ready"),
        ("gtp", "floods_stderr", "never got ready"),
    ],
)
def test_a_program_that_never_gets_ready_ends_the_match(protocol: str, what: str, message: str, tmp_path: Path) -> None:
    assert_fails(protocol, "start", what, message, str(tmp_path))


@pytest.mark.parametrize(
    ("protocol", "what", "message"),
    [
        ("gtp", "dies", "(it said: the data file is missing), which makes 3 failures in"),
        ("gtp", "answers_without_end", "gave no answer in time"),
        ("nboard", "plays_illegally", "played '=== Z9', which is not legal there, which makes 3 failures"),
        ("gomocup", "prints_one_endless_line", "a line of more than 65,536 characters"),
    ],
)
@pytest.mark.thorough
def test_a_program_that_fails_again_and_again_ends_the_match(
    protocol: str, what: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Talk, "GRACE_SECONDS", 0.3)
    assert_fails(protocol, "move", what, message, str(tmp_path))


@pytest.mark.parametrize(("how", "workers"), [(None, 2), (signal.SIGINT, 2), (signal.SIGKILL, 1)])
@pytest.mark.thorough
def test_nothing_that_a_program_starts_outlives_us(how: signal.Signals | None, workers: int, tmp_path: Path) -> None:
    rogue, games = spec("gtp", "always", "clings", tmp_path), 4 if how is None else 100_000
    words = ["match", rogue, "random", "--game", "othello4", "--games", games, "--workers", workers, "--json"]
    run = subprocess.Popen([sys.executable, "-m", "randori", *map(str, words)], stdout=subprocess.PIPE, text=True)
    try:
        if how is not None:
            deadline = time.monotonic() + 60
            # The match itself, and for each worker a program with its child.
            while len(running(str(tmp_path))) < 1 + 2 * workers:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            run.send_signal(how)
        out = run.communicate(timeout=60)[0]
        assert run.returncode == (0 if how is None else 130 if how is signal.SIGINT else -signal.SIGKILL)
        if how is None:
            assert json.loads(out)["forfeits"] == []
        assert gone(str(tmp_path))
    finally:
        run.kill()


def test_a_program_that_never_plays_gives_no_score(tmp_path: Path) -> None:
    words = ["match", spec("gtp", "start", "dies", tmp_path), "random", "--game", "othello4", "--games", "10", "--json"]
    run = subprocess.run([sys.executable, "-m", "randori", *words], capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert run.stdout == ""
    assert "randori: '" in run.stderr
    assert "the data file is missing" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.thorough
def test_a_drowsy_brain_forfeits_nothing() -> None:
    for lost_restarts, n_games in ((0, 10), (4, 2)):
        brain = f'gomocup:command="{command("drowsy_brain", lost_restarts)}"'
        match = randori.match(brain, "heuristic", "gomoku9", n_games)
        assert match.forfeits == ()
        assert match.complete


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed")
def test_an_engine_that_refuses_passes_forfeits_nothing() -> None:
    match = randori.match(f"gtp:command={RHINO} -l 1", "random", "othello8", 12)
    assert match.forfeits == ()
    assert match.games is not None
    game = match.duel.game
    assert (match.games.actions == game.pass_action).any()
    assert match.score.mean > 0.5
