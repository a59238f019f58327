"""Damaged files: a small sample of `tests/hard/test_hard_files.py`, and other things where a file should be."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import damage
import numpy as np
import pytest
from commands import run

import randori
from randori.app.service.menu import Menu
from randori.app.service.refusals import Unknown
from randori.app.service.trainings import Trainings
from randori.errors import UserError
from randori.experiments import ladder
from randori.experiments.checkpoint import Checkpoints
from randori.experiments.metrics import read_metrics
from randori.experiments.recipe import read_recipe
from randori.experiments.report import league
from randori.formats import parse_ggf, parse_sgf, read_records
from randori.methods.comparison.transcripts import read_record
from randori.players import player
from randori.players.companion import dial
from randori.players.files import PLAYER_FILE, ZOO, find_file, load_player, read_card
from randori.reading import DamagedFile, read_json
from randori.tensorfile import read_array, write_array

TICTACTOE, OTHELLO = randori.game("tictactoe"), randori.game("othello8")


@pytest.mark.thorough
@pytest.mark.parametrize(("family", "n"), [("players", 250), ("records", 100), ("runs", 10)])
def test_a_sample_of_damaged_files_gives_sentences_or_works(family: str, n: int) -> None:
    messages: list[str] = []
    result = damage.here(family, 10_000, n, messages.append)
    assert not [it for it in messages if it.startswith("failed")]
    assert 0 < result["refused"] < n


READERS: dict[str, Callable[[Path], Any]] = {
    "player.safetensors": lambda path: load_player(path, TICTACTOE),
    "found.safetensors": lambda path: find_file(str(path)) and read_card(path),
    "games.sgf": lambda path: read_records(path, OTHELLO),
    "games.ggf": lambda path: read_records(path, OTHELLO),
    "games.txt": lambda path: read_records(path, OTHELLO) or read_record(OTHELLO, path),
    "games.wtb": lambda path: read_records(path, OTHELLO),
    "recipe.json": read_recipe,
    "plain.json": read_json,
    "metrics.jsonl": lambda path: read_metrics(path) or pytest.fail("no sentence"),
    "measured.npy": read_array,
}


def nothing(path: Path) -> None:
    path.touch()


def forbidden(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    path.touch(mode=0)


def loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("put", [nothing, forbidden, Path.mkdir, os.mkfifo, loop])
def test_anything_else_where_a_file_should_be_gives_a_sentence(
    tmp_path: Path, name: str, put: Callable[[Path], None]
) -> None:
    if name == "metrics.jsonl" and put in (nothing, loop):
        pytest.skip("a run without rows")
    if name in ("games.txt", "games.sgf", "games.ggf") and put is nothing:
        pytest.skip("a file without games")
    put(tmp_path / name)
    with pytest.raises(UserError, match=name):
        READERS[name](tmp_path / name)


def test_checkpoints_that_are_not_files_are_set_aside(tmp_path: Path) -> None:
    store, messages = Checkpoints(tmp_path), list[str]()
    store.write(1, {"round": 1})
    os.mkfifo(tmp_path / "00000003-00.safetensors")
    (tmp_path / "00000002-00.safetensors").mkdir()
    assert store.latest(messages.append) == {"round": 1}
    assert len(messages) == 2
    assert {it.suffix for it in tmp_path.iterdir()} == {".safetensors", ".damaged"}


HUGE = ("9223372036854775807", "9223372036854775808", "1" + "0" * 30, "-1", "1" + "0" * 5000, "nan", "inf", "-inf", "²")


@pytest.mark.parametrize("value", HUGE)
@pytest.mark.parametrize(
    "spec",
    [
        "lookahead:depth=",
        "lookahead:exact=",
        "uct:simulations=",
        "uct:c=",
        "zoo/othello8-evolution:depth=",
        "zoo/othello8-evolution:exact=",
        "zoo/othello8-som:depth=",
        "zoo/othello8-som:exact=",
        "zoo/othello8-som:turns=",
        "zoo/othello8-deep-q:depth=",
        "zoo/othello8-alphazero:simulations=",
        "zoo/othello8-alphazero:exact=",
        "zoo/othello8-alphazero:threats=",
        "companion:rating=",
        "gtp:command=x,seconds=",
    ],
)
def test_numbers_that_no_player_can_use_are_refused(spec: str, value: str) -> None:
    if spec == "uct:c=" and value[0] in "19":
        pytest.skip("a large factor is allowed")
    with pytest.raises(UserError):
        player(f"{spec}{value}", OTHELLO)


@pytest.mark.parametrize("value", ["9223372036854775807", "9223372036854775808", "-1", "nan"])
@pytest.mark.parametrize("option", ["threats", "temperature"])
def test_threats_and_temperatures_have_bounds(option: str, value: str) -> None:
    if option == "temperature" and value[0] == "9":
        pytest.skip("a high temperature is allowed")
    with pytest.raises(UserError):
        player(f"zoo/gomoku9-comparison:{option}={value}", randori.game("gomoku9"))


@pytest.mark.parametrize("word", ["(", "(;", "(;(", "A[", "A", "(;B[", ";", "; ", "B[f5]", "(;GM[Othello]"])
def test_records_take_no_longer_than_their_length(word: str) -> None:
    text = "(;" + word * (300_000 // len(word))
    began = time.process_time()
    for parse in (parse_ggf, parse_sgf):
        with pytest.raises(UserError):
            parse(OTHELLO, text)
    assert time.process_time() - began < 10, "quadratic time would be hours"


def test_an_endless_game_is_refused() -> None:
    for parse, text in ((parse_sgf, "(;GM[2]" + ";B[]" * 10**4 + ")"), (parse_ggf, "(;" + "B[PA]" * 10**4 + ";)")):
        with pytest.raises(UserError, match="more moves"):
            parse(OTHELLO, text)


def test_stored_measurements_can_be_read_or_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "measured.npy"
    write_array(path, np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(read_array(path), np.arange(6.0).reshape(2, 3))
    whole = path.read_bytes()
    for changed in (
        whole[:-1],
        whole[:20],
        whole.replace(b"(2, 3)", b"(2, x)"),
        whole.replace(b"(2, 3), }  ", b"(2, 3000000000000), }"),
    ):
        path.write_bytes(changed)
        with pytest.raises(DamagedFile, match="remove it"):
            read_array(path)


@pytest.fixture
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A zoo with a whole player, one whose card is damaged and one whose arrays are."""
    folder = tmp_path / "zoo"
    folder.mkdir()
    # The file's own name comes last: a module that is imported here for the first time must not keep this zoo.
    for place in ("randori.app.commands.players.ZOO", "randori.app.service.menu.ZOO", "randori.players.files.ZOO"):
        monkeypatch.setattr(place, folder)
    data = (ZOO / "tictactoe-evolution.safetensors").read_bytes()
    (folder / "tictactoe-evolution.safetensors").write_bytes(data)
    (folder / "tictactoe-card.safetensors").write_bytes(
        data.replace(b'"format_version":"1"', '"format_version":"²"'.encode()[:20])
    )
    (folder / "tictactoe-nan.safetensors").write_bytes(data[:-8] + np.array([np.nan]).tobytes())
    return folder


