"""The paper's report on tiny sizes, and the pictures of maps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from reproducing import without_times

from randori import games
from randori.app.commands.map import draw
from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.papers import reproduce
from randori.experiments.report import Figure, Table
from randori.methods.som import paper as kamei
from randori.methods.som import paper_agents as kamei_agents
from randori.methods.som import paper_beyond as kamei_beyond
from randori.methods.som import paper_claims as kamei_claims
from randori.methods.som import paper_depth as kamei_depth
from randori.methods.som import paper_retrieval as kamei_retrieval
from randori.methods.som import paper_table_2 as table_2
from randori.methods.som.config import PAPER, PAPER_THREE, SomConfig

SMALL: dict[str, Any] = {
    "height": 4, "width": 5, "data": (400,), "rough": (300,), "fine": (300,), "map_rounds": 1,
}  # fmt: skip


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the paper tiny; also for tests that interrupt it."""
    three = replace(PAPER_THREE, **SMALL)
    maps = {
        kamei.BY_PRODUCT: three,
        kamei.CONVENTIONAL: replace(three, winner="distance", thresholds="statistical"),
        kamei.SEVEN: replace(PAPER, **SMALL),
    }
    ours = replace(SomConfig(), games=10, **SMALL)
    trials = kamei_beyond.Trials(1, 2, 4, {"ours": ours, "no slopes": replace(ours, slopes=False)})
    depths = kamei_depth.Depths({1: 4, 2: 4}, {1: 6}, 3)
    size = kamei.Plan(maps, (0.1, 1.0), 3, (10, 20), 10, 10, n_runs=2, evaluated=6, trials=trials, depths=depths)
    monkeypatch.setattr(kamei, "plan", lambda scale: size)
    monkeypatch.setattr(kamei_retrieval, "N_GAMES", 6)


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
def test_all_tables_are_made_and_reproduced_from_stored_results(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("kamei", "quick", None, tmp_path, staff)
        again = reproduce("kamei", "quick", None, tmp_path, staff)
    assert without_times(again) == without_times(report)
    assert [it.title[:7] for it in report.tables] == [f"Table {number}" for number in (2, 2, 2, 2, 4, 6, 7, 8, 9)]
    retrieval, distances, _, other_share, four, six, seven, eight, nine = report.tables
    assert {it.published for it in retrieval.figures} >= {0.76, 0.68, 0.45, 0.86, 15.33, 4.76}
    assert all(0 <= it.ours <= 1 for it in six.figures if it.ours is not None)
    assert len(distances.figures) == 2
    assert not any(it.published for it in other_share.figures), "every published figure is compared once"
    figures = {it.what: it for it in (*four.figures, *seven.figures)}
    assert figures["IP-SOM, MC"].games == 40
    assert figures["7 maps and last-4 search, TD(lambda)"].published == 0.60
    assert figures["IP-SOM, TD(0), at the end"].games == 6
    assert "random moves" in figures
    assert [it.games for it in eight.figures] == [8, 8]
    assert [it.games for it in nine.figures] == [6, 4, 4, None, None]
    assert all((it.ours or 0) > 0 for it in nine.figures[3:]), "a move takes time"
    assert {it.claim for it in report.claims} == {it.claim for it in kamei_claims.QUESTIONS[:10]}
    for chart in report.charts:
        assert all(0 <= y <= 1 for curve in chart.curves for y in curve.y)
        ElementTree.fromstring((tmp_path / f"{chart.name}.svg").read_text())


@pytest.mark.usefixtures("tiny")
def test_one_table_alone_does_no_more_than_it_needs(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("kamei", "quick", 6, tmp_path, staff)
    assert [it.name for it in tmp_path.iterdir() if it.is_dir()] == [kamei.SEVEN]
    assert len(report.tables) == 1
    with CountingWorkers(1) as staff, pytest.raises(UserError, match="no table 5"):
        reproduce("kamei", "quick", 5, tmp_path, staff)


def test_the_full_plan_is_the_papers_own() -> None:
    full = kamei.plan("full")
    assert full.steps[-1] == 1_000_000
    assert replace(full.maps[kamei.SEVEN], map_rounds=PAPER.map_rounds) == PAPER
    assert kamei_retrieval.N_GAMES == 300
    conventional = full.maps[kamei.CONVENTIONAL]
    assert replace(conventional, winner="product", thresholds="zero") == full.maps[kamei.BY_PRODUCT] == PAPER_THREE
    configs = {
        agent.name: agent.config(full.maps[agent.maps], Path("maps"), 10_000)
        for agent in kamei.AGENTS
        if agent.maps in full.maps
    }
    assert configs["IP-SOM, TD(0)"].trace_decay == 0
    assert configs["IP-SOM, TD(lambda)"].trace_decay == 0.8
    assert configs["IP-SOM, MC"].method == "monte-carlo"
    readings = [configs[f"conventional SOM, MC{it}"].monte_carlo for it in ("", " split equally")]
    assert readings == ["divided-by-time", "split-equally"]
    assert configs["7 maps and last-4 search, TD(lambda)"].exact == 4
    assert len({agent.folder for agent in kamei.AGENTS}) == len(kamei.AGENTS)


def rates_with(**changed: float) -> kamei_retrieval.Rates:
    return kamei_retrieval.PUBLISHED | kamei_retrieval.PUBLISHED_WRONG | {"IP, discs": changed["ip"]}


def test_one_seed_chooses_the_share_and_the_others_report_it() -> None:
    rates_by_share = {
        0.1: [rates_with(ip=0.87), rates_with(ip=0.949), rates_with(ip=0.951)],
        1.0: [rates_with(ip=0.70), rates_with(ip=0.749), rates_with(ip=0.751)],
    }
    assert table_2.distance(rates_with(ip=0.86)) == 0
    assert table_2.fitting_share(rates_by_share) == 0.1
    first, distances, passing, other = table_2.tables_2(rates_by_share)
    figures = {it.what: it for it in first.figures}
    assert figures["IP, discs"].ours == pytest.approx(0.95)
    assert figures["IP, discs"].published == 0.86
    assert figures["IP, discs"].standing == "explained"
    assert "0.950" in str(figures["IP, discs"].explained)
    assert "0.750" in str(figures["IP, discs"].explained)
    assert "10% random moves" in first.title
    assert [it.ours for it in distances.figures] == pytest.approx([0.09 / 11**0.5, 0.11 / 11**0.5], rel=0.01)
    # 0.86 is 0.45 of the way from 0.95 to 0.75, and shares are compared by their logarithms.
    assert {it.what: it.ours for it in passing.figures}["IP, discs, 0.86"] == pytest.approx(10 * 10**0.45)
    assert "random games" in other.title


def test_a_rate_that_is_reached_far_from_the_fitting_share_stays_open() -> None:
    rates = {0.05: 0.97, 0.1: 0.95, 0.2: 0.93, 1.0: 0.70}
    rates_by_share = {share: [rates_with(ip=ip + seed / 1000) for seed in range(4)] for share, ip in rates.items()}
    rates_by_share[0.05][0] = rates_with(ip=0.86)
    first, _, passing, *_ = table_2.tables_2(rates_by_share)
    assert "5% random moves" in first.title
    assert {it.what: it.standing for it in first.figures}["IP, discs"] == "open"
    assert 20 < ({it.what: it.ours for it in passing.figures}["IP, discs, 0.86"] or 0) < 100


def test_a_rate_that_no_share_reaches_stays_open() -> None:
    rates_by_share = {
        share: [rates_with(ip=0.5 + share / 100 + seed / 1000) for seed in range(3)] for share in (0.1, 1.0)
    }
    first, _, passing, _ = table_2.tables_2(rates_by_share)
    assert {it.what: it.standing for it in first.figures}["IP, discs"] == "open"
    assert {it.what: it.ours for it in passing.figures}["IP, discs, 0.86"] is None


def test_claims_are_decided_by_the_figures() -> None:
    def verdicts(ip: float, ga: float) -> list[str]:
        rates = {"IP, discs": ip, "GA, discs": ga, "statistical, discs": 0.68}
        figures = [Figure(name, it, (it - 0.01, it + 0.01)) for name, it in rates.items()]
        return [it.verdict for it in kamei_claims.claims({2: [Table("Table 2", figures)]})]

    assert verdicts(0.86, 0.86) == ["holds", "holds"]
    assert verdicts(0.60, 0.75) == ["does not hold", "does not hold"]
    assert verdicts(0.68, 0.70) == ["undecided", "undecided"]


def test_agents_that_learned_from_unequal_numbers_of_games_decide_nothing() -> None:
    def decided(n_games: int) -> list[str]:
        rates = {"IP-SOM, MC": (0.55, 1000), "conventional SOM, MC": (0.58, n_games)}
        figures = [Figure(name, it, (it - 0.01, it + 0.01), games=n) for name, (it, n) in rates.items()]
        return [it.verdict for it in kamei_claims.claims({4: [Table("Table 4", figures)]})]

    assert decided(1000) == ["does not hold"]
    assert decided(100) == []


def test_a_rate_is_explained_by_a_line_on_the_other_side_of_the_published_one() -> None:
    ours = Figure("TD(0)", 0.51, (0.50, 0.52), 0.47)
    below, above = Figure("other maps", 0.46, (0.45, 0.465)), Figure("other rule", 0.55, (0.54, 0.56))
    assert "`other maps` has 0.460" in str(kamei_agents._explain(ours, [above, below]).explained)
    assert kamei_agents._explain(ours, [above]).standing == "open"
    inside = Figure("MC", 0.47, (0.46, 0.48), 0.47)
    assert kamei_agents._explain(inside, [below]).explained is None


def test_the_interval_of_a_ratio_holds_it() -> None:
    parts, wholes = np.array([1.0, 2.0, 4.0]), np.array([2.0, 5.0, 5.0])
    low, high = kamei_retrieval.interval_of_ratio(parts, wholes)
    assert 0.4 <= low < 7 / 12 < high <= 0.8


@pytest.mark.usefixtures("tiny")
def test_maps_and_games_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with CountingWorkers(1) as staff:
        kamei.train_maps(kamei.plan("quick").learning(tmp_path, None), (kamei.SEVEN,), staff)
    run, out = str(tmp_path / kamei.SEVEN), tmp_path / "map.svg"
    draw(run, out, stage=2)
    root = ElementTree.fromstring(out.read_text())
    boards = [it.get("d", "").count("M") for it in root.iter() if it.get("class") in ("board", "never")]
    assert sum(boards[:2]) == 20
    draw(run, out, moves="f5d6c3d3c4")
    circles = ElementTree.fromstring(out.read_text()).findall("{*}circle")
    assert [it.findtext("{*}title") for it in circles] == [f"move {n}" for n in (1, 3, 5, 2, 4)]
    draw(run, out, against="random", seed=1)
    assert "The game: " in capsys.readouterr().out
    for arguments, sentence in (
        ({"out": tmp_path / "map.png"}, "map.svg"),
        ({"stage": 8}, "the maps 1 to 7"),
        ({"moves": "f5", "against": "random"}, "not both"),
        ({"moves": "a1"}, "a1"),
        ({"file": "zoo/tictactoe-evolution"}, "has no maps"),
    ):
        with pytest.raises(UserError, match=sentence):
            draw(**{"file": run, "out": out, **arguments})  # type: ignore[arg-type]


def test_every_way_beyond_is_a_setting_of_its_own() -> None:
    assert len(set(kamei_beyond.WAYS.values())) == len(kamei_beyond.WAYS)
    assert set(kamei_beyond.BEYOND_QUICK.ways) < set(kamei_beyond.WAYS)
    assert games.game(kamei_beyond.GAME).name == kamei.GAME
