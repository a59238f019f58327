"""What plugins register, by `--plugin FILE.py` and by the entry points of installed packages, is known everywhere."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import randori
from randori import PlayerKind, games, methods, players, registry
from randori.app.plugins import load_plugins, plugin_flags
from randori.app.service.claims import Who
from randori.app.service.menu import Menu, offered
from randori.app.service.server import service
from randori.app.service.trainings import Trainings
from randori.core.game import States
from randori.core.player import Choice
from randori.errors import UserError
from randori.players.simple import Random

MODULE = '''
from dataclasses import dataclass, replace

import numpy as np

import randori
from randori.methods.table.learner import TableLearner
from randori.methods.table.player import Table


@dataclass(frozen=True)
class First:
    """The first legal move, or the last."""

    game: randori.Game
    last: bool = False
    among: int | None = None
    name: str = "first-move"

    def choose(self, states, rng):
        legal = self.game.legal(states)[:, :: -1 if self.last else 1]
        chosen = legal.argmax(axis=1)
        return randori.Choice((legal.shape[1] - 1 - chosen if self.last else chosen).astype(np.int16))


def make(game: randori.Game, last: bool = False, among: int | None = None) -> First:
    return First(game, last, among)


class Ledger(Table):
    kind = "ledger"


class LedgerLearner(TableLearner):
    def player(self):
        return Ledger(self.game, self.keys.copy(), self.values.copy())


noughts = replace(randori.game("tictactoe"), name="noughts", title="Noughts and Crosses", kind=None)
kind = randori.PlayerKind("first-move", make, "the first legal move", "First move")
method = randori.Method("ledger", "Ledger", "keeps a ledger", LedgerLearner, {"ledger": Ledger})
'''
PLUGIN = f"{MODULE}\nrandori.register(noughts, kind, method)\n"


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    file = tmp_path / "noughts.py"
    file.write_text(PLUGIN)
    return file


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "randori", *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": _path()} | environment,
    )


def _path() -> str:
    """Of the package, wherever a command is run."""
    return os.pathsep.join([str(Path(randori.__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


def output_of(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_games_and_players_are_listed(plugin: Path, tmp_path: Path) -> None:
    assert "Noughts and Crosses" in output_of(run("games", "--plugin", "noughts.py", cwd=tmp_path))
    found = output_of(run(f"--plugin={plugin}", "players", cwd=tmp_path))
    assert "first-move:last=false\n    the first legal move; also takes among\n" in found
    rows = json.loads(output_of(run("players", "--json", "--plugin", str(plugin), cwd=tmp_path)))["players"]
    assert {"spec": "first-move:last=false", "summary": "the first legal move", "also_takes": ["among"]} in rows


def test_workers_know_them(plugin: Path, tmp_path: Path) -> None:
    flags = ["first-move", "first-move:last=true", "--game", "noughts", "--games", "400", "--json"]
    by_two = output_of(run("--plugin", plugin.name, "match", *flags, "--workers", "2", cwd=tmp_path))
    assert json.loads(by_two) == json.loads(output_of(run("match", *flags, "--plugin", plugin.name, cwd=tmp_path)))
    assert json.loads(by_two)["second"] == "first-move:last=true"


def following(output: str) -> list[str]:
    """The arguments of the next command that a training names."""
    last = output.splitlines()[-1]
    assert last.startswith("next: randori ")
    return shlex.split(last.removeprefix("next: randori "))


def test_a_training_names_a_next_command_that_works(plugin: Path, tmp_path: Path) -> None:
    flags = ["--rounds", "2", "--evaluate-games", "4", "--workers", "2", "--out", "mine", "--plugin", plugin.name]
    out = output_of(run("train", "ledger", "--game", "noughts", *flags, cwd=tmp_path))
    assert following(out) == ["match", "mine", "heuristic", "--game", "noughts", "--plugin", "noughts.py"]
    assert "mine against heuristic" in output_of(run(*following(out), cwd=tmp_path))
    result = run("match", "mine", "random", "--game", "tictactoe", cwd=tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("name", ["mine", "my run"])
def test_a_folder_without_a_slash_is_a_player(tmp_path: Path, name: str) -> None:
    flags = ["--rounds", "2", "--evaluate-games", "0", "--out", name]
    out = output_of(run("train", "table", "--game", "tictactoe", *flags, cwd=tmp_path))
    assert f"{name} against heuristic" in output_of(run(*following(out), cwd=tmp_path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "There is no plugin 'it.py'; give the path of a Python file."),
        ("x = (\n", "The plugin 'it.py' cannot be loaded: SyntaxError: '(' was never closed (it.py, line 1)."),
        ("\n\nimport nothing.of.it\n", "ModuleNotFoundError in line 3: No module named 'nothing'."),
        ("raise ValueError('two\\nlines.')\n", "ValueError in line 1: two lines."),
        ("import sys\nsys.exit(3)\n", "SystemExit in line 2: 3."),
        ("import randori\nrandori.register(3)\n", "Register a randori.Game, PlayerKind or Method, not 3."),
        (
            "import randori\nrandori.register(randori.PlayerKind('a/b', print, ''))\n",
            "A player cannot be called 'a/b': a name has up to 40 letters, digits, hyphens and underscores.",
        ),
        (
            "import randori\nrandori.register(randori.game('tictactoe'))\n",
            "The package already has a game 'tictactoe'; choose another name.",
        ),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_refused_in_a_sentence(
    tmp_path: Path, text: str | None, sentence: str
) -> None:
    if text is not None:
        (tmp_path / "it.py").write_text(text)
    result = run("games", "--plugin", "it.py", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("randori: ")
    assert result.stderr.endswith(f"{sentence}\n")
    assert result.stderr.count("\n") == 1


def test_a_plugin_without_a_file_or_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Name a Python file after --plugin"):
        load_plugins(["games", "--plugin"])
    (tmp_path / "it.txt").write_text("")
    with pytest.raises(UserError, match=r"its name must end in \.py"):
        load_plugins(["--plugin", str(tmp_path / "it.txt")])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgets afterwards what is registered in this process."""
    monkeypatch.setattr(registry, "plugins", [])
    for it in (games.REGISTRY, players.REGISTRY, methods.REGISTRY):
        monkeypatch.setattr(it, "_foreign", it.foreign())


