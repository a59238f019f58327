"""The model of how far asynchronous learning scales: its narrowest place, and what real processes make of it."""

import sys
from pathlib import Path

import numpy as np
import pytest
from test_asynchronous import lessons_of

import randori
from randori.app.bench import flow as rows
from randori.app.bench import recipes, rounds
from randori.app.bench.scaling import LINK, Costs, flow, rehearse
from randori.app.bench.writing import publish
from randori.experiments import CountingWorkers
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.learner import Preset
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
    """Both where the actors and where learning are the narrowest place."""
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


@pytest.mark.thorough
def test_recipes_are_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rounds of a recipe beside the rounds that its name has room for."""
    config = AlphaZeroConfig(channels=4, blocks=1, simulations=2, openings=2, games=640, batch=8)
    monkeypatch.setattr(recipes, "RECIPES", {"tictactoe-30s": Preset(config, 10, "", 30.0, "tictactoe")})
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- recipes -->\nold\n<!-- end of recipes -->\nAfter.\n")
    monkeypatch.setattr(sys, "argv", ["recipes", str(page)])
    publish("recipes", recipes.table())
    text = page.read_text()
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert "old" not in text
    (row,) = [it for it in text.splitlines() if "tictactoe-30s" in it]
    name, network, rounds, positions, *_, a_round, minutes, fitting = [it.strip() for it in row.strip("|").split("|")]
    assert (name, network, rounds) == ("`tictactoe-30s`", "4 x 1", "10")
    assert 4 < float(positions) < 9
    assert float(minutes) == pytest.approx(10 * float(a_round) / 2 / 0.9 / 60, abs=0.06)
    assert float(fitting.replace(",", "")) == pytest.approx(30 * 0.9 * 2 / float(a_round), rel=0.1)


@pytest.mark.thorough
def test_rounds_are_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part that ends first waits; a round takes at least as long as the longer part."""
    config = AlphaZeroConfig(simulations=2, games=8, batch=8, uses=1.0, exact=20)
    monkeypatch.setattr(rounds, "RECIPES", {"connect4-20m": Preset(config, 10, "", 30.0, "connect4")})
    found = rounds.measured("connect4-20m")
    assert min(found.play, found.learn) > 0
    assert found.seconds > max(found.play, found.learn)
    assert found.positions > 8
    monkeypatch.setattr(rounds, "_MEASURED", ("connect4-20m",))
    (row,) = [it for it in rounds.table().splitlines() if "`connect4-20m`" in it]
    _, _, play, learn, play_waits, learn_waits, *rates = [it.strip() for it in row.strip("|").split("|")]
    waits = float(learn.removesuffix(" s")) - float(play.removesuffix(" s"))
    assert float(play_waits.removesuffix(" s")) - float(learn_waits.removesuffix(" s")) == pytest.approx(
        waits, abs=0.02
    )
    assert all(float(it.replace(",", "")) > 0 for it in rates)
