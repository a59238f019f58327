"""Trainings and tournaments that are started on the page: whose they are, and that they end with the server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from waiting import wait_for

from randori import games
from randori.app.service.claims import FOLDER, Claim, Claims, Who
from randori.app.service.menu import Menu
from randori.app.service.refusals import Forbidden, Invalid, Refusal, TooMany
from randori.app.service.settings import Wishes
from randori.app.service.tournaments import Tournaments
from randori.app.service.trainings import Trainings
from randori.app.service.watched_run import COMPLETE, STOPPED
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.methods.table.learner import TableConfig

OWNER = Who("owner", is_owner=True)
ANN, BEN = Who("ann"), Who("ben")
TABLE = ("table", "tictactoe", "20m")
TICTACTOE = games.game("tictactoe")


@pytest.fixture
def trainings(tmp_path: Path) -> Iterator[Trainings]:
    """Open to all."""
    trainings = Trainings(tmp_path, open_to_all=True)
    yield trainings
    trainings.close()


def small_run(folder: Path) -> None:
    with CountingWorkers(1) as staff:
        train(Recipe("tictactoe", "table", TableConfig(games=10), rounds=2, evaluate_games=0), folder, staff)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(it.relative_to(folder)): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


def test_only_the_owner_starts_trainings_unless_they_are_open_to_all(tmp_path: Path) -> None:
    closed = Trainings(tmp_path)
    assert closed.may_start(OWNER)
    assert not closed.may_start(ANN)
    with pytest.raises(Forbidden, match="--open-training") as error:
        closed.start(ANN, *TABLE)
    assert error.value.status == 403
    assert list(tmp_path.iterdir()) == []
    assert Trainings(tmp_path, open_to_all=True).may_start(ANN)


def test_a_training_belongs_to_the_person_who_started_it(trainings: Trainings) -> None:
    small_run(trainings.folder / "tictactoe-table")
    owners = contents(trainings.folder / "tictactoe-table")
    name = trainings.start(ANN, *TABLE)
    wait_for(lambda: name in trainings.names())
    assert name != "tictactoe-table"
    assert trainings.status(ANN, name).words == "yours, learning"
    assert trainings.status(BEN, name).words == "somebody else's, learning"
    assert [trainings.status(it, name).may_stop for it in (ANN, BEN, OWNER)] == [True, False, True]
    with pytest.raises(Forbidden, match="Only whoever started"):
        trainings.stop(BEN, name)
    with pytest.raises(TooMany):
        trainings.start(BEN, *TABLE)
    trainings.stop(ANN, name)
    wait_for(lambda: trainings.status(ANN, name).ended == STOPPED)
    assert [trainings.status(it, name).may_continue for it in (ANN, BEN, OWNER)] == [True, False, True]
    with pytest.raises(Forbidden, match="Only whoever started"):
        trainings.go_on(BEN, name)
    assert contents(trainings.folder / "tictactoe-table") == owners
    assert trainings.status(OWNER, "tictactoe-table").words == ""
    for act in (trainings.stop, trainings.go_on):
        with pytest.raises(Forbidden):
            act(OWNER, "tictactoe-table")


def test_two_trainings_never_share_a_folder(trainings: Trainings) -> None:
    names = []
    for who in (ANN, BEN, OWNER):
        names.append(trainings.start(who, *TABLE))
        trainings.stop(OWNER, names[-1])
        wait_for(lambda: not trainings.is_going_on(names[-1]))
    assert len(set(names)) == 3


@pytest.mark.parametrize("name", ["..", "../..", "nothing", ".page", ""])
def test_an_unlisted_training_can_be_neither_stopped_nor_continued(trainings: Trainings, name: str) -> None:
    for act in (trainings.stop, trainings.go_on):
        with pytest.raises(Forbidden):
            act(OWNER, name)


def test_forged_choices_are_refused(trainings: Trainings) -> None:
    for chosen in (("table", "tictactoe", "9h"), ("--out", "tictactoe", "1m"), ("table", "../tictactoe", "1m")):
        with pytest.raises((Invalid, Refusal)):
            trainings.start(OWNER, *chosen)
    assert list(trainings.folder.iterdir()) == []


def test_wishes_become_flags_of_the_command_and_last_with_the_claim(trainings: Trainings) -> None:
    wishes = Wishes(seed="7", settings={"games": "20", "memory": "50"})
    name = trainings.start(ANN, *TABLE, wishes)
    wait_for(lambda: name in trainings.names())
    assert Claims(trainings.folder).find(name) == Claim(ANN.key, *TABLE, flags=("--seed", "7", "--games", "20"))
    settings = trainings.run(name).settings
    assert (settings["seed"], settings["games"], settings["memory"]) == (7, 20, 50)
    trainings.stop(ANN, name)
    wait_for(lambda: trainings.status(ANN, name).ended == STOPPED)
    trainings.go_on(ANN, name)  # the recipe would refuse other settings
    wait_for(lambda: trainings.run(name).rows)
    assert trainings.status(ANN, name).complaint == ""
    assert 0 < (trainings.run(name).seconds_left or 0) < 1200


@pytest.mark.parametrize(
    "wishes",
    [
        Wishes(preset="--out"),
        Wishes(seed="-1"),
        Wishes(seed="1e3"),
        Wishes(seed="9" * 30),
        Wishes(settings={"games": "1000000"}),
        Wishes(settings={"games": "--out"}),
        Wishes(settings={"games": "nan"}),
        Wishes(settings={"games": "0"}),
        Wishes(settings={"out": "/tmp"}),
    ],
)
def test_forged_wishes_are_refused(trainings: Trainings, wishes: Wishes) -> None:
    with pytest.raises(UserError):
        trainings.start(OWNER, *TABLE, wishes)
    assert list(trainings.folder.iterdir()) == []


def test_every_method_has_main_settings_without_loading_its_learner() -> None:
    code = (
        "import sys; from randori import methods; from randori.app.service.settings import main_settings\n"
        "for it in methods.all_methods().values():\n"
        "    config = it.load_presets()['default'].config\n"
        "    shown = main_settings(it)\n"
        "    assert len(shown) >= 2 and set(it.main_settings) <= {each.name for each in shown}, it.name\n"
        "    for each in shown:\n"
        "        assert each.help and each.parse(each.text(config)) == getattr(config, each.name), each\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_run_is_renamed_downloaded_and_deleted_by_its_owner(trainings: Trainings) -> None:
    name = Claims(trainings.folder).make("tictactoe-table-page", Claim(ANN.key, *TABLE, ended=COMPLETE))
    small_run(trainings.folder / name)
    small_run(trainings.folder / "mine")
    for who, run in ((BEN, name), (ANN, "mine"), (OWNER, "nothing"), (OWNER, "../x")):
        assert not trainings.status(who, run).may_change
        for act in (partial(trainings.rename, wanted="new"), trainings.delete, trainings.archive):
            with pytest.raises(Forbidden):
                act(who, run)
    for new_name in ("", "..", ".page", "a/b", "mine", "x" * 61, "tictactoe-table", "othello8-som-2"):
        with pytest.raises(Invalid):
            trainings.rename(ANN, name, new_name)
    assert trainings.rename(ANN, name, " first-try ") == "first-try"
    assert trainings.status(ANN, "first-try").words == "yours, complete"
    assert name not in trainings.names()
    with ZipFile(BytesIO(trainings.archive(ANN, "first-try"))) as archive:
        assert {"first-try/recipe.json", "first-try/player.safetensors"} <= set(archive.namelist())
    trainings.delete(ANN, "first-try")
    assert trainings.names() == ["mine"]
    assert Claims(trainings.folder).count() == 0
    assert trainings.rename(OWNER, "mine", "tictactoe-table") == "tictactoe-table"


def test_a_complete_training_can_learn_longer(trainings: Trainings) -> None:
    claims = Claims(trainings.folder)
    name = claims.make("tictactoe-table-page", Claim(ANN.key, "table", "tictactoe", "1s", ended=STOPPED))
    with CountingWorkers(1) as staff:
        train(Recipe("tictactoe", "table", TableConfig(), rounds=2, evaluate_games=0), trainings.folder / name, staff)
    with pytest.raises(Refusal, match="not complete"):
        trainings.learn_longer(ANN, name)
    claims.note_end(name, COMPLETE)
    rounds = trainings.run(name).rows[-1]["round"]
    with pytest.raises(Forbidden):
        trainings.learn_longer(BEN, name)
    trainings.learn_longer(ANN, name)
    with pytest.raises(Refusal, match="stop it first"):
        trainings.delete(ANN, name)
    wait_for(lambda: trainings.run(name).rows[-1]["round"] > rounds)
    assert trainings.run(name).recipe["budget"] == 301


def test_after_a_restart_a_training_is_there_with_its_owner(tmp_path: Path) -> None:
    before = Trainings(tmp_path, open_to_all=True)
    name = before.start(ANN, *TABLE)
    wait_for(lambda: (tmp_path / name / "metrics.jsonl").exists())
    before.close()
    assert not before.is_going_on(name)
    after = Trainings(tmp_path, open_to_all=True)
    assert after.status(ANN, name).words == "yours, interrupted"
    assert after.status(BEN, name).words == "somebody else's, interrupted"
    rounds = after.run(name).rows[-1]["round"]
    after.go_on(ANN, name)
    assert after.status(ANN, name).words == "yours, learning"
    wait_for(lambda: after.run(name).rows[-1]["round"] > rounds)
    after.close()
    # Without --open-training they still see it, but only the owner continues it.
    closed = Trainings(tmp_path)
    assert not closed.status(ANN, name).may_continue
    assert closed.status(OWNER, name).may_continue


def test_a_complete_training_is_not_continued(trainings: Trainings) -> None:
    claim = Claim(ANN.key, *TABLE, ended=COMPLETE)
    name = Claims(trainings.folder).make("tictactoe-table-page", claim)
    small_run(trainings.folder / name)
    assert trainings.status(ANN, name).words == "yours, complete"
    assert not trainings.status(ANN, name).may_continue
    with pytest.raises(Refusal, match="complete"):
        trainings.go_on(ANN, name)


def test_a_run_that_is_trained_elsewhere_is_not_continued(trainings: Trainings) -> None:
    name = trainings.start(ANN, *TABLE)
    wait_for(lambda: (trainings.folder / name / "metrics.jsonl").exists())  # it has the folder to itself by then
    other = Trainings(trainings.folder, open_to_all=True)
    with pytest.raises(Refusal, match="few seconds"):
        other.go_on(ANN, name)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"owner": 5}', "[" * 100_000, '{"owner": "ann", "x": 1}'])
def test_a_damaged_claim_is_nobodys(tmp_path: Path, damage: str) -> None:
    small_run(tmp_path / "mine")
    claim = tmp_path / FOLDER / "trainings" / "mine.json"
    claim.parent.mkdir(parents=True)
    claim.write_text(damage)
    trainings = Trainings(tmp_path)
    assert trainings.status(ANN, "mine").words == ""
    assert trainings.names() == ["mine"]
    trainings.forget(ANN.key)
    assert claim.read_text() == damage


def test_trainings_of_a_forgotten_person_stop_and_belong_to_nobody(trainings: Trainings) -> None:
    name = trainings.start(ANN, *TABLE)
    wait_for(lambda: name in trainings.names())
    trainings.forget(ANN.key)
    wait_for(lambda: trainings.status(OWNER, name).ended == STOPPED)
    assert trainings.status(ANN, name).words == "nobody's, stopped"
    assert not trainings.status(ANN, name).may_continue
    assert ANN.key not in (trainings.folder / FOLDER / "trainings" / f"{name}.json").read_text()


def test_a_command_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Killed before it can say anything, as by a power cut."""
    starter = (
        "import sys, time; from randori.app.service import leash; "
        f"started = leash.start(['train', 'table', '--game', 'tictactoe', '--out', {str(tmp_path / 'run')!r}, "
        "'--budget', '20m', '--workers', '1'], sys.stderr.buffer); print(started.pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        wait_for(lambda: (tmp_path / "run" / "metrics.jsonl").exists())
        process.kill()
    wait_for(lambda: not is_running(pid))
    row = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[-1])
    assert row["round"] > 0


