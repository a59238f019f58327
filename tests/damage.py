"""Damaged files, each made from a seed: using one ends in a sentence or works.

`python tests/damage.py players 1234` tries one case again; `trial` tries many in a process of its own.
"""

from __future__ import annotations

import json
import queue
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori import games, tensorfile
from randori.app.commands.inspect import inspect
from randori.app.page.comparing import differences
from randori.app.page.curves import ACROSS, measured, ratings
from randori.app.service.menu import Menu
from randori.app.service.trainings import Trainings
from randori.app.service.watched_run import WatchedRun
from randori.arena import play_games
from randori.core.game import Game, States
from randori.core.symmetry import canonical_keys
from randori.core.tuples import automatic
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.experiments.checkpoint import _checksum
from randori.experiments.report import league
from randori.formats import games_of, openings_of, parse_obf, read_records, records_of, write_records
from randori.kernels.searches import PHASES
from randori.methods.alphazero.player import AlphaZero
from randori.methods.comparison.chains_player import Comparison, wiring
from randori.methods.comparison.transcripts import read_record
from randori.methods.deep_q.player import DeepQ
from randori.methods.deep_q.q_values import QValues, n_action_inputs
from randori.methods.ntuple.network import Network as TupleNetwork
from randori.methods.ntuple.player import Patterns
from randori.methods.ntuple.probes import N_PAIRS
from randori.methods.ntuple.tuples import Tuples
from randori.methods.som.atlas import Atlas
from randori.methods.som.player import SelfOrganized
from randori.methods.som.values import TableValues, table_rows
from randori.methods.table.learner import TableConfig
from randori.methods.table.player import Table
from randori.networks import Network
from randori.networks.architecture import Architecture, Dense, array_shapes, residual_for
from randori.players import player
from randori.players.files import PLAYER_FILE, ZOO, load_player, save_player


