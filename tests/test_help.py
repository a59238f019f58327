"""Help in 80 columns: what it contains, and what it never does."""

import re
from typing import Any

import pytest
from commands import run

from randori import games, methods
from randori.app.cli import COMMANDS
from randori.app.parsing import wrapped
from randori.formats import SUFFIXES

ALL = [[], *([name] for name in COMMANDS), *(["train", name] for name in methods.all_methods())]


@pytest.fixture
def helped(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *words: run(capsys, monkeypatch, *words, "--help").out


def test_no_line_is_longer_than_the_terminal_is_wide(helped: Any) -> None:
    for words in ALL:
        assert [it for it in helped(*words).splitlines() if len(it) > 80] == [], words


def test_help_shows_nothing_of_python(helped: Any) -> None:
    for words in ALL:
        out = helped(*words)
        assert not re.search(r"\bNone\b|\bSTR\b|\(default: \)", out), words
        assert "95 %" not in out
        assert not re.search(r"(?<![\w.])\.\d", out), words  # 0.25, not .25


def test_switches_that_are_off_do_not_say_so(helped: Any) -> None:
    out = helped("play")
    assert re.search(r"--terminal +A text board here instead of the page\.[ │]*\n", out)


def test_names_are_listed_where_one_is_needed(helped: Any) -> None:
    commands = [
        "players",
        "play",
        "match",
        "tournament",
        "solve",
        "review",
        "accuracy",
        "engine",
        "check-game",
        "prepare",
    ]
    for words in [[it] for it in commands] + [["train", "table"]]:
        out = helped(*words)
        assert all(re.search(rf"\b{name}\b", out) for name in games.names()), words
    assert all(name in helped("train") for name in methods.all_methods())
    assert all(suffix in helped("review") for suffix in SUFFIXES)


def test_a_list_is_continued_below_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert wrapped("About it.\n  name  some words that are many") == (
        "About it.\n  name  some words that are\n        many"
    )


def test_bad_use_names_what_was_meant(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(capsys, monkeypatch, "match", "random", "greedy", "--game", "tictactoe", "--gmaes", "3")
    assert result.status == 2
    assert "--games" in result.out + result.err
    assert "Did you mean 'table'?" in run(capsys, monkeypatch, "train", "tabel", "--game", "tictactoe").err


def test_inspect_is_short_unless_asked_for_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = run(capsys, monkeypatch, "inspect", "zoo/othello8-evolution")
    assert short.status == 0
    assert len(short.out.splitlines()) < 10
    assert "randori train evolution --game othello8" in short.out
    whole = run(capsys, monkeypatch, "inspect", "zoo/othello8-evolution", "--all")
    assert "standard_games" in whole.out
    assert "standard_games" not in short.out