def is_running(pid: int) -> bool:
    """A zombie counts as ended (Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def tournaments(tmp_path: Path) -> Iterator[Tournaments]:
    tournaments = Tournaments(Menu(tmp_path), open_to_all=True)
    yield tournaments
    tournaments.close()


def test_a_tournament_is_kept_and_shown_after_a_restart(tournaments: Tournaments, tmp_path: Path) -> None:
    under_way = tournaments.start(ANN, TICTACTOE)
    with pytest.raises(TooMany):
        tournaments.start(OWNER, TICTACTOE)
    assert under_way.ended.wait(60)
    assert tournaments.complaint == ""
    assert under_way.n_games == under_way.total > 0
    played = tournaments.played(TICTACTOE)
    assert played is not None
    assert Tournaments(Menu(tmp_path)).played(TICTACTOE) == played
    assert set(played.titles) == {it.name for it in played.ratings}
    best, worst = played.ratings[0].name, played.ratings[-1].name
    assert played.score(best, worst) == pytest.approx(1 - (played.score(worst, best) or 0))


def test_a_tournament_is_stopped_by_the_person_who_started_it(tournaments: Tournaments) -> None:
    under_way = tournaments.start(ANN, TICTACTOE)
    assert [tournaments.may_stop(it) for it in (ANN, BEN, OWNER)] == [True, False, True]
    with pytest.raises(Forbidden):
        tournaments.stop(BEN)
    tournaments.stop(ANN)
    assert under_way.ended.wait(60)
    assert tournaments.under_way is None
    assert tournaments.played(TICTACTOE) is None
    assert tournaments.complaint == ""


def test_only_the_owner_starts_tournaments_unless_they_are_open_to_all(tmp_path: Path) -> None:
    closed = Tournaments(Menu(tmp_path))
    with pytest.raises(Forbidden, match="--open-training"):
        closed.start(ANN, TICTACTOE)
    assert closed.under_way is None


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "null",
        "{}",
        "[" * 100_000,
        '{"ratings": [{"name": "a"}], "scores": [], "titles": {}}',
        '{"ratings": [{"name": "a", "elo": "x", "low": 0, "high": 0, "games": 1, "score": 0}], "scores": [], "titles": {}}',
        '{"ratings": [{"name": "a", "elo": 1, "low": 0, "high": 0, "games": 1e999, "score": 0}], "scores": [], "titles": {}}',
        '{"ratings": [], "scores": [["a", "b"]], "titles": {}}',
        '{"ratings": [], "scores": [], "titles": []}',
    ],
)
def test_a_damaged_tournament_is_ignored(tmp_path: Path, damage: str) -> None:
    file = tmp_path / FOLDER / "tournaments" / "tictactoe.json"
    file.parent.mkdir(parents=True)
    file.write_text(damage)
    assert Tournaments(Menu(tmp_path)).played(TICTACTOE) is None


def test_a_tournament_that_fails_says_so_and_lets_others_play(
    tournaments: Tournaments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments, "entrants", lambda game: [])
    assert tournaments.start(ANN, TICTACTOE).ended.wait(60)
    assert tournaments.complaint == "A tournament needs at least two players."
    monkeypatch.undo()
    assert tournaments.start(ANN, TICTACTOE).ended.wait(60)
    assert tournaments.played(TICTACTOE) is not None