class Rng:
    """Chance from a seed, over plain values."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.random, self.bytes = self._rng.random, self._rng.bytes

    def below(self, n: int) -> int:
        return int(self._rng.integers(n))

    def choice(self, among: Sequence[Any]) -> Any:
        return among[self.below(len(among))]


NUMBERS = (
    None,
    True,
    "x",
    "",
    "²",
    -1,
    0,
    1,
    3,
    0.5,
    1e300,
    -1e300,
    2**31,
    2**63,
    2**64,
    10**30,
    [],
    {},
    [1],
    [[2]],
    {"a": 1},
)
TEXTS = (
    "", "null", "[]", "{}", "NaN", "-Infinity", "1e999", "²", "9" * 5000, "{", '"', "\x00", '"\\ud800"', "[" * 2000,
    "[" * 100_000 + "]" * 100_000, "{" * 90 + "}" * 90, '{"a":' * 70 + "1" + "}" * 70, "7", "true", '"text"',
)  # fmt: skip
WEIGHTS = (np.nan, np.inf, -np.inf, 1e38, -1e38, 1e14, -1e14, 1e-40, 0.0)


def flipped(data: bytes, rng: Rng) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        # Changes the beginning, where headers are, as often as all the rest.
        end = min(len(data), rng.choice((8, 1000, len(data))))
        if end:
            changed[rng.below(end)] ^= 1 << rng.below(8)
    return bytes(changed)


def cut(data: bytes, rng: Rng) -> bytes:
    return data[: rng.below(len(data) + 1)]


def _chunk(data: bytes, rng: Rng) -> tuple[int, int]:
    begin = rng.below(len(data) + 1)
    return begin, min(len(data), begin + rng.choice((1, 7, 64, 1000)))


def removed(data: bytes, rng: Rng) -> bytes:
    begin, end = _chunk(data, rng)
    return data[:begin] + data[end:]


def repeated(data: bytes, rng: Rng) -> bytes:
    begin, end = _chunk(data, rng)
    return data[:end] + data[begin:end] * rng.choice((1, 2, 50)) + data[end:]


def garbled(data: bytes, rng: Rng) -> bytes:
    begin, end = _chunk(data, rng)
    other = bytes(end - begin) if rng.random() < 0.5 else rng.bytes(end - begin)
    return data[:begin] + other + data[end:]


def added(data: bytes, rng: Rng) -> bytes:
    return data + rng.choice((b"\n", b"\x00" * 4096, rng.bytes(64)))


def replaced(data: bytes, rng: Rng) -> bytes:
    return rng.choice((b"", b"\x00" * 100, rng.bytes(500), b"PK\x03\x04", b"{}\n", b"[" * 50_000, "²\n".encode()))


BYTES = (flipped, flipped, cut, removed, repeated, garbled, added, replaced)


def in_bytes(data: bytes, rng: Rng) -> bytes:
    return rng.choice(BYTES)(data, rng)


def in_plain(value: Any, rng: Rng) -> Any:
    """Plain values with one of them changed, left out or added, at any depth."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        action = rng.random()
        if action < 0.2:
            return {name: it for name, it in value.items() if name != key}
        if action < 0.3:
            return {**value, "another": rng.choice(NUMBERS)}
        return {**value, key: in_plain(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        place = rng.below(len(value))
        return [*value[:place], in_plain(value[place], rng), *value[place + 1 :]]
    return rng.choice(NUMBERS)


def _with_header(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    text = json.dumps(change(header)).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[end:]


def in_header(data: bytes, rng: Rng) -> bytes:
    """Changes the header's entry for an array: its type, shape or place."""

    def change(header: dict[str, Any]) -> dict[str, Any]:
        name = rng.choice([it for it in header if it != "__metadata__"])
        entry = dict(header[name])
        choice = rng.below(6)
        if choice == 0:
            entry["dtype"] = rng.choice(
                ["F64", "F32", "F16", "BF16", "I64", "U8", "BOOL", "F8_E4M3", "C64", "X", 3, None]
            )
        elif choice == 1:
            entry["shape"] = rng.choice(
                [entry["shape"][::-1], [*entry["shape"], 1], [0], [2**62, 4], [-1], [1.5], "x", []]
            )
        elif choice == 2:
            entry["data_offsets"] = rng.choice([[0, 2**63], [8, 0], [-8, 8], [0], None, ["a", "b"]])
        elif choice == 3:
            entry["data_offsets"] = [it + rng.choice((-8, 1, 8)) for it in entry["data_offsets"]]
        elif choice == 4:
            return {it: header[it] for it in header if it != name}
        else:
            other = rng.choice([it for it in header if it != "__metadata__"])
            return {**header, name: header[other], other: header[name]}
        return {**header, name: entry}

    return _with_header(data, change)


def in_length(data: bytes, rng: Rng) -> bytes:
    """A wrong header length."""
    length = rng.choice(
        (0, 1, 2**63, 2**64 - 1, 10**8, len(data), int.from_bytes(data[:8], "little") + rng.choice((-1, 1)))
    )
    return length.to_bytes(8, "little") + data[8:]


def in_metadata(data: bytes, rng: Rng) -> bytes:
    def change(metadata: dict[str, str]) -> None:
        name = rng.choice(sorted(metadata))
        if rng.random() < 0.15:
            del metadata[name]
        elif name in ("settings", "config", "training", "rating") and rng.random() < 0.8:
            metadata[name] = json.dumps(in_plain(json.loads(metadata[name]), rng))
        else:
            metadata[name] = rng.choice(TEXTS).encode("utf-8", "replace").decode()

    return _packed_again(data, change, lambda arrays: None)


def in_settings(data: bytes, rng: Rng) -> bytes:
    def change(metadata: dict[str, str]) -> None:
        metadata["settings"] = json.dumps(in_plain(json.loads(metadata["settings"]), rng))

    return _packed_again(data, change, lambda arrays: None)


def in_arrays(data: bytes, rng: Rng) -> bytes:
    def change(arrays: dict[str, Any]) -> None:
        name = rng.choice(sorted(arrays))
        array = arrays[name]
        choice = rng.below(7)
        if choice == 0 and array.size and array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                array.reshape(-1)[rng.below(array.size)] = rng.choice(WEIGHTS)
        elif choice == 1 and array.dtype.kind == "f":
            array[...] = rng.choice(WEIGHTS[3:])
        elif choice == 2:
            arrays[name] = np.ascontiguousarray(array.T)
        elif choice == 3:
            arrays[name] = array[: len(array) // 2].copy() if array.ndim else array.reshape(1)
        elif choice == 4:
            with np.errstate(all="ignore"):
                arrays[name] = array.astype(rng.choice(["f2", "f4", "f8", "i1", "i8", "u8", "?"]))
        elif choice == 5:
            arrays[name] = array.reshape(-1)
        else:
            with np.errstate(over="ignore"):
                arrays[name] = np.asarray(array * array.dtype.type(rng.choice((100, 101))))

    return _packed_again(data, lambda metadata: None, change)


def _packed_again(data: bytes, metadata: Callable[[dict[str, str]], None], arrays: Callable[[Any], None]) -> bytes:
    found = tensorfile.unpack(data)
    writable = {name: np.array(it) for name, it in found.arrays.items()}
    metadata(found.metadata)
    arrays(writable)
    return tensorfile.pack(writable, found.metadata)


# Players


class Original(NamedTuple):
    game: str
    data: bytes
    light: str
    """Options with which it plays quickly, whatever its file says."""


def _arrays(architecture: Architecture) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {name: rng.random(shape).astype(np.float32) / 4 for name, shape in array_shapes(architecture).items()}


def _with_weights(game: Game) -> Patterns:
    blank = Tuples(game, (game.knowledge.tuples or automatic)(game)[:3], game.knowledge.shifted)
    stages = np.arange(game.n_squares + 1) * 2 // (game.n_squares + 1)
    weights = np.random.default_rng(0).normal(size=(2, blank.n_patterns + 1)).astype(np.float32)
    weights[:, -1] = 0
    return Patterns(TupleNetwork(blank, stages, weights.ravel()), np.full((PHASES, N_PAIRS), 0.5))


@cache
def originals() -> list[Original]:
    """A player file of every kind, and of every variant of a kind."""
    game, gomoku, rng = games.game("tictactoe"), games.game("gomoku9"), np.random.default_rng(0)
    first = game.children(game.start(1)).states
    keys, rows = np.unique(canonical_keys(game, first), return_index=True)
    residual = residual_for(game, 4, 1)
    atlas = Atlas(
        game, (4, 4), (3, 6, 9), "product", *(rng.random(it).astype(np.float32) for it in ((3, 16, 9), (3, 9)))
    )
    values = rng.random((int(table_rows(atlas).max()) + 1, 16)).astype(np.float32)
    dense = {"action": Dense(n_action_inputs(game), (5,), 1), "board": Dense(game.n_squares + 1, (5,), game.n_actions)}
    tuples = [_with_weights(it) for it in (game, gomoku, games.game("othello6"))]
    players: list[tuple[Any, Game, str]] = [
        *((it, it.game, "nodes=300,exact=0") for it in tuples),
        (Table(game, keys, np.linspace(-0.5, 0.5, len(rows))), game, ""),
        (AlphaZero(game, Network(residual, _arrays(residual)), simulations=4), game, "simulations=4,exact=0"),
        (DeepQ(game, QValues(game, Network(residual, _arrays(residual)), "dueling")), game, ""),
        *((DeepQ(game, QValues(game, Network(it, _arrays(it)), reading)), game, "") for reading, it in dense.items()),
        (SelfOrganized(game, TableValues(atlas, values)), game, "exact=0"),
        (Comparison(gomoku, rng.random((2, len(wiring(gomoku).factors))), np.array([1.0, 1.0])), gomoku, ""),
    ]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "player"
        for it, rules, light in players:
            rating = {"elo": 1.5, "low": -2.0, "high": 4.0, "games": 20}
            training = {"seed": 1, "rounds": 3, "games": 10, "version": "0"}
            save_player(path, it, rules, learner="table", config={"games": 5}, training=training, rating=rating)
            found.append(Original(rules.name, path.read_bytes(), light))
    zoo = {
        "tictactoe-evolution": "depth=1,exact=0",
        "othello6-evolution": "depth=1,exact=0",
        "tictactoe-som": "exact=0",
        "tictactoe-deep-q": "",
        "gomoku9-comparison": "threats=0",
        "connect4-alphazero": "simulations=4,exact=0",
        "gomoku9-alphazero": "simulations=4,exact=0,threats=0",
    }
    for name, light in zoo.items():
        found.append(Original(name.partition("-")[0], (ZOO / f"{name}.safetensors").read_bytes(), light))
    return found


IN_PLAYERS = (in_bytes, in_bytes, in_header, in_length, in_metadata, in_settings, in_settings, in_arrays, in_arrays)


@cache
def _positions(game: Game) -> States:
    """The first position of a game and a few later ones."""
    rng, state, found = np.random.default_rng(1), game.start(1), [game.start(1)]
    for _ in range(3):
        state = game.play(state, game.pick(state, rng.random(1)))
        found.append(state)
    return np.concatenate(found)


def try_player(seed: int, folder: Path) -> str:
    rng = Rng(seed)
    original = rng.choice(originals())
    data = rng.choice(IN_PLAYERS)(original.data, rng)
    if rng.random() < 0.1:
        data = in_bytes(data, rng)
    path = folder / f"{seed}.safetensors"
    path.write_bytes(data)
    game = games.game(original.game)
    quiet = StringIO()
    with redirect_stdout(quiet), redirect_stderr(quiet):
        sentence = _refusal(lambda: inspect(str(path))) or _refusal(lambda: load_player(path, game))
        # The numbers of some grow beyond all bounds only during play.
        sentence = sentence or _refusal(lambda: _plays(load_player(path, game, original.light), game))
    path.unlink()
    return sentence


def _plays(chooser: Any, game: Game) -> None:
    states = _positions(game)
    actions = chooser.choose(states, np.random.default_rng(0)).actions
    assert game.legal(states)[np.arange(len(states)), actions].all(), "an illegal move"


def _refusal(work: Callable[[], Any]) -> str:
    try:
        work()
    except UserError as error:
        return str(error) or "a sentence without words"
    return ""


# Records


@cache
def record_files() -> dict[str, tuple[str, bytes]]:
    """By suffix and game: whole files of a few games."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, suffixes in {
            "othello8": (".txt", ".sgf", ".ggf"),
            "gomoku9": (".txt", ".sgf"),
            "connect4": (".txt",),
        }.items():
            game = games.game(name)
            records = _random_records(game, 6)
            for suffix in suffixes:
                path = Path(folder) / f"games{suffix}"
                write_records(path, game, records)
                found[f"{name}{suffix}"] = (name, path.read_bytes())
    found["othello8.wtb"] = ("othello8", _wthor(_random_records(games.game("othello8"), 6)))
    start = "-" * 27 + "OX------XO" + "-" * 27
    found["othello8.obf"] = ("othello8", f"% a comment\n{start} X; d3:+2; c4:-4;\n{start} O; e3:0;\n".encode())
    return found


def _random_records(game: Game, n: int) -> list[Any]:
    random_games = play_games(
        game, player("random", game), player("random", game), np.empty((n, 0), np.int16), np.random.default_rng(2)
    )
    return records_of(random_games, "First [one]", "Second", "An event", "2020-01-01")


def _wthor(records: list[Any]) -> bytes:
    head = (
        bytes([20, 24, 1, 1]) + len(records).to_bytes(4, "little") + bytes(2) + (2024).to_bytes(2, "little") + bytes(4)
    )
    rows = b""
    for it in records:
        moves = [10 * (action // 8 + 1) + action % 8 + 1 for action in it.actions if action < 64]
        rows += bytes([0, 0, 1, 0, 2, 0, 40, 0]) + bytes(moves).ljust(60, b"\0")
    return head + rows


ENDLESS = (
    "(", "(;", "(;(", ")", ";", "[", "]", "A", "A[", "B[", "B[]", "(;B[f5]", "(;)", "(;;)", "\\", "B[\\", " ", "\n", "1", "1.",
    "f5", "44", "f5 ", "(;GM[Othello]", "(;GM[2]", ";B[ef]", "(;GM[Othello];)", "-", "X", "%", "#", "pass", "\x00", "²", "é",
)  # fmt: skip


def in_records(data: bytes, rng: Rng) -> bytes:
    if rng.random() < 0.25:
        word = rng.choice(ENDLESS).encode()
        endless = word * (rng.choice((10, 1000, 100_000)) // len(word))
        return rng.choice((endless, data[: rng.below(len(data))] + endless, endless + data))
    changed = in_bytes(data, rng)
    return in_bytes(changed, rng) if rng.random() < 0.3 else changed


def try_record(seed: int, folder: Path) -> str:
    rng = Rng(seed)
    name, data = record_files()[kind := rng.choice(sorted(record_files()))]
    game, suffix = games.game(name), kind[kind.index(".") :]
    path = folder / f"{seed}{suffix}"
    path.write_bytes(in_records(data, rng))
    if suffix == ".wtb" and rng.random() < 0.3:
        (folder / "WTHOR.JOU").write_bytes(in_bytes(_wthor([])[:16] + bytes(60), rng))
    if suffix == ".obf":
        sentence = _refusal(lambda: parse_obf(game, path.read_bytes().decode("utf-8", "replace")))
    else:
        sentence = _refusal(lambda: _use_records(path, game, folder))
    if suffix == ".txt":
        sentence = _refusal(lambda: read_record(game, path)) and sentence
    for it in folder.iterdir():
        it.unlink()
    return sentence


def _use_records(path: Path, game: Game, folder: Path) -> None:
    records = read_records(path, game)
    games_of(game, records)
    openings_of(game, records, 4)
    for suffix in (".txt", ".sgf", ".ggf"):
        again = folder / f"again{suffix}"
        if not _refusal(lambda again=again: write_records(again, game, records)):
            # A line without a move is not a game.
            n = sum(bool(it.actions) for it in records) if suffix == ".txt" else len(records)
            assert len(read_records(again, game)) == n, f"{suffix} has lost games"


# Runs

RECIPE = Recipe("tictactoe", "table", TableConfig(games=2), rounds=4, evaluate_games=0)


@cache
def run_folder() -> Path:
    """A whole run, with checkpoints, rows and a player."""
    folder = Path(tempfile.mkdtemp()) / "run"
    with CountingWorkers(1) as staff:
        train(RECIPE, folder, staff, checkpoint_seconds=0)
    rows = [
        {"round": n, "games": 18 * n, "seconds": 0.1 * n, "cpu_seconds": 0.1 * n, "metrics": {"change": 0.5 / n}}
        | ({"rating": {"elo": 10.0 * n, "low": 1.0, "high": 90.0, "games": 40}} if n % 2 else {})
        for n in range(1, 5)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(it) + "\n" for it in rows))
    shutil.rmtree(folder / "tensorboard", ignore_errors=True)
    return folder


def in_metrics(data: bytes, rng: Rng) -> bytes:
    if rng.random() < 0.5:
        return in_bytes(data, rng)
    lines = data.splitlines(keepends=True)
    place = rng.below(len(lines))
    odd = rng.choice(TEXTS) if rng.random() < 0.5 else json.dumps(in_plain(json.loads(lines[place]), rng))
    lines[place] = odd.encode("utf-8", "replace") + b"\n"
    return b"".join(lines)


def in_json(data: bytes, rng: Rng) -> bytes:
    if rng.random() < 0.5:
        return in_bytes(data, rng)
    return json.dumps(in_plain(json.loads(data), rng)).encode()


def in_state(data: bytes, rng: Rng) -> bytes:
    """A checkpoint with wrong metadata; the caller gives it the right checksum."""

    def change(metadata: dict[str, str]) -> None:
        if rng.random() < 0.4:
            metadata[rng.choice(sorted(metadata))] = rng.choice(TEXTS).encode("utf-8", "replace").decode()
            return
        state = json.loads(metadata["state"])
        part = rng.choice(("progress", "rng"))
        state[part] = in_plain(state[part], rng)
        if rng.random() < 0.3:
            del state[rng.choice(sorted(state))]
        metadata["state"] = json.dumps(state)

    return _packed_again(data, change, lambda arrays: None)


def _hurt_checkpoints(folder: Path, rng: Rng) -> None:
    paths = sorted((folder / "checkpoints").iterdir(), reverse=True)
    for path in paths[: rng.choice((1, 1, 2, len(paths)))]:
        data = path.read_bytes()
        if rng.random() < 0.4:
            path.unlink()
            changed = in_state(data, rng)
            (path.parent / f"{path.name[:9]}{_checksum(changed)}.safetensors").write_bytes(changed)
        else:
            path.write_bytes(in_bytes(data, rng))


def _hurt(folder: Path, rng: Rng) -> None:
    what = rng.below(10)
    if what < 4:
        _hurt_checkpoints(folder, rng)
    elif what < 8:
        path = folder / "metrics.jsonl"
        path.write_bytes(in_metrics(path.read_bytes(), rng))
    elif what == 8:
        path = folder / "recipe.json"
        path.write_bytes(in_json(path.read_bytes(), rng))
    else:
        path = rng.choice([folder / PLAYER_FILE, *sorted((folder / "snapshots").iterdir())])
        path.write_bytes(rng.choice(IN_PLAYERS)(path.read_bytes(), rng))


def _drawn(run: WatchedRun) -> None:
    """All that the page shows of a run."""
    for across in ACROSS:
        for drawing in [*filter(None, [ratings([run], across, {})]), *measured(run, across)]:
            drawing.options(), drawing.table()
    differences([run, run])
    assert run.seconds_left is None or run.seconds_left >= 0


def try_run(seed: int, folder: Path) -> str:
    """Watches, reports, plays against and continues a damaged run, beside a whole one that must not suffer."""
    rng, runs, game = Rng(seed), folder / "runs", games.game("tictactoe")
    shutil.copytree(run_folder(), runs / "whole")
    shutil.copytree(run_folder(), runs / "hurt")
    _hurt(runs / "hurt", rng)
    quiet, sentence = StringIO(), ""
    with redirect_stdout(quiet), redirect_stderr(quiet):
        trainings, menu = Trainings(runs), Menu(runs)
        assert "whole" in trainings.names()
        for name in trainings.names():
            refusal = _refusal(lambda name=name: _drawn(trainings.run(name)))
            assert not refusal or name == "hurt", refusal
        assert "runs/whole" in menu.entries(game)
        menu.player(game, "runs/whole")
        for spec in ("runs/hurt", "runs/hurt@2"):
            _refusal(lambda spec=spec: _plays(menu.player(game, spec), game))
        assert league([runs / "whole", runs / "hurt"], "").tables
        _refusal(lambda: inspect(str(runs / "hurt"), json=True))
        with CountingWorkers(1) as staff:
            recipe = Recipe("tictactoe", "table", TableConfig(games=2), rounds=5, evaluate_games=0)
            sentence = _refusal(lambda: train(recipe, runs / "hurt", staff))
    shutil.rmtree(runs)
    return sentence


FAMILIES: dict[str, Callable[[int, Path], str]] = {"players": try_player, "records": try_record, "runs": try_run}


# Many of them, in a process of their own


class Trial(NamedTuple):
    n: int
    refused: int
    slowest: float
    """Seconds."""
    memory: int
    """The peak memory of the process, in bytes."""
    failures: list[str]
    """Each with the command that reproduces it."""


_START_SECONDS, _CASE_SECONDS = 300.0, 10.0


def trial(family: str, first: int, n: int) -> Trial:
    """Tries the seeds from `first` on. A case that crashes, hangs or raises anything but a sentence is a failure."""
    failures: list[str] = []
    refused, slowest, memory, at, end = 0, 0.0, 0, first, first + n
    while at < end:
        command = [sys.executable, __file__, family, str(at), str(end - at)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_pump, args=(process, lines), daemon=True).start()
        patience, last = _START_SECONDS, at
        while True:
            try:
                line = lines.get(timeout=patience)
            except queue.Empty:
                line = "hung"
            word, _, rest = line.partition(" ")
            if word == "case":
                last, patience = int(rest), _CASE_SECONDS
            elif word == "failed":
                failures.append(f"python tests/damage.py {family} {last}: {rest}")
            elif word == "done":
                result = json.loads(rest)
                refused, slowest = refused + result["refused"], max(slowest, result["slowest"])
                memory, at = max(memory, result["memory"]), end
                break
            else:
                process.kill()
                why = "hangs" if word == "hung" else f"crashes ({process.wait()})"
                failures.append(f"python tests/damage.py {family} {last}: {why}")
                at = last + 1
                break
        process.kill()
        process.wait()
        if len(failures) > 20:
            break
    return Trial(n, refused, slowest, memory, failures)


def _pump(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line.rstrip("\n"))
    lines.put("ended")


def here(family: str, first: int, n: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Tries the seeds in this process."""
    refused, slowest = 0, 0.0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # A warning is not a sentence.
        warnings.filterwarnings("error", module="randori")
        for seed in range(first, first + n):
            say(f"case {seed}")
            began = time.monotonic()
            try:
                refused += bool(FAMILIES[family](seed, Path(folder)))
            except Exception as error:
                say(f"failed {type(error).__name__}: {str(error)[:200]!r} at {_place(error)}")
                shutil.rmtree(Path(folder) / "runs", ignore_errors=True)
            slowest = max(slowest, time.monotonic() - began)
    return {"refused": refused, "slowest": slowest, "memory": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def _place(error: Exception) -> str:
    return " < ".join(
        f"{Path(it.filename).name}:{it.lineno}" for it in reversed(traceback.extract_tb(error.__traceback__)[-4:])
    )


def warm_up(family: str) -> None:
    """Compiles and imports what undamaged files need, so that the first damaged one is not blamed for the time."""
    if family == "players":
        for it in originals():
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "player"
                path.write_bytes(it.data)
                for options in (it.light, ""):
                    _plays(load_player(path, games.game(it.game), options), games.game(it.game))
    elif family == "records":
        record_files()
    else:
        run_folder()


def main(family: str, first: str, n: str = "1") -> None:
    warm_up(family)
    result = here(family, int(first), int(n), lambda line: print(line, flush=True))
    print(f"done {json.dumps(result)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
