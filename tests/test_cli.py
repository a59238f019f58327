"""The command line as a user types it: output, JSON, errors, exit status."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from processes import cpu_seconds, members, needs_proc, signalled, start, wait_until

import randori
from randori import games, interrupts, methods
from randori.app.cli import COMMANDS, main


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "randori", *arguments], capture_output=True, text=True, timeout=300)


def run_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str, str]:
    """The same within this process, where nothing needs to be loaded again."""
    monkeypatch.setattr(sys, "argv", ["randori", *arguments])
    status = 0
    try:
        main()
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda *arguments: run_here(capsys, monkeypatch, *arguments)


def test_the_program_runs_and_lists_its_commands() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert all(name in result.stdout for name in COMMANDS)
    assert run().returncode == 2
    assert run("--version").stdout.startswith("randori ")


def test_help_of_every_command(cli: Any) -> None:
    for name in COMMANDS:
        status, out, _ = cli(name, "--help")
        assert status == 0, name
        assert f"randori {name}" in out
        assert "--plugin FILE.py" in out


def test_help_never_says_the_reverse_of_what_a_flag_does(cli: Any) -> None:
    """A flag that switches something off says so, or stands beside the one that switches it on."""
    for words in [[name] for name in COMMANDS] + [["train", name] for name in methods.all_methods()]:
        out = cli(*words, "--help")[1]
        for flag in re.findall(r"(?<!, )--no-[a-z-]+", out):
            assert re.search(rf"{flag}\s+Do not ", out), (words, flag)
    assert re.search(r"--no-browser\s+Do not open the browser; only print the address\.", cli("play", "--help")[1])
    assert "--slopes, --no-slopes" in cli("train", "som", "--help")[1]


def test_listing(cli: Any) -> None:
    games = json.loads(cli("games", "--json")[1])["games"]
    assert {"name": "othello8", "title": "Othello 8x8", "shape": [8, 8], "n_actions": 65, "max_plies": 120} in games
    specs = [it["spec"] for it in json.loads(cli("players", "--json")[1])["players"]]
    assert "random" in specs
    assert "othello8" in cli("games")[1]
    assert "heuristic" in cli("players")[1]


@pytest.mark.parametrize("words", [["games"], ["--help"], ["--version"]])
def test_lists_do_not_wait_for_the_compiler(words: list[str]) -> None:
    code = f"import sys; sys.argv = {['randori', *words]}; from randori.app.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    imported = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()[-1].split()
    assert "randori.app.cli" in imported
    assert not {"nicegui", "numba", "numpy", "onnxruntime", "pydantic", "sqlalchemy", "torch"} & {*imported}


def test_the_list_of_games_agrees_with_the_games() -> None:
    """The file that makes listing quick agrees with the games."""
    assert games.listed() == [games.facts(games.game(name)) for name in games.names()]


def test_every_public_name_exists() -> None:
    for name in randori.__all__:
        assert name.isupper() or getattr(randori, name).__name__.rpartition(".")[2] == name
    assert set(randori.__all__) <= set(dir(randori))
    assert randori.games is games
    with pytest.raises(AttributeError, match="no_such_name"):
        randori.no_such_name  # noqa: B018


def test_players_of_methods_are_known_without_importing_the_methods() -> None:
    code = "from randori.games import game; from randori.players import player; "
    code += "print(player('zoo/tictactoe-som', game('tictactoe')).name)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "zoo/tictactoe-som\n"


def test_match_as_json_prints_one_object_and_nothing_else(cli: Any) -> None:
    status, out, _ = cli("match", "greedy", "random", "--game", "connect4", "--games", "60", "--seed", "5", "--json")
    assert status == 0
    result = json.loads(out)
    assert {
        "game",
        "first",
        "second",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "interval",
        "distinct_games",
        "began",
    } <= set(result)
    assert result["wins"] + result["draws"] + result["losses"] == result["games"] == 60
    assert sum(result["began"].values()) == 60
    assert result["interval"][0] < result["score"] < result["interval"][1]
    assert result["score"] == pytest.approx((result["wins"] + result["draws"] / 2) / 60, abs=1e-4)


def test_tournament_tables_and_page(cli: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    status, out, _ = cli(
        "tournament", "random", "heuristic", "--game", "tictactoe", "--games", "40", "--html", str(page)
    )
    assert status == 0
    assert "heuristic" in out
    assert "95% interval" in out
    assert "<h1>Tic-Tac-Toe</h1>" in page.read_text()


def test_check_game(cli: Any) -> None:
    status, out, _ = cli("check-game", "connect4", "--games", "20", "--json")
    assert status == 0
    assert json.loads(out)["broken"] == {}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gmaes"], "There is no command 'gmaes'. Did you mean 'games'?"),
        (["match", "random", "radnom", "--game", "othello8"], "There is no player 'radnom'. Did you mean 'random'?"),
        (["match", "random", "random", "--game", "othelo8"], "There is no game 'othelo8'. Did you mean 'othello8'?"),
        (["match", "random", "random", "--game", "othello7"], "There is no game 'othello7'."),
        (["games", "--plugin", "nowhere.py"], "There is no plugin 'nowhere.py'; give the path of a Python file."),
        (["match", "random", "random", "--game", "hex"], "Write the game 'hex' as hex5 or hex7 or hex9 or hex11."),
        (
            ["match", "random", "random", "--game", "connect4", "--games", "0"],
            "A match needs at least one game, not 0.",
        ),
        (
            ["match", "random", "random", "--game", "connect4", "--games", "-1"],
            "A match needs at least one game, not -1.",
        ),
        (
            ["match", "random", "random", "--game", "connect4", "--openings", "99"],
            "An opening of Connect Four has 0 to 41",
        ),
        (
            ["match", "random", "random", "--game", "connect4", "--workers", "0"],
            "The number of workers must be 1 or more",
        ),
        (["tournament", "random", "--game", "connect4"], "A tournament needs at least two players."),
        (["tournament", "random", "random", "--game", "connect4"], "'random' is in the tournament twice"),
        (["check-game", "chess"], "There is no game 'chess'. There are: tictactoe"),
        (["bench", "--only", "nothing"], "No row begins with 'nothing'"),
    ],
)
def test_bad_use_gives_one_sentence(cli: Any, arguments: list[str], sentence: str) -> None:
    status, out, err = cli(*arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("randori: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_an_ill_typed_or_missing_flag_is_bad_use(cli: Any) -> None:
    assert cli("match", "random", "random", "--game", "connect4", "--games", "many")[0] == 2
    assert cli("match", "random", "random")[0] == 2
    assert cli("games", "--jsno")[0] == 2


def test_a_page_that_cannot_be_written_is_noticed_before_playing(cli: Any) -> None:
    status, out, err = cli("tournament", "random", "greedy", "--game", "connect4", "--html", "/nowhere/at/all.html")
    assert (status, out) == (2, "")
    assert "choose another" in err


@needs_proc
@pytest.mark.thorough
def test_ctrl_c_shows_what_was_played() -> None:
    run("match", "random", "greedy", "--game", "tictactoe", "--games", "2")  # compiles what is needed
    process = start(*["tournament", "random", "greedy", "--game", "tictactoe", "--games", "20000000", "--workers", "2"])
    assert wait_until(lambda: len(members(process.pid)) == 3, 60)  # it and its workers
    # A worker that has computed for so long has finished some of its tasks.
    assert wait_until(lambda: all(cpu_seconds(it) > 3 for it in members(process.pid) if it != process.pid), 120)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "randori: Interrupted; the figures cover the games that had ended.\n"
    assert "greedy" in out
    assert not members(process.pid)


@needs_proc
@pytest.mark.thorough
@pytest.mark.parametrize("seconds", [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7])
def test_ctrl_c_at_any_moment_gives_no_traceback(seconds: float, tmp_path: Path) -> None:
    """While it starts, imports, compiles into an empty cache, starts workers."""
    words = ["match", "random", "heuristic", "--game", "othello6", "--games", "1000000", "--workers", "2"]
    ended = signalled(seconds, signal.SIGINT, *words, RANDORI_CACHE=str(tmp_path))
    if not ended.before_our_first_line:
        assert ended.was_interrupted_quietly, ended
        assert ended.err.count("\n") <= 2  # one line before may say what is being compiled


@needs_proc
def test_a_second_ctrl_c_ends_it_at_once() -> None:
    code = """
import sys
sys.argv = ["/bin/randori"]
import randori, signal, time
from randori import interrupts
try:
    with interrupts.raised():
        print("runs", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("slow to end", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as it:
        assert it.stdout is not None
        for line in ("runs", "slow to end"):
            assert it.stdout.readline() == f"{line}\n"
            it.send_signal(signal.SIGINT)
        assert it.communicate(timeout=30) == ("", "")
    assert it.returncode == -signal.SIGINT


def test_an_interrupt_that_a_library_hides_is_still_raised() -> None:
    def hide() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts.raised():
        hide()
    assert signal.getsignal(signal.SIGINT) == before
    with pytest.raises(ValueError, match="other"), interrupts.raised():
        raise ValueError("other")


def test_programs_that_use_the_package_keep_their_ctrl_c() -> None:
    code = "import signal, randori; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("words", ["players", "games", "match --help", "--help"])
def test_a_closed_pipe_gives_no_traceback(words: str) -> None:
    command = f"{sys.executable} -m randori {words} | true"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, env=os.environ)
    assert result.stderr == ""
