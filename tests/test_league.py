"""The league, end to end with tiny trainings: wherever it is interrupted, the result is the same."""

from __future__ import annotations

import csv
import json
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import commands
import numpy as np
import pytest
from leagues import TINY, kill_and_go_on, made, without_times
from processes import needs_proc

import randori
from randori import games, methods, players
from randori.core.game import Game, States
from randori.core.player import Choice, PlayerFailed
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.experiments.findings import Figure
from randori.experiments.league import LeagueRequest, make_league, read_league
from randori.experiments.league.claims import claims
from randori.experiments.league.drawing import called
from randori.experiments.league.league import _locked
from randori.experiments.league.plan import POINTS, in_words, plan
from randori.experiments.league.rating import Meetings
from randori.experiments.league.standing import Rank, added_by_search, joint_ranks, mean_rating, standings
from randori.experiments.league.thought import options_within
from randori.experiments.league.writing import markdown
from randori.experiments.run import Run
from randori.methods import Suited, Thinking
from randori.methods.table.learner import TableConfig
from randori.players.files import find_file, read_card


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league that ran without interruption."""
    folder = tmp_path_factory.mktemp("league") / "whole"
    made(folder)
    return folder


def test_a_league_is_complete(whole: Path) -> None:
    league = read_league(whole)
    assert [it["game"] for it in league["games"]] == ["tictactoe", "othello4"]
    small, othello = league["games"]
    assert [it["name"] for it in small["lines"]] == ["table", "evolution", "comparison"]
    assert set(othello["refusals"]) == {"comparison"}
    assert othello["refusals"]["comparison"].endswith(".")
    for of_game in league["games"]:
        for it in of_game["snapshots"]:
            card = read_card(whole / of_game["game"] / it["file"])
            assert (card.game, card.learner, card.training["rounds"]) == (of_game["game"], it["line"], it["round"])
            for question in ("knowledge", "player"):
                found = it[question]
                assert found["rating"]["low"] <= found["rating"]["elo"] <= found["rating"]["high"]
                assert 20 <= found["rating"]["games"] <= TINY.most_games
                assert 0 <= found["accuracy"]["share"] <= 1
                assert found["milliseconds"] > 0
    assert {it["knowledge"]["options"] for it in small["snapshots"] if it["line"] == "evolution"} == {"depth=1,exact=0"}
    assert all("nodes=" in it["player"]["options"] for it in small["snapshots"] if it["line"] == "evolution")


def test_each_snapshot_has_twice_the_time_of_the_one_before(whole: Path) -> None:
    rows = [it for it in read_league(whole)["games"][0]["snapshots"] if it["line"] == "table"]
    assert len(rows) >= 4
    assert [it["round"] for it in rows] == sorted({it["round"] for it in rows})
    for it in rows:
        assert it["cpu_seconds"] >= TINY.thresholds()[it["point"]]
    assert rows[-1]["point"] == POINTS - 1
    # The last round ends after the time is up, and no other begins.
    assert rows[-1]["cpu_seconds"] < 2 * TINY.budget


def test_its_files_agree(whole: Path) -> None:
    league = read_league(whole)
    rows = list(csv.DictReader((whole / "league.csv").open()))
    assert len(rows) == 2 * sum(len(it["snapshots"]) for it in league["games"])
    first = league["games"][0]["snapshots"][0]
    rungs = {called(it["player"]) for it in league["games"][0]["rungs"]}
    assert float(rows[0]["elo"]) == first["knowledge"]["rating"]["elo"]
    for name in ("knowledge", "player", "knowledge-accuracy", "player-accuracy"):
        svg = ElementTree.parse(whole / f"tictactoe-{name}.svg").getroot()
        texts = [it.text for it in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert "Evolution" in texts
        assert bool(rungs & set(texts)) == ("accuracy" not in name)
    text = (whole / "league.md").read_text()
    assert "`comparison` does not take part: " in text
    assert text.count("### Knowledge alone") == text.count("### As a player") == 2
    assert "What search adds" in text
    overview = text[text.index("## All games") : text.index(f"## {league['games'][0]['title']}")]
    assert "| Knowledge alone: rank" in overview
    rows = [it.split("|")[1:-1] for it in overview.splitlines() if it.startswith("| Evolution")]
    for question, (_, *ranks) in zip(("knowledge", "player"), rows, strict=True):
        for of_game, rank in zip(league["games"], ranks, strict=True):
            found = {it.line: it.rank.words for it in standings(of_game, question)}
            assert rank.strip() == found.get("evolution", "-")
    assert league["command"] in text


def test_a_complete_league_is_only_read(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (whole / "league.json").read_bytes()
    monkeypatch.setattr(Run, "begin", lambda *_: pytest.fail("it was trained again"))
    monkeypatch.setattr(Meetings, "add", lambda *_: pytest.fail("it was played again"))
    made(whole)
    assert (whole / "league.json").read_bytes() == before


@pytest.mark.thorough
def test_it_does_not_depend_on_the_workers(whole: Path, tmp_path: Path) -> None:
    assert without_times(made(tmp_path / "two", workers=2, like=whole)) == without_times(whole)


def test_an_interrupted_league_gives_the_same(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, left, n_interrupts = np.random.default_rng(3), 0, 0

    def interrupting(inside: Any) -> Any:
        def called(*args: Any, **kwargs: Any) -> Any:
            nonlocal left, n_interrupts
            left -= 1
            if left == 0:
                n_interrupts += 1
                raise KeyboardInterrupt
            return inside(*args, **kwargs)

        return called

    monkeypatch.setattr(Run, "note", interrupting(Run.note))
    monkeypatch.setattr(Run, "save", interrupting(Run.save))
    monkeypatch.setattr(Meetings, "add", interrupting(Meetings.add))
    for _ in range(6):
        left = int(rng.integers(1, 30))
        with suppress(KeyboardInterrupt):
            made(tmp_path / "parts", like=whole)
    left = -1
    assert without_times(made(tmp_path / "parts", like=whole)) == without_times(whole)
    assert n_interrupts >= 3


@needs_proc
@pytest.mark.thorough
def test_a_killed_league_gives_the_same(whole: Path, tmp_path: Path) -> None:
    kill_and_go_on(whole, tmp_path / "parts", TINY, 3, 1)


def test_more_players_can_join_a_league(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "mine"
    with CountingWorkers(1) as staff:
        train(Recipe("tictactoe", "table", TableConfig(games=8), 5, rounds=6, evaluate_games=0), run, staff)
        folder = tmp_path / "league"
        few = LeagueRequest(("tictactoe",), ("table",), budget=0.1, seeds=1, most_games=20)
        make_league(few, folder, staff)
        more = replace(few, joined=("uct:simulations=5", "zoo/tictactoe-som", str(run)))
        with monkeypatch.context() as patched:
            patched.setattr(Run, "begin", lambda *_: pytest.fail("it was trained again"))
            found = make_league(more, folder, staff)["games"][0]
    assert [it["name"] for it in found["lines"]] == ["table", "uct:simulations=5", "tictactoe-som", "mine"]
    by_line: dict[str, list[Any]] = {}
    for it in found["snapshots"]:
        by_line.setdefault(it["line"], []).append(it)
    assert [it["round"] for it in by_line["mine"]] == [1, 2, 4, 6]
    assert all(it["cpu_seconds"] for it in by_line["mine"])
    assert by_line["tictactoe-som"][0]["cpu_seconds"] == pytest.approx(7.664)
    assert by_line["uct:simulations=5"][0]["knowledge"] is None
    assert by_line["uct:simulations=5"][0]["player"]["rating"]["games"] == 20
    assert "uct:simulations=5" in {it.line for it in standings(found, "player")}
    assert "uct:simulations=5" in (folder / "tictactoe-player.svg").read_text()


def test_games_that_a_later_request_leaves_out_stay(tmp_path: Path) -> None:
    few = LeagueRequest(("othello4",), ("table",), budget=0.05, seeds=1, most_games=20)
    before = made(tmp_path, few)
    both = made(tmp_path, replace(few, games=("tictactoe",)))
    assert [it["game"] for it in both["games"]] == ["tictactoe", "othello4"]
    assert both["games"][1] == before["games"][0]
    assert both["command"] == replace(few, games=("tictactoe", "othello4")).command
    assert read_league(tmp_path) == both


def test_games_of_another_league_do_not_stay(tmp_path: Path) -> None:
    few = LeagueRequest(("othello4",), ("table",), budget=0.05, seeds=1, most_games=20)
    made(tmp_path, few)
    other = made(tmp_path, replace(few, games=("tictactoe",), most_games=24))
    assert [it["game"] for it in other["games"]] == ["tictactoe"]
    (tmp_path / "league.json").write_text("{")
    assert [it["game"] for it in made(tmp_path, few)["games"]] == ["othello4"]


def test_another_authors_method_is_a_line(tmp_path: Path) -> None:
    mine = replace(methods.find("table"), name="my-table", title="Mine")
    methods.REGISTRY.register(mine)
    try:
        league = made(
            tmp_path / "league", LeagueRequest(("tictactoe",), ("my-table",), budget=0.05, seeds=1, most_games=20)
        )
    finally:
        methods.REGISTRY._foreign.pop("my-table")
    assert [it["title"] for it in league["games"][0]["lines"]] == ["Mine"]
    assert league["games"][0]["snapshots"][-1]["knowledge"]["options"] == ""


@dataclass(frozen=True)
class Gone:
    game: Game
    name: str = "gone"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        raise PlayerFailed(self.name, "Its program is gone; start it again.")


@pytest.fixture
def gone() -> Iterator[None]:
    randori.register(players.PlayerKind("gone", Gone, "nobody", offers=lambda game: ()))
    yield
    players.REGISTRY._foreign.pop("gone")


def test_a_player_that_cannot_play_leaves(gone: None, tmp_path: Path) -> None:
    request = LeagueRequest(("tictactoe",), ("table",), budget=0.05, seeds=1, joined=("gone",), most_games=20)
    found = made(tmp_path / "league", request)
    of_game = found["games"][0]
    assert of_game["failures"] == {"gone": "Its program is gone; start it again."}
    assert {it.line for it in standings(of_game, "player")} == {"table"}
    assert "`gone` could not play: Its program is gone" in markdown(found, 0.0)


def test_a_torn_line_is_not_a_meeting(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "meetings.jsonl"
    lines = (whole / "tictactoe" / "meetings-knowledge.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:-9])
    assert Meetings(path).n_games == 60
    assert path.read_bytes() == b"".join(lines[:3])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seeds": 0}, "'seeds' must be 1 or more"),
        ({"most_games": 10}, "'most-games' must be 20 or more"),
        ({"milliseconds": 0.0}, "positive"),
        ({"games": ("tictactoe", "tictactoe")}, "twice"),
        ({"games": ("chess",)}, "no game 'chess'"),
        ({"methods": ("tables",)}, "no learner 'tables'"),
    ],
)
def test_impossible_requests_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        replace(TINY, **changed)


def test_impossible_plans_are_refused() -> None:
    with pytest.raises(UserError, match="Nobody in this league plays Connect Four"):
        plan(LeagueRequest(("connect4",), ("table",)))
    with pytest.raises(UserError, match="rung of the ladder"):
        plan(LeagueRequest(("tictactoe",), ("table",), joined=("random",)))
    with pytest.raises(UserError, match="no player at 'runs/nobody'"):
        plan(LeagueRequest(("tictactoe",), ("table",), joined=("runs/nobody",)))


def test_two_lines_of_one_name_are_refused(tmp_path: Path) -> None:
    shutil.copy(find_file("zoo/tictactoe-som"), tmp_path / "table.safetensors")
    with pytest.raises(UserError, match="Two lines of Tic-Tac-Toe are called 'table'"):
        plan(LeagueRequest(("tictactoe",), ("table",), joined=(str(tmp_path / "table.safetensors"),)))


def test_a_league_is_made_by_one_process_at_a_time(whole: Path) -> None:
    with _locked(whole), pytest.raises(UserError, match="is being made by another process"):
        made(whole)


def test_another_league_is_not_overwritten(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="made without --like"):
        made(whole, like=whole)
    with pytest.raises(UserError, match=r"made with --budget 0\.15"):
        made(whole, replace(TINY, budget=1.0))
    (tmp_path / "letter.txt").write_text("Dear all")
    with pytest.raises(UserError, match="not empty and does not hold a league"):
        made(tmp_path)
    with pytest.raises(UserError, match=r"no file '.*league.json'"):
        made(tmp_path / "new", like=tmp_path)


def test_the_plan_in_words() -> None:
    request = LeagueRequest(("tictactoe", "connect4"), ("table", "ntuple"), budget=60.0, seeds=2)
    first, second, refusal, last = in_words(request, plan(request))
    assert first == "Tic-Tac-Toe: Table, N-tuples; 4 trainings of 1 min of CPU time."
    assert second == "Connect Four: N-tuples; 2 trainings of 1 min of CPU time."
    assert refusal.startswith("Connect Four without table: A table needs a row for each position")
    assert "up to 42 snapshots play up to 100 games each" in last
    assert "Expect about 6 minutes of CPU time for learning" in last


def test_a_method_says_which_preset_suits_a_budget() -> None:
    suited = (Suited("short", ("connect4",), 60.0), Suited("long", ("connect4",)), Suited("quick", cpu_seconds=1.0))
    method = replace(methods.find("table"), suited=suited)
    questions = [("connect4", 60.0), ("connect4", 61.0), ("hex5", 1.0), ("hex5", 2.0)]
    assert [method.preset_for(games.game(name), seconds) for name, seconds in questions] == [
        "short", "long", "quick", "default",
    ]  # fmt: skip
    for it in methods.all_methods().values():
        assert {one.preset for one in it.suited} <= set(it.load_presets())
        assert {name for one in it.suited for name in one.games} <= set(games.names())
        assert set(it.thinking) <= set(it.players)


@pytest.mark.parametrize(
    ("thinking", "options"),
    [
        (Thinking("", "nodes"), "nodes=990"),
        (Thinking("", "depth", in_steps=True), "depth=9"),
        (Thinking("", "depth", least=0, in_steps=True), "depth=9"),
        (Thinking("alone=1"), ""),
    ],
)
def test_thought_grows_to_the_time_for_a_move(thinking: Thinking, options: str) -> None:
    def cost(option: str) -> float:
        name, _, value = option.partition("=")
        return int(value) * 0.01 if name == "nodes" else 2.0 ** int(value) / 60

    assert options_within(thinking, 9.9, cost) == options


def test_a_player_that_is_always_too_slow_thinks_as_little_as_it_can() -> None:
    assert options_within(Thinking("", "simulations", least=2), 10.0, lambda option: 50.0) == "simulations=2"

    def full(option: str) -> float:
        if int(option.partition("=")[2]) > 40:
            raise UserError("That is too much.")
        return 1.0

    assert options_within(Thinking("", "simulations"), 10.0, full) == "simulations=32"


def test_ranks_are_joint_where_intervals_overlap() -> None:
    figures = [Figure("a", 900, (850, 950)), Figure("b", 880, (800, 940)), Figure("c", 600, (550, 650))]
    assert joint_ranks(figures) == [Rank(1, 2), Rank(1, 2), Rank(3, 3)]
    assert [it.words for it in joint_ranks(figures)] == ["1-2", "1-2", "3"]
    # A middle one that differs from neither shares a place with both, who still differ from each other.
    chain = [Figure("a", 900, (850, 950)), Figure("b", 840, (780, 900)), Figure("c", 780, (730, 830))]
    assert joint_ranks(chain) == [Rank(1, 2), Rank(1, 3), Rank(2, 3)]
    assert joint_ranks([Figure("a", 1.0, (0.0, 2.0))]) == [Rank(1, 1)]


def rating(elo: float, width: float, extrapolated: str | None = None) -> dict[str, Any]:
    return {"elo": elo, "low": elo - width, "high": elo + width, "games": 20, "extrapolated": extrapolated}


def test_means_over_seeds_are_no_more_certain_than_their_ratings() -> None:
    assert mean_rating([rating(500, 40)]) == (500, (460, 540))
    mean, (low, high) = mean_rating([rating(500, 40), rating(500, 40), rating(500, 40)])
    assert mean == 500
    assert high - mean == mean - low == pytest.approx(40 / np.sqrt(3))
    mean, (low, high) = mean_rating([rating(400, 10), rating(500, 10), rating(600, 10)])
    assert (low, high) == pytest.approx((500 - 4.303 * 100 / np.sqrt(3), 500 + 4.303 * 100 / np.sqrt(3)), rel=1e-3)


def of_game(**lines: tuple[float, float, str | None]) -> dict[str, Any]:
    """A league of one seed; each line has its ratings by knowledge and as a player."""
    measured = {"options": "", "milliseconds": 1.0, "accuracy": None}
    snapshots = [
        {"line": name, "seed": 0, "point": 0, "cpu_seconds": 1.0}
        | {"knowledge": {**measured, "rating": rating(alone, 30)}}
        | {"player": {**measured, "rating": rating(thinking, 40, beyond)}}
        for name, (alone, thinking, beyond) in lines.items()
    ]
    return {"lines": [{"name": it, "title": it.title()} for it in lines], "snapshots": snapshots}


def test_what_search_adds_has_an_interval() -> None:
    found = added_by_search(of_game(a=(400.0, 900.0, None), b=(700.0, 650.0, None)))
    assert [(it.title, it.elo) for it in found] == [("A", 500.0), ("B", -50.0)]
    assert found[0].interval == pytest.approx((450, 550))


def test_no_player_is_clearly_ahead_of_an_extrapolated_one() -> None:
    ranked = standings(of_game(a=(0.0, 900.0, None), b=(0.0, 600.0, "above"), c=(0.0, 590.0, None)), "player")
    assert [(it.line, it.rank.words) for it in ranked] == [("a", "1-2"), ("b", "1-3"), ("c", "2-3")]


def test_claims_say_no_more_than_intervals_allow() -> None:
    found = of_game(a=(400.0, 900.0, None), b=(410.0, 650.0, None), c=(300.0, 330.0, None))
    found |= {"rungs": [{"player": "uct:simulations=10,c=1.4", "elo": 400.0}, {"player": "best", "elo": 1000.0}]}
    assert claims(found, 80.0) == [
        "On knowledge alone, after 10 CPU seconds, B or A may lead; clearly behind: C.",
        "As players, after 10 CPU seconds, clearly ahead of all others: A.",
        "On knowledge alone, after 80 CPU seconds, B or A may lead; clearly behind: C.",
        "As players, after 80 CPU seconds, clearly ahead of all others: A.",
        "Search adds 500 Elo (450 .. 550) to A.",
        "Search adds 240 Elo (190 .. 290) to B.",
        "Clearly weaker than `best`, even with search: A and B.",
        "Clearly weaker than `uct:simulations=10`, even with search: C.",
    ]
    alike = of_game(a=(0.0, 0.0, None), b=(0.0, 0.0, None)) | {"rungs": []}
    assert claims(alike, 16.0)[1] == "As players, after 2 CPU seconds, no method is clearly behind another."
    assert len(claims(alike, 16.0)) == 4
    # A leads, but not clearly ahead of B, whose interval is wide: neither is proved to be the strongest.
    wide = of_game(a=(0.0, 900.0, None), b=(0.0, 600.0, "above"), c=(0.0, 590.0, None)) | {"rungs": []}
    assert claims(wide, 16.0)[1] == "As players, after 2 CPU seconds, A or B may lead; clearly behind: C."
    below = wide | {"rungs": [{"player": "best", "elo": 2000.0}]}
    assert claims(below, 16.0)[-1] == "Clearly weaker than `best`, even with search: A and C."


def test_a_training_can_end_by_cpu_time(tmp_path: Path) -> None:
    recipe = Recipe("tictactoe", "table", TableConfig(games=50), evaluate_games=0)
    with CountingWorkers(1) as staff:
        short = train(recipe, tmp_path / "run", staff, cpu_seconds=0.05)
        again = train(recipe, tmp_path / "run", staff, cpu_seconds=0.05)
        longer = train(recipe, tmp_path / "run", staff, cpu_seconds=2 * short.progress.cpu_seconds)
    assert short.complete
    assert again.progress.round == short.progress.round
    assert longer.progress.round > short.progress.round
    assert longer.progress.cpu_seconds >= 2 * short.progress.cpu_seconds


def test_the_command_continues_and_names_the_next_ones(
    whole: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*TINY.command.split()[1:], "--out", whole, "--workers", 1]
    result = commands.run(capsys, monkeypatch, *words)
    assert result.status == 0
    assert "Othello 4x4 without comparison: " in result.err
    assert f"next: randori play --runs {whole.parent}" in result.out
    assert "next: randori play --terminal --opponent " in result.out
    result = commands.run(capsys, monkeypatch, *words, "--json")
    assert json.loads(result.out) == read_league(whole)
    result = commands.run(capsys, monkeypatch, "league", "--games", "connect4", "--methods", "table")
    assert result.status == 2
    assert result.err == "randori: Nobody in this league plays Connect Four: name other games or methods.\n"