def test_a_damaged_player_is_left_out_and_the_others_are_listed(
    zoo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(capsys, monkeypatch, "players", "--json")
    assert result.status == 0
    assert "zoo/tictactoe-evolution" in result.out
    assert "zoo/tictactoe-card is left out" in result.err
    menu = Menu(zoo.parent / "runs")
    entries = menu.entries(TICTACTOE)
    assert "zoo/tictactoe-evolution" in entries
    assert "zoo/tictactoe-card" not in entries
    with pytest.raises(Unknown, match="damaged"):
        menu.player(TICTACTOE, "zoo/tictactoe-nan")
    assert "zoo/tictactoe-nan" not in menu.entries(TICTACTOE), "it is not offered again"
    assert menu.player(TICTACTOE, "zoo/tictactoe-evolution") is not None


def test_a_damaged_run_does_not_affect_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("whole", "torn", "odd", "unnamed"):
        shutil.copytree(damage.run_folder(), tmp_path / name)
    (tmp_path / "torn" / "recipe.json").write_text("{")
    (tmp_path / "unnamed" / "recipe.json").write_text("{}")
    with (tmp_path / "odd" / "metrics.jsonl").open("a") as file:
        file.write('{"round": 9}\n')
    (tmp_path / "bytes\udcff").mkdir()
    trainings = Trainings(tmp_path)
    assert set(trainings.names()) == {"whole", "torn", "odd", "unnamed"}
    assert trainings.run("whole").complaint == ""
    assert "(5)" in trainings.run("odd").complaint
    assert str(tmp_path) not in trainings.run("odd").complaint, "visitors need not know where it is"
    for name in ("torn", "unnamed"):
        with pytest.raises(Unknown, match=f"'{name}' is damaged") as error:
            trainings.run(name)
        assert str(tmp_path) not in str(error.value)
    report = league([tmp_path / it for it in ("whole", "torn", "odd")], "")
    assert len(report.tables[0].figures) == 2
    assert "torn' is left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "{", '{"tictactoe": 7}', '{"tictactoe": {"ratings": []}}', '{"tictactoe": {"ratings": [{}]}}']
)
def test_a_damaged_ladder_leaves_the_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    file = tmp_path / "ladder.json"
    file.write_text(text)
    monkeypatch.setattr(ladder, "LADDER_FILE", file)
    with pytest.raises(UserError, match=r"ladder\.json"):
        ladder.rungs(TICTACTOE)
    assert "random" in Menu(tmp_path).entries(TICTACTOE)


@pytest.mark.parametrize("text", ["", "{", '{"tictactoe": 7}', '{"tictactoe": {"settings": [], "losses": []}}'])
def test_a_damaged_dial_is_replaced_by_the_assumed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "dial.json").write_text(text)
    monkeypatch.setattr(sys.modules["randori.players.companion.dial"], "DIAL_FILE", tmp_path / "dial.json")
    dial.cache_clear()
    try:
        assert not dial(TICTACTOE).measured
        assert "dial.json" in capsys.readouterr().err
    finally:
        dial.cache_clear()


def test_a_player_file_needs_its_name(tmp_path: Path) -> None:
    (tmp_path / PLAYER_FILE).symlink_to(tmp_path / "gone")
    with pytest.raises(UserError, match="no file"):
        find_file(str(tmp_path))
