"""A league that is killed again and again gives the same figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from leagues import kill_and_go_on, made
from processes import needs_proc

from randori.experiments.league import LeagueRequest

Promise = Callable[[str, str, int, str], None]
KILLS = 20


@needs_proc
@pytest.mark.hard(minutes=10)
def test_a_league_that_is_killed_gives_the_same(tmp_path: Path, promise: Promise) -> None:
    request = LeagueRequest(
        ("tictactoe", "othello4"), ("table", "evolution", "ntuple"), budget=1.0, seeds=2, most_games=60
    )
    made(tmp_path / "whole", request, workers=2)
    killed = kill_and_go_on(tmp_path / "whole", tmp_path / "parts", request, KILLS, 2, seconds=4.0)
    promise(
        "A league that is killed goes on to the same figures; its workers end with it.",
        "SIGKILL of `randori league` at any moment of training, measuring and rating, with two workers",
        KILLS,
        f"the same JSON but for times; {killed} times it was at work",
    )
