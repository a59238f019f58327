"""The model of how far asynchronous learning scales: its narrowest place, and what real processes make of it."""

import numpy as np
import pytest
from test_asynchronous import lessons_of

import randori
from randori.app.bench import flow as rows
from randori.app.bench.scaling import LINK, Costs, flow, rehearse
from randori.experiments import CountingWorkers
from randori.networks import Network, residual_for
from randori.networks.modules import make_module, tensors_of

COSTS = Costs(positions=100, play=0.5, learn=0.1, keep=0.01, weights=1_000_000, games=50_000)


def test_the_narrowest_place_decides() -> None:
    assert flow(COSTS, 1) == (2.0, "the actors")
    assert flow(COSTS, 1000) == (10.0, "learning")
    assert flow(COSTS, 1000, learner=None) == (100.0, "keeping games on the disk")
    assert flow(COSTS._replace(keep=0.001), 1000, None) == (LINK / 1_000_000, "weights on the network")
    assert flow(COSTS._replace(keep=0.0001, weights=1), 10_000, None) == (LINK / 50_000, "games on the network")


@pytest.mark.thorough
@pytest.mark.parametrize("actors", [1, 2, 4])
def test_the_model_holds_where_tasks_sleep(actors: int) -> None:
    """Both where actors and where learning are what stops it."""
    shape = residual_for(randori.game("tictactoe"), 4, 1)
    network = Network(shape, tensors_of(make_module(shape, np.random.default_rng(0))))
    for learn in (0.0, 0.4):
        costs = COSTS._replace(play=0.2, learn=learn)
        expected = flow(costs, actors, learner=1.0 if learn else None).tasks
        measured = rehearse([lessons_of(50), lessons_of(60)], network, costs, actors, 8)
        assert 0.6 < measured / expected < 1.2


@pytest.mark.thorough
def test_rows_of_the_bench_count_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_GAME", "tictactoe")
    monkeypatch.setattr(rows, "_GAMES_A_TASK", 4)
    for begin in (rows._playing, rows._learning):
        with CountingWorkers(1) as staff, begin(staff) as work:
            work()
            assert 4 * 4 * 2 <= work() <= 8 * 4 * 9
