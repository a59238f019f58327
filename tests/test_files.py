"""Player files: a player is read as it was written, and anything else is refused in a sentence."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import randori
from randori import tensorfile
from randori.core.symmetry import canonical_keys
from randori.errors import UserError
from randori.methods.table.player import Table
from randori.players import files
from randori.players.files import (
    copy_player,
    find_file,
    load_player,
    names_file,
    player_from_file,
    read_card,
    save_player,
)

GAME = randori.game("tictactoe")
RATING = {"elo": 12.5, "low": -3.0, "high": 20, "games": 40}


def table() -> Table:
    first = GAME.children(GAME.start(1)).states
    keys, rows = np.unique(canonical_keys(GAME, first), return_index=True)
    return Table(GAME, keys, np.linspace(-0.5, 0.5, len(rows)))


def saved(path: Path, **changes: Any) -> Path:
    facts = {"learner": "table", "config": {"games": 5}, "training": {"seed": 1, "games": 10}, "rating": None} | changes
    save_player(path, table(), GAME, **facts)
    return path


def test_a_player_is_loaded_from_its_file(tmp_path: Path) -> None:
    path = saved(tmp_path / "player.safetensors", rating=RATING)
    again = load_player(path, GAME)
    assert isinstance(again, Table)
    np.testing.assert_array_equal(again.keys, table().keys)
    np.testing.assert_array_equal(again.values, table().values)
    card = read_card(path)
    assert (card.game, card.player, card.learner) == ("tictactoe", "table", "table")
    assert card.config == {"games": 5}
    assert card.training == {"seed": 1, "games": 10}
    assert card.rating == RATING


def test_the_same_player_has_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    """The library itself writes metadata in an order that changes from process to process."""
    path = saved(tmp_path / "here.safetensors")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from test_files import Path, saved; saved(Path(sys.argv[2]))"
    for name in ("one", "two"):
        other = tmp_path / name
        subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent), str(other)], check=True)
        assert other.read_bytes() == path.read_bytes()


def test_other_programs_can_read_the_file(tmp_path: Path) -> None:
    """By the format's specification: a length, a JSON header, the data in order."""
    data = saved(tmp_path / "player.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert header["__metadata__"]["format_version"] == "1"
    assert json.loads(header["__metadata__"]["config"]) == {"games": 5}
    begin, end = header["values"]["data_offsets"]
    assert length % 8 == 0
    np.testing.assert_array_equal(np.frombuffer(data[8 + length :][begin:end], "<f8"), table().values)


def test_a_copy_may_contain_more(tmp_path: Path) -> None:
    path = saved(tmp_path / "player.safetensors")
    copy_player(path, tmp_path / "copy.safetensors", training={"seconds": 3.5}, rating=RATING | {"elo": 7.0})
    card = read_card(tmp_path / "copy.safetensors")
    assert card.training == {"seed": 1, "games": 10, "seconds": 3.5}
    assert card.rating == RATING | {"elo": 7.0}
    assert load_player(tmp_path / "copy.safetensors", GAME).name == str(tmp_path / "copy.safetensors")


def test_the_name_of_a_player_from_a_file_is_its_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    saved(tmp_path / "runs" / "mine" / "player.safetensors")
    monkeypatch.chdir(tmp_path)
    assert player_from_file("runs/mine", GAME).name == "runs/mine"
    assert player_from_file("runs/mine/player.safetensors", GAME).name == "runs/mine/player.safetensors"


@pytest.mark.parametrize(
    "spec",
    [
        "runs/x",
        "runs/x:simulations=3",
        "zoo/connect4-som",
        "a.safetensors",
        "./a",
        "C:\\zoo\\a",
        "a.safetensors:depth=2",
    ],
)
def test_specs_that_name_files(spec: str) -> None:
    assert names_file(spec)


@pytest.mark.parametrize("spec", ["random", "uct:simulations=10", "lookahead:depth=3"])
def test_specs_that_name_kinds(spec: str) -> None:
    assert not names_file(spec)


def rewritten(change: Callable[[dict[str, str], dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    def apply(data: bytes) -> bytes:
        arrays, metadata = tensorfile.unpack(data)
        change(metadata, arrays)
        return tensorfile.pack(arrays, metadata)

    return apply


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-1], "damaged"),
        (lambda data: data[:100], "damaged"),
        (lambda data: data[:4], "damaged"),
        (lambda data: b"", "damaged"),
        (lambda data: b"\xff" * 200, "damaged"),
        (lambda data: data[:8] + b"[" + data[9:], "damaged"),
        (lambda data: b"PK\x03\x04 a pickle in disguise", "damaged"),
        (rewritten(lambda metadata, arrays: metadata.clear()), "not a player file"),
        (rewritten(lambda metadata, arrays: metadata.update(format_version="2")), "newer format"),
        (rewritten(lambda metadata, arrays: metadata.update(format_version="old")), "not a player file"),
        (rewritten(lambda metadata, arrays: metadata.update(game="othello8")), "plays othello8, not tictactoe"),
        (rewritten(lambda metadata, arrays: metadata.update(player="oracle")), "'oracle'"),
        (rewritten(lambda metadata, arrays: metadata.update(config="{")), "card"),
        (rewritten(lambda metadata, arrays: metadata.update(settings="3")), "card"),
        (rewritten(lambda metadata, arrays: metadata.pop("training")), "card"),
        (rewritten(lambda metadata, arrays: arrays.pop("values")), "values"),
        (rewritten(lambda metadata, arrays: arrays.update(values=np.zeros(2))), "kind 'table'"),
        (rewritten(lambda metadata, arrays: arrays.update(keys=arrays["keys"][::-1].copy())), "kind 'table'"),
        (rewritten(lambda metadata, arrays: arrays.update(values=np.full(3, np.nan))), "not finite"),
        (rewritten(lambda metadata, arrays: arrays.update(values=np.full(3, 1e200))), "not finite, or huge"),
        (rewritten(lambda metadata, arrays: arrays.update(values=np.zeros(3, np.int64))), "not of weights"),
        (rewritten(lambda metadata, arrays: metadata.update(format_version="²")), "not a player file"),
        (rewritten(lambda metadata, arrays: metadata.update(rating='{"elo": 3, "high": 4}')), "'low'"),
        (rewritten(lambda metadata, arrays: metadata.update(rating='{"elo": NaN, "low": 2, "high": 4}')), "NaN"),
        (rewritten(lambda metadata, arrays: metadata.update(training='{"games": "many"}')), "'games'"),
        (rewritten(lambda metadata, arrays: metadata.update(config='{"a": 1e999}')), "too large"),
        (rewritten(lambda metadata, arrays: metadata.update(config="[" * 10**5 + "]" * 10**5)), "nested too deeply"),
        (rewritten(lambda metadata, arrays: metadata.update(config="[" * 300 + "]" * 300)), "nested too deeply"),
        (rewritten(lambda metadata, arrays: metadata.update(config='{"a": "\\ud800"}')), "card"),
    ],
)
def test_files_that_are_not_players_of_the_game_are_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], sentence: str
) -> None:
    path = saved(tmp_path / "player.safetensors")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=sentence) as error:
        load_player(path, GAME)
    assert str(path) in str(error.value)


