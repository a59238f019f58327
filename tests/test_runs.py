"""Run folders: the codec of checkpoints, what a damaged or foreign folder does, rows after a resume."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from randori import tensorfile
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, checkpoint, metrics, publish, train
from randori.experiments.checkpoint import Checkpoints, decode, encode
from randori.experiments.metrics import Events, MetricsFile
from randori.experiments.recipe import parse_duration, parse_recipe, recipe_json
from randori.experiments.run import Run, snapshots
from randori.methods.table.learner import TableConfig
from randori.players.files import read_card

RECIPE = Recipe("tictactoe", "table", TableConfig(games=10), rounds=4, evaluate_games=0)

DTYPES = st.sampled_from(["?", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8"])
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text()
    | arrays.arrays(DTYPES.map(np.dtype), arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))
)  # fmt: skip
KEYS = st.text().filter(lambda key: not key.startswith("$"))
STATES = st.dictionaries(KEYS, st.recursive(LEAVES, lambda it: st.lists(it) | st.dictionaries(KEYS, it), max_leaves=8))


def same(a: Any, b: Any) -> bool:
    """Equal in value and type, nan being equal to itself."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b))


def through_a_file(state: dict[str, Any]) -> dict[str, Any]:
    return decode(*tensorfile.unpack(tensorfile.pack(*encode(state))))


@given(STATES)
def test_a_state_comes_back_as_it_was(state: dict[str, Any]) -> None:
    assert same(through_a_file(state), state)


@given(STATES)
def test_equal_states_have_equal_bytes(state: dict[str, Any]) -> None:
    data = tensorfile.pack(*encode(state))
    assert tensorfile.pack(*encode(through_a_file(state))) == data


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_a_generator_continues_where_it_was(kind: str) -> None:
    rng = np.random.Generator(getattr(np.random, kind)(3))
    rng.random(5), rng.integers(2, dtype=np.uint32)
    again = through_a_file({"rng": rng})["rng"]
    np.testing.assert_array_equal(again.random(9), rng.random(9))
    assert again.integers(2**32, dtype=np.uint32) == rng.integers(2**32, dtype=np.uint32)


def test_views_are_kept_by_their_values() -> None:
    board = np.arange(12).reshape(3, 4)
    state = {"turned": board.T, "every other": board[:, ::2]}
    again = through_a_file(state)
    assert same(again, {key: it.copy(order="C") for key, it in state.items()})
    assert all(it.flags.writeable for it in again.values()), "a learner writes into them"


def spawned() -> np.random.Generator:
    rng = np.random.default_rng(0)
    rng.spawn(1)
    return rng


@pytest.mark.parametrize(
    "odd",
    [(1, 2), {1: 2}, {"$array": "x"}, np.float64(1), {1, 2}, object(), np.array([object()]), np.array("a"), spawned()],
)
def test_a_value_that_no_checkpoint_can_hold_is_refused_by_its_path(odd: Any) -> None:
    with pytest.raises(TypeError, match="state/deep"):
        encode({"deep": [odd]})


