"""The paper's report on tiny sizes: figures, charts and the drawing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from reproducing import without_times

from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.papers import reproduce
from randori.methods.evolution import paper as handa
from randori.methods.evolution.config import PAPER, PAPER_REVERSI
from randori.methods.evolution.drawing import draw_network
from randori.methods.evolution.learner import EvolutionLearner
from randori.methods.evolution.paper_networks import ignored
from randori.methods.evolution.paper_players import zoo_players


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the paper tiny; also for tests that interrupt it."""
    ways = {
        "with pruning": replace(PAPER, descendants=2, standard_games=2, pruning=0.2),
        "without pruning": replace(PAPER, descendants=2, standard_games=2, pruning=0.0),
    }
    experiment = handa.Experiment("tictactoe", ways, "draws", 4, 0, 2, 4, 2, (("with pruning", "without pruning"),))
    monkeypatch.setattr(handa, "tictactoe", lambda scale: experiment)


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
def test_the_parts_are_made_and_reproduced_from_stored_results(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        parts = [reproduce("handa", "quick", number, tmp_path, staff) for number in (3, 4, 5)]
        draws, cut, drawing = (it.tables[0] for it in parts)
        assert [it.what for it in draws.figures][:2] == ["first mover, with pruning", "first mover, without pruning"]
        assert all(0 <= it.ours <= 4 for it in draws.figures if "less" not in it.what and it.ours is not None)
        assert cut.figures[0].ours is not None
        assert cut.figures[0].ours > 0
        assert "part-5.svg" in drawing.note
        assert [it.what for it in drawing.figures[1:3]] == [
            "networks of 4 that ignore attribute 0, edges",
            "networks of 4 that ignore attribute 1, corners",
        ]
        assert [len(it.claims) for it in parts] == [1, 0, 1]
        assert len(parts[0].charts) == 2
        assert "as first mover *with pruning* does not clearly differ" in draws.note
        parts[0].save(tmp_path)
        again = reproduce("handa", "quick", 3, tmp_path, staff)
    assert without_times(again) == without_times(parts[0])
    for name in ("part-3-first.svg", "part-5.svg"):
        ElementTree.fromstring((tmp_path / name).read_text())


def test_parts_that_share_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual scale is read from the runs of part 6, and our features from those of part 7."""
    for name, sizes in (("reversi", (4, 2)), ("readings", (2, 1)), ("beyond", (2, 1)), ("proposing", (2, 1))):
        whole = getattr(handa, name)("quick")
        ways = {
            way: replace(it, descendants=1, standard_games=2, strategy="one-fifth") for way, it in whole.ways.items()
        }
        small = replace(whole, ways=ways, measured_games=2, n_runs=2, generations=sizes[0], points=sizes[1])
        monkeypatch.setattr(handa, name, lambda scale, small=small: small)
    with CountingWorkers(1) as staff:
        parts = {number: reproduce("handa", "quick", number, tmp_path, staff) for number in (10, 6, 11)}
    assert len(parts[6].claims) == 2
    assert not (tmp_path / "beyond" / "15-rule-0").exists()
    lines = {number: [it.what for it in part.tables[0].figures] for number, part in parts.items()}
    assert lines[10][:3] == ["first mover, the recipe", "first mover, 4 discs", "first mover, 8 discs"]
    assert "first mover, our features and made ones minus our features" in lines[11]


def test_what_a_network_ignores() -> None:
    network = np.array([[0.0, 2.0, 0.0, 1.0, 0.7], [1.0, 0.0, 0.0, 1.0, 0.0]])
    assert ignored(network).tolist() == [True, False, True]


@pytest.mark.usefixtures("tiny")
def test_without_pruning_no_link_is_cut(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        found = handa.run_all(handa.tictactoe("quick"), range(2), tmp_path, staff)
    assert all((run.cut == 0).all() for run in found["without pruning"])


def test_recipes_are_as_published() -> None:
    assert (PAPER.descendants, PAPER_REVERSI.descendants) == (9, 19)
    for it in (PAPER, PAPER_REVERSI):
        assert (it.mutation, it.pruning, it.variance) == (0.2, 0.005, 0.05)
        assert (it.standard_games, it.elite_games, it.seats, it.strategy) == (9, 1, "apart", "one-fifth")
        assert (it.regrowth, it.births) == (0, 0)
    full = handa.tictactoe("full")
    assert (full.n_runs, full.measured_games) == (10, 50)
    assert handa.reversi("full").measured_games == 100
    presets = EvolutionLearner.presets
    assert (full.generations, handa.reversi("full").generations) == (
        presets["paper"].rounds, presets["paper-reversi"].rounds,
    )  # fmt: skip


def test_ways_beyond_the_paper_have_equal_games() -> None:
    for scale in ("quick", "full"):
        ways = [*handa.beyond(scale).ways.values(), *handa.proposing(scale).ways.values()]
        assert len({(it.descendants, it.standard_games, it.elite_games, it.seats) for it in ways}) == 1


def test_there_is_no_part_twelve(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(UserError, match="no table 12"):
        reproduce("handa", "quick", 12, tmp_path, staff)


@pytest.mark.thorough
def test_players_of_the_zoo_win_most_of_their_games() -> None:
    with CountingWorkers(1) as staff:
        table = zoo_players(60, staff)
    shares = {it.what: it.ours for it in table.figures if "won" in it.what}
    assert len(shares) == 4
    for name, share in shares.items():
        assert share is not None
        assert share > (80 if "looking" in name else 50)


def test_intervals_hold_the_mean() -> None:
    values = np.array([1.0, 2.0, 4.0])
    low, high = handa.interval_of_mean(values)
    assert 1 <= low < values.mean() < high <= 4
    low, high = handa.interval_of_difference(values, values)
    assert low < 0 < high


def test_the_drawing_leaves_dead_links_out() -> None:
    network = np.array([[1.0, -2.0, 0.5, 0.7], [1.0, 1.0, 1.0, 0.0]])
    drawing = draw_network(network, ["a <b>", "c"], "title")
    root = ElementTree.fromstring(drawing)
    assert len(root.findall("{*}path")) == 4
    assert len(root.findall("{*}circle")) == 3 + 1 + 1
