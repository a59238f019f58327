"""Trainings of the page on servers that are killed."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import numpy as np
import pytest
from conftest import Promise
from serving import serving
from test_trainings_served import go_on, start, trainers, until_no_trainer

N_KILLS = 20


@pytest.mark.hard(minutes=8)
def test_a_training_survives_many_servers_and_outlives_none(tmp_path: Path, promise: Promise) -> None:
    rng = np.random.default_rng(0)
    cookies, path, last, took = httpx.Cookies(), "", 0, []
    for kill in range(N_KILLS):
        with serving(tmp_path) as server, httpx.Client(base_url=server.address, cookies=cookies) as owner:
            if kill:
                last = go_on(owner, path, last)
            else:
                path, cookies = start(owner), owner.cookies
            assert len(trainers(tmp_path)) == 1
            time.sleep(rng.uniform(0, 1.5))  # at any moment of a round, a checkpoint or a rating
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            took.append(until_no_trainer(tmp_path))
    run = tmp_path / "runs" / path.rpartition("/")[2]
    kept = sorted((run / "snapshots").iterdir())
    _train(tmp_path / "whole", int(kept[-1].stem))
    for snapshot in kept:
        assert snapshot.read_bytes() == (tmp_path / "whole" / "snapshots" / snapshot.name).read_bytes()
    promise(
        "A training of the page ends with its server, whatever ends that, and nothing it had saved is lost.",
        "SIGKILL of the server at any moment of a training, restart, continue as the same visitor",
        N_KILLS,
        f"no process left after at most {max(took):.1f} s; the same owner; all {len(kept)} players kept after rounds "
        f"1 to {int(kept[-1].stem):,} have the bytes of an uninterrupted run",
    )


def _train(folder: Path, n_rounds: int) -> None:
    command = [sys.executable, "-m", "randori", "train", "table", "--game", "tictactoe", "--rounds", str(n_rounds)]
    subprocess.run(
        [*command, "--out", str(folder), "--workers", "1", "--evaluate-games", "0"], check=True, capture_output=True
    )
