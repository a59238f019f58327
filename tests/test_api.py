"""The functions for Python programs: each example runs as it stands, and the command line gives the same results."""

import doctest
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import run

import randori

CALLED = ("load", "match", "player", "register", "review", "solve", "tournament", "train")


def test_every_function_has_an_example() -> None:
    """They run below, in a process of their own: one of them registers a game."""
    for name in CALLED:
        function = getattr(randori, name)
        text = function.__call__.__doc__ if name == "review" else function.__doc__
        assert doctest.DocTestParser().get_examples(text or ""), name


def test_the_examples_run(tmp_path: Path) -> None:
    code = "import doctest, randori.api, randori.review.moves as moves\n"
    code += "print([doctest.testmod(it, verbose=False) for it in (randori.api, moves)])"
    output = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=tmp_path)
    assert output.count("failed=0") == 2, output


def test_a_package_that_can_be_called_is_still_a_package() -> None:
    from randori.review import Review

    assert randori.review.Review is Review
    assert isinstance(randori.review("a1b1", "tictactoe"), Review)
    assert randori.review([0, 1], "tictactoe").actions == (0, 1)


def test_load_takes_options_and_refuses_anything_but_files() -> None:
    assert randori.load("zoo/connect4-som", "exact=2").name == "zoo/connect4-som:exact=2"
    with pytest.raises(randori.UserError, match="no player at"):
        randori.load("heuristic")


def test_a_wrong_setting_gives_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(randori.UserError, match="no_such_setting"):
        randori.train("table", "tictactoe", tmp_path / "run", rounds=1, no_such_setting=3)
    with pytest.raises(randori.UserError, match="Did you mean 'default'"):
        randori.train("table", "tictactoe", tmp_path / "run", preset="defualt")


def test_the_command_and_the_function_train_the_same_player(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings: dict[str, Any] = {"rounds": 2, "evaluate_games": 0, "seed": 3, "games": 10}
    randori.train("table", randori.game("tictactoe"), "by-function", **settings)
    flags = [it for key, value in settings.items() for it in (f"--{key.replace('_', '-')}", value)]
    assert run(capsys, monkeypatch, "train", "table", "--game", "tictactoe", "--out", "by-command", *flags).status == 0
    ours, theirs = (tmp_path / it / "player.safetensors" for it in ("by-function", "by-command"))
    assert ours.read_bytes() == theirs.read_bytes()


def test_the_limit_of_the_solver_is_checked() -> None:
    with pytest.raises(randori.UserError, match="positive number of seconds"):
        randori.solve("", "tictactoe", seconds=0)
    assert randori.solve("", "tictactoe").value == 0
