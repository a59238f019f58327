"""However often `randori reproduce` is interrupted, its report stays the same."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import members, needs_proc, start, wait_until
from reproducing import without_times

import randori
from randori.errors import UserError
from randori.experiments import CountingWorkers, Progress, Recipe, train
from randori.experiments.papers import papers, reproduce
from randori.experiments.run import Run
from randori.experiments.train import train_to_point, train_to_the_end
from randori.methods.table.learner import TableConfig
from randori.players.files import read_card

HERE = Path(__file__).parent

# The table that is made, None for all, and where the sizes are.
TINY: dict[str, tuple[int | None, str]] = {
    "freisleben": (3, "test_freisleben"),
    "handa": (3, "test_handa"),
    "hongcharoen": (None, "test_hongcharoen"),
    "humphreys": (4, "test_humphreys"),
    "kamei": (None, "test_kamei"),
    "ntuple": (None, "test_ntuple_paper"),
}
every_paper = pytest.mark.parametrize("name", sorted(TINY))


def test_every_paper_is_interrupted_here() -> None:
    assert set(TINY) == set(papers())


def test_papers_train_to_the_end() -> None:
    for path in Path(randori.__file__).parent.glob("methods/*/paper*.py"):
        imported = re.findall(r"^from randori\.experiments(?:\.train)? import (.*)$", path.read_text(), re.MULTILINE)
        assert not [it for it in imported if "train" in it.split(", ")], path


def moments(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def raise_interrupt() -> None:
    raise KeyboardInterrupt


def ask_to_stop() -> None:
    """As Ctrl-C does in a training, which then ends with the round."""
    signal.raise_signal(signal.SIGINT)


@every_paper
@pytest.mark.thorough
def test_interrupted_trainings_lead_to_the_same_report(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, module = TINY[name]
    import_module(module).shrink(monkeypatch)
    rng, note, rounds_left, session, n_interrupts = moments(name), Run.note, 0, 0, 0

    def note_and_stop(self: Run, progress: Progress, *rest: Any) -> None:
        nonlocal rounds_left, n_interrupts
        note(self, progress, *rest)
        rounds_left -= 1
        half_trained = self.recipe.rounds is None or progress.round < self.recipe.rounds
        if rounds_left <= 0 and half_trained >= session % 2:
            n_interrupts += 1
            rounds_left = 10**6
            (ask_to_stop if session % 2 else raise_interrupt)()

    with CountingWorkers(1) as staff:
        whole = reproduce(name, "quick", table, tmp_path / "whole", staff)
        monkeypatch.setattr(Run, "note", note_and_stop)
        for session in range(5):
            rounds_left = int(rng.integers(1, 3 * (session + 1), endpoint=True)) if session < 4 else 10**6
            before = n_interrupts
            with suppress(KeyboardInterrupt):
                report = reproduce(name, "quick", table, tmp_path / "parts", staff)
                assert n_interrupts == before, "it continued with the remains of an interrupted training"
                assert without_times(report) == without_times(whole)
    assert n_interrupts >= 1 or name == "ntuple", "which trains without a run"


class Command:
    """`randori reproduce PAPER`, tiny, in processes of its own."""

    def __init__(self, name: str, folder: Path, workers: int) -> None:
        table, module = TINY[name]
        plugin = folder / "tiny.py"
        plugin.write_text(
            f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport pytest\nfrom {module} import shrink\n"
            "shrink(pytest.MonkeyPatch())\n"
        )
        self._words = ["reproduce", name, "--plugin", plugin, "--workers", workers]
        self._words += [] if table is None else ["--table", table]

    def _begin(self, out: Path) -> subprocess.Popen[str]:
        """Starts it and waits until it is at work."""
        process = start(*self._words, "--out", out)
        assert process.stderr is not None
        assert process.stderr.readline().startswith("randori: ")
        return process

    def finish(self, out: Path) -> tuple[dict[str, Any], float]:
        """The report, and how long it took."""
        process, began = self._begin(out), time.monotonic()
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return json.loads((out / "report.json").read_text()), time.monotonic() - began

    def stop(self, out: Path, seconds: float, number: signal.Signals) -> bool:
        """Returns whether it was still running at the signal."""
        process = self._begin(out)
        time.sleep(seconds)
        running = process.poll() is None
        if running:
            os.killpg(process.pid, number)
        stopped_at = time.monotonic()
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - stopped_at
        assert wait_until(lambda: not members(process.pid), 5), "its workers live on"
        if running and number == signal.SIGINT and process.returncode != 0:
            assert process.returncode == -signal.SIGINT
            assert took < 2
            assert "Traceback" not in err
            # When all is done, and only Python is ending, it ends without a word.
            assert not err or "all finished work is kept. To continue: randori reproduce" in err
        return running


def stop_and_go_on(name: str, n_signals: int, workers: int, folder: Path) -> None:
    command, rng = Command(name, folder, workers), moments(name)
    whole, _ = command.finish(folder / "whole")
    again, took = command.finish(folder / "compiled before")
    assert without_times(again) == without_times(whole)
    stops = [
        command.stop(folder / "parts", rng.uniform(0, 0.7) * took, (signal.SIGINT, signal.SIGKILL)[place % 2])
        for place in range(n_signals)
    ]
    assert any(stops)
    assert without_times(command.finish(folder / "parts")[0]) == without_times(whole)


@needs_proc
@pytest.mark.thorough
def test_a_killed_command_makes_the_same_report(tmp_path: Path) -> None:
    stop_and_go_on("handa", 3, 1, tmp_path)


@every_paper
@needs_proc
@pytest.mark.slow
def test_a_command_killed_often_makes_the_same_report(name: str, tmp_path: Path) -> None:
    # What the plugin changes inside of Freisleben's tasks does not travel.
    stop_and_go_on(name, 6, 1 if name == "freisleben" else 2, tmp_path)


def test_a_stopped_training_is_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe("tictactoe", "table", TableConfig(games=4), rounds=6, evaluate_games=0)
    note = Run.note

    def stop(self: Run, progress: Any, *rest: Any) -> None:
        note(self, progress, *rest)
        if progress.round == 2:
            ask_to_stop()

    with CountingWorkers(1) as staff:
        monkeypatch.setattr(Run, "note", stop)
        with pytest.raises(KeyboardInterrupt):
            train_to_the_end(recipe, tmp_path / "run", staff)
        monkeypatch.setattr(Run, "note", note)
        assert train_to_the_end(recipe, tmp_path / "run", staff).round == 6
    rows = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(row)["round"] for row in rows] == [1, 2, 3, 4, 5, 6]


def test_a_copy_belongs_to_its_training(tmp_path: Path) -> None:
    def recipe(rounds: int, games: int = 4) -> Recipe:
        return Recipe("tictactoe", "table", TableConfig(games=games), rounds=rounds, evaluate_games=0)

    with CountingWorkers(1) as staff:
        for rounds in (1, 2, 1, 2):
            train_to_point(recipe(rounds), tmp_path / "run", tmp_path / "run" / f"{rounds}.safetensors", staff)
        assert [read_card(tmp_path / "run" / f"{it}.safetensors").training["rounds"] for it in (1, 2)] == [1, 2]
        with pytest.raises(UserError, match="is a run with games=4"):
            train_to_point(recipe(2, games=5), tmp_path / "run", tmp_path / "run" / "2.safetensors", staff)
        (tmp_path / "run" / "1.safetensors").unlink()
        with pytest.raises(UserError, match="trained for 2 rounds, and 1 are wanted"):
            train_to_point(recipe(1), tmp_path / "run", tmp_path / "run" / "1.safetensors", staff)


def test_a_run_that_went_further_is_another_one(tmp_path: Path) -> None:
    config = TableConfig(games=4)
    with CountingWorkers(1) as staff:
        train(Recipe("tictactoe", "table", config, rounds=3, evaluate_games=0), tmp_path / "run", staff)
        fewer = Recipe("tictactoe", "table", config, rounds=2, evaluate_games=0)
        with pytest.raises(UserError, match=r"trained for 3 rounds, and 2 are wanted: .* --out"):
            train_to_the_end(fewer, tmp_path / "run", staff)
        assert train_to_the_end(fewer, tmp_path / "run", staff, or_further=True).round == 3