def test_only_the_last_checkpoints_are_kept(tmp_path: Path) -> None:
    store = Checkpoints(tmp_path, keep=2)
    for number in (8, 9, 10, 11):
        store.write(number, {"round": number})
    assert [path.name[:8] for path in sorted(tmp_path.iterdir())] == ["00000010", "00000011"]
    assert store.latest(print) == {"round": 11}


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flip(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


def flip_header(data: bytes) -> bytes:
    return data[:20] + bytes([data[20] ^ 1]) + data[21:]


@pytest.mark.parametrize("damage", [cut, flip, flip_header, lambda data: b"", lambda data: data + b"x"])
def test_a_damaged_checkpoint_is_noticed_and_the_one_before_it_used(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    store = Checkpoints(tmp_path)
    for number in (1, 2):
        store.write(number, {"weights": np.full(1000, number)})
    newest = max(tmp_path.iterdir())
    newest.write_bytes(damage(newest.read_bytes()))
    messages: list[str] = []
    assert store.latest(messages.append)["weights"][0] == 1
    assert len(messages) == 1
    assert newest.name in messages[0]
    assert store.latest(messages.append)["weights"][0] == 1
    assert len(messages) == 1, "it is reported once and then set aside"


def train_here(folder: Path, recipe: Recipe = RECIPE, **options: Any) -> list[str]:
    messages: list[str] = []
    with CountingWorkers(1) as staff:
        train(recipe, folder, staff, say=messages.append, **options)
    return messages


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_damaged_checkpoint_costs_a_run_only_the_rounds_after_the_one_before(tmp_path: Path) -> None:
    train_here(tmp_path / "whole", checkpoint_seconds=0)
    train_here(tmp_path / "hurt", checkpoint_seconds=0)
    newest = max((tmp_path / "hurt" / "checkpoints").iterdir())
    newest.write_bytes(cut(newest.read_bytes()))
    (tmp_path / "hurt" / "player.safetensors").unlink()
    messages = train_here(tmp_path / "hurt", checkpoint_seconds=0)
    assert any("damaged" in sentence and newest.name in sentence for sentence in messages)
    assert (tmp_path / "hurt" / "player.safetensors").read_bytes() == (
        tmp_path / "whole" / "player.safetensors"
    ).read_bytes()
    assert rounds_of(tmp_path / "hurt") == sorted(set(rounds_of(tmp_path / "hurt")))


def test_players_are_kept_at_powers_of_two_and_the_same_after_a_resume(tmp_path: Path) -> None:
    train_here(tmp_path / "whole")
    kept = snapshots(tmp_path / "whole")
    assert list(kept) == [1, 2, 4]
    assert [read_card(path).training["rounds"] for path in kept.values()] == [1, 2, 4]
    train_here(tmp_path / "parts", replace(RECIPE, rounds=2))
    train_here(tmp_path / "parts")
    assert [it.read_bytes() for it in snapshots(tmp_path / "parts").values()] == [
        it.read_bytes() for it in kept.values()
    ]


def rounds_of(folder: Path) -> list[int]:
    return [json.loads(line)["round"] for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_a_run_without_any_checkpoint_is_left_alone(tmp_path: Path) -> None:
    train_here(tmp_path / "run")
    for path in (tmp_path / "run" / "checkpoints").iterdir():
        path.unlink()
    before = contents(tmp_path / "run")
    with pytest.raises(UserError, match="no checkpoint"):
        train_here(tmp_path / "run")
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (Recipe("othello4", "table", TableConfig(games=10), rounds=4), "game"),
        (Recipe("tictactoe", "table", TableConfig(games=20), rounds=4), "games=10"),
        (Recipe("tictactoe", "table", TableConfig(games=10), seed=1, rounds=4), "seed=0"),
    ],
)
def test_a_run_of_another_recipe_is_left_alone(tmp_path: Path, other: Recipe, named: str) -> None:
    train_here(tmp_path / "run")
    before = contents(tmp_path / "run")
    with pytest.raises(UserError, match=named):
        train_here(tmp_path / "run", other)
    assert contents(tmp_path / "run") == before


def test_a_run_of_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    train_here(tmp_path / "run")
    recipe = tmp_path / "run" / "recipe.json"
    recipe.write_text(json.dumps({**json.loads(recipe.read_text()), "format_version": 99, "novelty": True}))
    before = contents(tmp_path / "run")
    with pytest.raises(UserError, match="newer"):
        train_here(tmp_path / "run")
    assert contents(tmp_path / "run") == before


def test_a_folder_that_is_not_a_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="does not hold a run"):
        train_here(tmp_path)
    assert contents(tmp_path) == {"thesis.txt": b"years of work"}


def test_an_empty_folder_may_become_a_run(tmp_path: Path) -> None:
    train_here(tmp_path)
    assert (tmp_path / "player.safetensors").exists()