@pytest.mark.usefixtures("here")
def test_the_page_lists_what_is_registered_later(plugin: Path, tmp_path: Path) -> None:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        before = client.get("/api/games/tictactoe/players").json()
        assert "noughts" not in offered()
        assert load_plugins(["--plugin", str(plugin), "play"]) == ["play"]
        assert "noughts" in {it["name"] for it in client.get("/api/games").json()}
        after = client.get("/api/games/tictactoe/players").json()
        assert [it for it in after if it not in before] == [
            next(it for it in after if it["spec"] == "first-move" and it["title"] == "First move")
        ]
        room = client.post("/api/rooms", json={"game": "noughts", "first": "first-move", "second": "person"}).json()
        assert room["moves"] == ["a1"]


@pytest.mark.usefixtures("here")
def test_a_player_registered_again_replaces_the_first(tmp_path: Path) -> None:
    menu, game = Menu(tmp_path), games.game("tictactoe")
    for name in ("one", "other"):
        randori.register(PlayerKind("somebody", lambda game, name=name: _Named(game, name), "by chance"))
        assert menu.player(game, "somebody").name == name
        known = menu.known_player(game, "somebody")
        assert known is not None
        assert known.name == name


@dataclass(frozen=True)
class _Named:
    game: randori.Game
    called: str

    @property
    def name(self) -> str:
        return self.called

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return Random(self.game).choose(states, rng)


@pytest.mark.usefixtures("here")
def test_a_training_of_the_page_has_the_same_plugins(
    plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", _path())
    load_plugins(["--plugin", str(plugin)])
    assert plugin_flags() == ["--plugin", str(plugin)]
    trainings = Trainings(tmp_path / "runs")
    owner = Who("owner", is_owner=True)
    name = trainings.start(owner, "table", "noughts", "1m")
    try:
        _until(lambda: name in trainings.names() or trainings.status(owner, name).complaint)
        assert trainings.status(owner, name).complaint == ""
        assert trainings.run(name).game == "noughts"
    finally:
        trainings.close()


def _until(found: Callable[[], Any]) -> None:
    limit = time.monotonic() + 60
    while not found():
        assert time.monotonic() < limit
        time.sleep(0.1)


def install(folder: Path, name: str, module: str, points: str) -> None:
    """As an installer would leave a small distribution in a folder of the path."""
    (folder / f"{name}.py").write_text(module)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)


def test_entry_points_of_installed_packages(tmp_path: Path) -> None:
    points = "[randori.games]\nnoughts = extra_games:noughts\n[randori.players]\nfirst-move = extra_games:kind\n"
    install(tmp_path, "extra_games", MODULE, points + "[randori.methods]\nledger = extra_games:method\n")
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path), _path()])}
    assert "Noughts and Crosses" in output_of(run("games", cwd=tmp_path, **path))
    assert "first-move:last=false" in output_of(run("players", cwd=tmp_path, **path))
    assert "keeps a ledger" in output_of(run("train", "--help", cwd=tmp_path, **path))
    flags = ["first-move", "random", "--game", "noughts", "--games", "40", "--workers", "2", "--json"]
    result = run("match", *flags, cwd=tmp_path, **path)
    assert json.loads(output_of(result))["games"] == 40
    assert "cannot be loaded" not in result.stderr
    out = output_of(run("train", "ledger", "--game", "noughts", "--rounds", "1", "--out", "kept", cwd=tmp_path, **path))
    assert "kept against heuristic" in output_of(run(*following(out), cwd=tmp_path, **path))


def test_a_package_that_cannot_be_loaded_is_named_and_left_out(tmp_path: Path) -> None:
    install(tmp_path, "broken_games", "import nothing_of_it\n", "[randori.games]\nbroken = broken_games:game\n")
    install(tmp_path, "wrong_games", "game = 3\n", "[randori.games]\nwrong = wrong_games:game\n")
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path), _path()])}
    result = run("games", cwd=tmp_path, **path)
    assert "othello8" in output_of(result)
    assert "The game 'broken' of the package 'broken_games' cannot be loaded: ModuleNotFoundError" in result.stderr
    assert "The game 'wrong' of the package 'wrong_games' cannot be loaded: A game is a randori.Game" in result.stderr
    assert result.stderr.count("\n") == 2
    result = run("match", "random", "greedy", "--game", "tictactoe", "--workers", "2", cwd=tmp_path, **path)
    assert "score" in output_of(result)
    assert "cannot be loaded" not in result.stderr, "the command needs nothing of theirs"


def test_workers_take_kernels_that_were_kept(tmp_path: Path) -> None:
    """A kept kernel names its plugin's module, which no worker can import."""
    file = tmp_path / "kept_rules.py"
    rules = (Path(__file__).parent / "foreign" / "snort.py").read_text()
    file.write_text(rules.replace("snort5", "kept5"))
    flags = ["match", "random", "greedy", "--game", "kept5", "--games", "8", "--json", "--plugin", file.name]
    alone = output_of(run(*flags, cwd=tmp_path))
    assert all(output_of(run(*flags, "--workers", "2", cwd=tmp_path)) == alone for _ in range(2))
