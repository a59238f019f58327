"""Other programs and our own engines: matches against real and misbehaving programs, which leave nothing behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import NamedTuple

import pytest
from programs import AT_A_MOVE, AT_THE_START, command, running

RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")
GAMES = {"gtp": "othello4", "nboard": "othello4", "gomocup": "gomoku9"}
# What a match against a program may take beyond one between our own players, in MB.
MOST_MEMORY = 64


class Run(NamedTuple):
    status: int
    out: str
    err: str
    seconds: float
    memory: float
    """Its peak, in MB, without that of its children."""


def run(folder: Path, *words: object) -> Run:
    """`randori WORDS`, to its end."""
    folder.mkdir(exist_ok=True)
    began = time.monotonic()
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        arguments = [sys.executable, "-m", "randori", *map(str, words), "--workers", "1", "--json"]
        process = subprocess.Popen(arguments, stdout=out, stderr=err)
        guard = Timer(100, process.kill)
        guard.start()
        _, status, usage = os.wait4(process.pid, 0)
        guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        out.seek(0), err.seek(0)
        return Run(process.returncode, out.read(), err.read(), seconds, usage.ru_maxrss / 1024)


def gone(tag: str, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while running(tag) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(tag)


def rogues() -> Iterator[tuple[str, str, str]]:
    for protocol in GAMES:
        yield from ((protocol, "start", what) for what in AT_THE_START)
        yield from ((protocol, "move", what) for what in AT_A_MOVE)


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed: `make rhino`")
@pytest.mark.hard(minutes=5)
def test_another_authors_program_forfeits_nothing_by_our_fault(promise, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    scores = []
    for level in (1, 3):
        engine = f"gtp:command={RHINO} -l {level}"
        result = run(tmp_path, "match", engine, "uct:simulations=200", "--game", "othello8", "--games", 40)
        assert result.status == 0, result.err
        summary = json.loads(result.out)
        assert summary["games"] == 40
        assert summary["forfeits"] == []
        scores.append(f"level {level}: {summary['score']:.2f}")
    promise(
        "Another author's program loses no game that it does not lose on the board.",
        "gtp-rhino of Debian, which refuses forced passes, against `uct:simulations=200` on Othello 8x8, at two levels",
        80,
        f"no forfeit; the program's score at {', at '.join(scores)}",
    )


@pytest.mark.hard(minutes=5)
def test_a_brain_that_drops_commands_forfeits_nothing(promise, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    counts = []
    for lost_restarts, n_games in ((0, 40), (50, 40)):
        brain = f'gomocup:command="{command("drowsy_brain", lost_restarts)}"'
        result = run(tmp_path, "match", brain, "heuristic", "--game", "gomoku15", "--games", n_games)
        assert result.status == 0, result.err
        summary = json.loads(result.out)
        assert summary["forfeits"] == []
        counts.append(summary["games"])
    assert counts == [40, 40]
    promise(
        "A Gomocup brain that drops commands loses no game because of that.",
        "a brain that drops what comes within 20 ms after its move; another one that also loses every 50th RESTART",
        sum(counts),
        "no forfeit",
    )


@pytest.mark.hard(minutes=8)
def test_no_program_takes_memory_or_time_or_stays(promise, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    games = set(GAMES.values())
    plain = [run(tmp_path / it, "match", "random", "random", "--game", it, "--games", 20) for it in games]
    memory, seconds = max(it.memory for it in plain), max(it.seconds for it in plain)

    def tried(protocol: str, when: str, what: str) -> Run:
        folder = tmp_path / f"{protocol}-{when}-{what}"
        # A program that is silent at the start is waited for as usual; the other cases need not take as long.
        options = "" if (when, what) == ("start", "is_silent") else ",start=4,seconds=1"
        engine = f'{protocol}:command="{command("rogue", protocol, when, what, folder)}"{options}'
        result = run(folder, "match", engine, "random", "--game", GAMES[protocol], "--games", 20)
        assert result.status == 1, (folder, result)
        assert result.out == "", (folder, result)
        assert result.err.startswith("randori: '"), (folder, result)
        assert result.err.count("\n") == 1, (folder, result)
        # Three programs are tried where they fail at moves. On a busy machine our own start takes its time.
        assert result.seconds < (20 if when == "start" else 60) + 4 * seconds, (folder, result)
        assert result.memory < memory + MOST_MEMORY, (folder, result)
        assert gone(str(folder)), (folder, result)
        return result

    # Most of them only wait.
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(tried, *zip(*rogues(), strict=True)))
    never_ready = max(it.seconds for it, (_, when, _) in zip(runs, rogues(), strict=True) if when == "start")
    slowest, largest = max(it.seconds for it in runs), max(it.memory for it in runs) - memory
    promise(
        "A program that cannot play ends the match with a sentence and no score, and takes neither memory nor time.",
        "programs that are silent, die, flood either output, print an endless line, garbage or illegal moves, or close "
        "their output, at the start or in the middle of a game, in all three protocols",
        len(runs),
        f"a sentence after {never_ready:.0f} s at most where they never get ready, {slowest:.0f} s where they fail at moves "
        f"of a second; {max(largest, 0):.0f} MB more than a match without programs; no process left",
    )


@pytest.mark.hard(minutes=6)
def test_no_program_outlives_a_match_however_it_ends(promise, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    n = 0
    for how, workers in ((signal.SIGINT, 2), (signal.SIGKILL, 1), (signal.SIGTERM, 1)) * 5:
        tag = f"{tmp_path}-{n}"
        protocol = list(GAMES)[n % 3]
        engine = f'{protocol}:command="{command("rogue", protocol, "always", "clings", tag)}"'
        words = ["tournament", engine, "random", "greedy" if protocol != "gomocup" else "heuristic"]
        words += ["--game", GAMES[protocol], "--games", "100000", "--workers", str(workers)]
        process = subprocess.Popen(
            [sys.executable, "-m", "randori", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            deadline = time.monotonic() + 60
            while len(running(tag)) < 1 + 2 * workers:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            time.sleep(0.1 * (n // 3))  # at another moment each time
            process.send_signal(how)
            process.wait(60)
            assert gone(tag), f"{how.name} left {running(tag)}"
        finally:
            process.kill()
            process.wait()
        n += 1
    promise(
        "No program outlives the match that started it.",
        "Ctrl-C of a tournament with two workers, SIGTERM and SIGKILL of one without, while programs play that ignore "
        "every signal and the end of their input and have a child of their own",
        n,
        "nothing left",
    )


@pytest.mark.hard(minutes=6)
def test_a_cold_engine_answers_at_once_and_answers_everything(promise, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    first = {"gtp": "protocol_version", "nboard": "nboard 2", "gomocup": "START 15"}
    moves = {"gtp": "genmove b\ngenmove w\n", "nboard": "go\n", "gomocup": "BEGIN\n"}
    starts, ends = [], []
    for protocol, question in first.items():
        game = "gomoku15" if protocol == "gomocup" else "othello8"
        engine = ["engine", protocol, "--player", "uct:simulations=3000", "--game", game]
        environment = os.environ | {"RANDORI_CACHE": str(tmp_path / protocol)}
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "randori", *engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{question}\n")
        process.stdin.flush()
        assert process.stdout.readline()
        starts.append(time.monotonic() - began)
        out, err = process.communicate(moves[protocol], timeout=120)
        ends.append(time.monotonic() - began)
        assert err == ""
        assert process.returncode == 0
        answer = {"gtp": "= ", "nboard": "===", "gomocup": ","}[protocol]
        assert out.count(answer) == moves[protocol].count("\n"), out
    assert max(starts) < 10
    promise(
        "Our engines answer at once, even if nothing has been compiled yet, and answer everything they were asked.",
        "engines of all three protocols with an empty cache; the input ends while they compile",
        len(first),
        f"first answer after {max(starts):.1f} s at most, the last move after {max(ends):.0f} s, nothing on stderr",
    )