def test_flipped_bits_are_refused_or_harmless(tmp_path: Path) -> None:
    """Whatever bit is flipped, there is a refusal in a sentence or a player."""
    path = saved(tmp_path / "player.safetensors")
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(len(data), size=300):
        path.write_bytes(data[:place] + bytes([data[place] ^ (1 << rng.integers(8))]) + data[place + 1 :])
        try:
            load_player(path, GAME)
        except UserError:
            continue


def test_unknown_options_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "player.safetensors")
    with pytest.raises(UserError, match="simulations"):
        player_from_file(f"{path}:simulations=3", GAME)


def test_missing_players_are_named_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "othello8-som").mkdir(parents=True)
    with pytest.raises(UserError, match=r"Did you mean 'runs/othello8-som'\?"):
        find_file("runs/othello8-sum")
    with pytest.raises(UserError, match=r"holds no player\.safetensors"):
        find_file("runs/othello8-som")
    with pytest.raises(UserError, match="no player at"):
        find_file("nowhere/at/all")


def test_names_in_the_zoo_lead_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zoo = tmp_path / "zoo"
    zoo.mkdir()
    monkeypatch.setattr(files, "ZOO", zoo)
    with pytest.raises(UserError, match="empty"):
        find_file("zoo/tictactoe-table")
    saved(zoo / "tictactoe-table.safetensors")
    saved(tmp_path / "outside.safetensors")
    assert player_from_file("zoo/tictactoe-table", GAME).name == "zoo/tictactoe-table"
    with pytest.raises(UserError, match="Did you mean 'tictactoe-table'"):
        find_file("zoo/tictactoe-tabel")
    for name in ("../outside", "..", "", "/etc/passwd", "tictactoe-table.safetensors", "./tictactoe-table", "*"):
        with pytest.raises(UserError, match="in the zoo"):
            find_file(f"zoo/{name}")


def test_playing_needs_neither_learners_nor_torch(tmp_path: Path) -> None:
    path = saved(tmp_path / "player.safetensors")
    code = (
        "import sys, randori, pathlib; from randori.players.files import load_player\n"
        "load_player(pathlib.Path(sys.argv[1]), randori.game('tictactoe'))\n"
        "assert not [it for it in sys.modules if it.startswith(('torch', 'randori.experiments')) or '.learner' in it[16:]]"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_inspect_shows_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from randori.app.commands.inspect import inspect

    path = saved(tmp_path / "player.safetensors", rating=RATING)
    inspect(str(path), json=True)
    card = json.loads(capsys.readouterr().out)
    assert card["game"] == "tictactoe"
    assert card["rating"] == RATING
    assert card["arrays"] == {"keys": "U64 [3]", "values": "F64 [3]"}
    inspect(str(path))
    assert "12 (-3 .. 20)" in capsys.readouterr().out
    inspect(str(path), all=True)
    assert "elo 12.5" in capsys.readouterr().out
    inspect(str(tmp_path))
    assert "tictactoe" in capsys.readouterr().out