@pytest.mark.parametrize("folder", ["/proc/randori/run", "{file}/run"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot be written .*--out"):
        train_here(Path(folder.format(file=tmp_path / "file")))


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path: Path) -> None:
    train_here(tmp_path)
    with Run(tmp_path, RECIPE, print), pytest.raises(UserError, match="another process"):
        train_here(tmp_path)


def test_a_full_disk_ends_the_run_in_a_sentence_and_leaves_what_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_here(tmp_path / "whole", checkpoint_seconds=0)
    real, descriptors = os.fsync, []

    def fsync_on_a_small_disk(descriptor: int) -> None:
        descriptors.append(descriptor)
        if len(descriptors) > 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(tensorfile.os, "fsync", fsync_on_a_small_disk)
    with pytest.raises(OSError, match=r"no room .* start the same command again"):
        train_here(tmp_path / "run", checkpoint_seconds=0)
    monkeypatch.undo()
    assert not list((tmp_path / "run").rglob("*.part"))
    train_here(tmp_path / "run", checkpoint_seconds=0)
    assert (tmp_path / "run" / "player.safetensors").read_bytes() == (
        tmp_path / "whole" / "player.safetensors"
    ).read_bytes()


def test_more_rounds_continue_the_run_and_are_remembered(tmp_path: Path) -> None:
    train_here(tmp_path / "in two")
    longer = Recipe("tictactoe", "table", TableConfig(games=10), rounds=7, evaluate_games=0)
    train_here(tmp_path / "in two", longer)
    train_here(tmp_path / "at once", longer)
    assert json.loads((tmp_path / "in two" / "recipe.json").read_text())["rounds"] == 7
    assert (tmp_path / "in two" / "player.safetensors").read_bytes() == (
        tmp_path / "at once" / "player.safetensors"
    ).read_bytes()


def row(number: int, **more: Any) -> str:
    return json.dumps({"round": number, "games": 10 * number, "seconds": 1.5, "cpu_seconds": 1.0, **more}) + "\n"


def test_rows_after_the_checkpoint_are_dropped_and_a_repeated_row_replaces_the_first(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text(row(1) + row(2) + row(3) + row(4)[:20])
    log = MetricsFile(file, 2, pytest.fail)
    assert file.read_text() == row(1) + row(2)
    rating = {"elo": 5.0, "low": 4.0, "high": 6.0, "games": 8}
    log.write(json.loads(row(2, rating=rating)))
    log.write(json.loads(row(3)) | {"metrics": {"loss": float("nan")}})
    assert file.read_text() == row(1) + row(2, rating=rating) + row(3, metrics={"loss": None})


ODD = [
    b"\n",
    b"{\n",
    b"\xff\x00\n",
    b"7\n",
    b"null\n",
    b'{"round": "\xc2\xb2"}\n',
    b"[" * 5000 + b"]" * 5000 + b"\n",
    row(-1).encode(),
    row(2, games=None).encode(),
    row(2, seconds=1e400).encode(),
    row(2, rating={"elo": 1.0, "high": 2.0}).encode(),
    row(2, metrics={"loss": "low"}).encode(),
]


@pytest.mark.parametrize("odd", ODD)
def test_odd_lines_of_metrics_stay_in_the_file_and_are_ignored(tmp_path: Path, odd: bytes) -> None:
    file, messages = tmp_path / "metrics.jsonl", list[str]()
    file.write_bytes(row(1).encode() + odd + row(2).encode() + row(3).encode())
    assert [it["round"] for it in metrics.read_metrics(file, messages.append)] == [1, 2, 3]
    log = MetricsFile(file, 2, messages.append)
    log.write(json.loads(row(2, metrics={"loss": 1.0})))
    assert file.read_bytes() == row(1).encode() + odd + row(2, metrics={"loss": 1.0}).encode()
    assert len(messages) == 2
    assert all("(2)" in sentence and str(file) in sentence for sentence in messages)


def test_metrics_are_never_seen_shorter_than_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated row goes to a new file first, so that a kill or a full disk loses nothing."""
    file = tmp_path / "metrics.jsonl"
    file.write_text(row(1) + row(2))
    log = MetricsFile(file, 2, pytest.fail)

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        log.write(json.loads(row(2, metrics={"loss": 1.0})))
    assert file.read_text() == row(1) + row(2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda state: state.pop("progress"), "does not fit this training"),
        (lambda state: state.update(progress={"round": "²"}), "does not fit this training"),
        (lambda state: state.update(rng=7), "does not fit this training"),
        (lambda state: state.update(learner={"keys": None}), "does not fit this training"),
        (lambda state: state.update(learner=[]), "does not fit this training"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], sentence: str
) -> None:
    train_here(tmp_path / "run")
    store = Checkpoints(tmp_path / "run" / "checkpoints")
    state = store.latest(print)
    change(state)
    store.write(9, state)
    with pytest.raises(UserError, match=sentence):
        train_here(tmp_path / "run", replace(RECIPE, rounds=10))


def test_a_run_whose_checkpoints_are_all_damaged_says_what_to_do(tmp_path: Path) -> None:
    train_here(tmp_path / "run")
    for path in (tmp_path / "run" / "checkpoints").iterdir():
        path.write_bytes(cut(path.read_bytes()))
    before = contents(tmp_path / "run")
    with pytest.raises(UserError, match=r"checksum is wrong.*start again with another --out"):
        train_here(tmp_path / "run")
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize("text", ["", "{", "[]", "\xff", "null", "[" * 10**5, '{"format_version": 1}'])
def test_a_torn_recipe_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    train_here(tmp_path / "run")
    (tmp_path / "run" / "recipe.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=r"recipe\.json"):
        train_here(tmp_path / "run")


def test_snapshots_are_named_by_plain_digits(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    for name in ("²", "٣", "4", "x"):
        (tmp_path / "snapshots" / f"{name}.safetensors").touch()
    assert list(snapshots(tmp_path)) == [4]


def test_tensorboard_forgets_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason="no TensorBoard")
    for last_round, rounds in ((0, (1, 2, 3)), (2, (3, 4))):
        events = Events(tmp_path, last_round)
        for number in rounds:
            events.write(number, time.time(), {"train/loss": 10.0 * last_round + number})
        events.close()
        time.sleep(1.1)  # its files are named by the second
    accumulator = loader.EventAccumulator(str(tmp_path))
    accumulator.Reload()
    assert [(it.step, it.value) for it in accumulator.Scalars("train/loss")] == [(1, 1), (2, 2), (3, 23), (4, 24)]


def test_a_run_without_tensorboard_has_no_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "find_spec", lambda name: None)
    train_here(tmp_path)
    assert not (tmp_path / "tensorboard").exists()
    assert rounds_of(tmp_path)


def test_a_recipe_comes_back_from_its_file() -> None:
    assert parse_recipe(recipe_json(RECIPE), "recipe.json") == RECIPE


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ruonds": 3}, "no setting 'ruonds'.*'rounds'"),
        ({"rounds": "many"}, "'rounds'.*whole number"),
        ({"rounds": True}, "'rounds'.*whole number"),
        ({"config": {"gamess": 3}}, "no setting 'gamess'.*'games'"),
        ({"config": {"games": 1.5}}, "'games'.*whole number"),
        ({"learner": "tabel"}, "no learner 'tabel'.*'table'"),
        ({"game": None}, "'game'.*text"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_meant(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        parse_recipe(json.dumps({**json.loads(recipe_json(RECIPE)), **change}), "recipe.json")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format_version": 1}'])
def test_text_that_is_not_a_recipe_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_recipe(text, "recipe.json")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("45s", 45), ("20m", 1200), ("1h30m", 5400), ("1.5h", 5400), ("2d", 172800)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5m", "5x", "m", "1h2", "0"])
def test_text_that_is_not_a_duration_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="20m"):
        parse_duration(text)


def test_a_published_player_says_what_it_cost(tmp_path: Path) -> None:
    train_here(tmp_path / "run", Recipe("tictactoe", "table", TableConfig(games=2), rounds=2, evaluate_games=4))
    publish(tmp_path / "run", tmp_path / "tictactoe-table.safetensors")
    card = read_card(tmp_path / "tictactoe-table.safetensors")
    assert card.training["rounds"] == 2
    assert card.training["cpu_seconds"] > 0
    assert card.rating is not None
    assert card.rating["low"] < card.rating["high"]


def test_checkpoints_say_their_format(tmp_path: Path) -> None:
    Checkpoints(tmp_path).write(1, {})
    data = next(tmp_path.iterdir()).read_bytes()
    assert tensorfile.unpack(data)[1]["format_version"] == str(checkpoint.FORMAT_VERSION)
