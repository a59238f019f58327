"""Every command line in the README and docs works: it is run as it stands, or shortened by the tables here."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import commands
import foreign
import pytest
from command_lines import ROOT, Line, command_lines, name_of, pages
from test_everything import TINY

import randori
from randori.app.bench import command as bench_command
from randori.app.bench.benchmark import Reading
from randori.experiments import papers, persons
from randori.experiments.report import Report

PLACEHOLDERS = {
    "A": "random",
    "B": "greedy",
    "C": "heuristic",
    "FILE": "made.txt",
    "FOLDER": "made",
    "G": "tictactoe",
    "GAME": "tictactoe",
    "LEARNER": "table",
    "MOVES": "a1b2",
    "N": "3",
    "P": "random",
    "PAPER": "handa",
    "PLAYER": "random",
    "S": "quick",
    "zoo/NAME": "zoo/tictactoe-deep-q",
}
"""Values for the words in capitals."""

SMALLER = (
    (r"^uvx --from \S+ ", ""),
    # The meaning of dots, and programs that are not installed here.
    (r"engine gtp \.\.\.", "engine gtp --player random --game othello8"),
    (r"train som --game \.\.\.", "train som --game tictactoe"),
    (r" \.\.\.|\.\.\. ", " "),
    (
        r"\"gtp:command=edax[^\"]*\"",
        f"'gtp:command={sys.executable} -m randori engine gtp --player random --game othello8'",
    ),
    (
        r"\"gomocup:command=wine [^\",]*,seconds=5\"",
        f"'gomocup:command={sys.executable} -m randori engine gomocup --player random --game gomoku15,seconds=5'",
    ),
    (r" < commands.txt| > \S+", ""),
    (r"WTH_2024.wtb", "games.txt"),
    # Fewer games, positions, persons, simulations.
    (r"^randori (?:match|tournament|card)(?!.*--games).*", r"\g<0> --games 2"),
    (r"--games \d+", "--games 2"),
    (r"^randori (?:match|tournament) .*", r"\g<0> --workers 1"),
    (r"simulations=\d+", "simulations=5"),
    (r"exact=(?:N|\d+)", "exact=2"),
    (r"^randori accuracy \S+(?!.*--positions).*", r"\g<0> --positions 20"),
    (r"--positions \d+", "--positions 20"),
    (r"^randori (companion|pupil) --game \w+", r"randori \1 --game tictactoe"),
    (r"^randori pupil .*", r"\g<0> --pupils 1 --teachers random"),
    (r"^randori companion .*", r"\g<0> --persons 1 --only random"),
    (r"--only heuristic ", ""),
    # Trainings of one round, without ratings, in this process.
    (r"^randori train \S+$", r"\g<0> --help"),
    (r"^randori train \S+ --(?!help).*", r"\g<0> --rounds 1 --evaluate-games 0 --workers 1 {TINY}"),
    (r"--budget \S+|--rounds \d+ (?=.*--rounds)|--evaluate-every \d+|--ray \S+|--workers \d+ (?=.*--workers)", ""),
    (
        r"^randori league.*",
        "randori league --games tictactoe --methods table --budget 1s --seeds 1 --most-games 20 --milliseconds 1 --out league",
    ),
)
"""Patterns and their replacements, in this order."""

RUNS = {
    "runs/A": "randori train table --game tictactoe --out runs/A",
    "runs/B": "randori train evolution --game tictactoe --out runs/B",
    "runs/connect4-alphazero": "randori train alphazero --game connect4",
    "runs/othello6-alphazero": "randori train alphazero --game othello6",
    "runs/compare/evolution": "randori train evolution --game connect4 --out runs/compare/evolution",
    "runs/compare/ntuple": "randori train ntuple --game connect4 --out runs/compare/ntuple",
    "runs/inside": "randori train ntuple --game othello6 --out runs/inside",
    "runs/connect4-1h": "randori train evolution --game connect4 --out runs/connect4-1h",
    "runs/othello6-1h": "randori train evolution --game othello6 --out runs/othello6-1h",
    "runs/othello8-1h": "randori train evolution --game othello8 --out runs/othello8-1h",
    "runs/gomoku9-1h": "randori train evolution --game gomoku9 --out runs/gomoku9-1h",
}
"""Runs that a page mentions without creating them."""

ELSEWHERE = {
    "python -m randori.app.bench.recipes": "test_scaling.py",
    "python -m randori.app.bench.rounds": "test_scaling.py",
    "python -m randori.app.bench.scaling": "test_scaling.py",
    "python -m randori.experiments.make_companion": "test_companion.py",
    "python -m randori.experiments.make_endings": "test_othello_endings.py",
    "python -m randori.experiments.make_field": "test_field.py",
    "python -m randori.experiments.make_ladder": "test_field.py",
    "python -m randori.experiments.make_outcomes": "test_first_plies.py",
    "python -m randori.experiments.make_papers": "test_papers_page.py",
    "python -m randori.experiments.make_results": "test_readme.py",
    "python -m randori.experiments.persons_table": "test_companion.py",
    "python -m randori.games.make_list": "test_docs_commands.py",
    "python -m randori.practice.make_course": "test_practice.py",
    "python -m randori.practice.summary": "test_practice.py",
    "python -m randori.review.measure": "test_review.py",
    "python tests/first_hint.py": "test_first_hint.py",
}
"""Programs that write into the sources; the test that runs each of them."""

IN_THEIR_OWN_TEST = ("docs/games.md", "docs/learners.md")
"""Pages whose blocks `test_docs_games.py` and `test_docs_learners.py` run step by step."""

TYPED = "quit\nEND\n"
"""By a person who leaves at once, at the terminal or in the protocol of an engine."""

LONGEST = 30
"""CPU seconds that a command may take."""


def lines_of(page: Path) -> list[Line]:
    found = command_lines(page)
    return [it for it in found if not (it.in_block and name_of(page) in IN_THEIR_OWN_TEST)]


WITH_COMMANDS = [it for it in pages() if lines_of(it)]


def made_small(line: Line) -> str:
    """The command that is run instead. A name within a sentence, such as `randori train`, only has to be a command."""
    if line.text.split()[0] not in ("randori", "uvx"):
        return line.text
    text = re.sub(r"\[([^\]]*)\]", r"\1", line.text)
    text = re.sub(r"(?<![\w/:])(\S+?)\|\S+", r"\1", text)
    if not line.in_block and len(text.split()) == 2:
        return f"{text} --help"
    for pattern, smaller in SMALLER:
        text = re.sub(pattern, smaller, text)
    words = re.sub(r"(?<!\S)(?:zoo/NAME|[A-Z]+)(?!\S)", lambda found: PLACEHOLDERS.get(found[0], found[0]), text)
    return words.replace("{TINY}", _tiny(words)) if "{TINY}" in words else words


def _tiny(command: str) -> str:
    """Flags for the smallest training of a learner that goes through everything once."""
    flags = [(f"--{name.replace('_', '-')}", value) for name, value in TINY[command.split()[2]].items()]
    return " ".join(f"{flag} {' '.join(map(str, it)) if isinstance(it, tuple) else it}" for flag, it in flags)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files that commands name. The page is not served, and papers and benchmarks are only looked up:
    their own tests run them."""
    monkeypatch.chdir(tmp_path)
    for name in ("README.md", "docs/cluster.md", "docs/speed.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copy(foreign.FILES["snort5"], tmp_path / "snort.py")
    othello = randori.game("othello8")
    games = randori.match("random", "random", othello, 4).games
    assert games is not None
    randori.formats.write_records(tmp_path / "games.txt", othello, randori.formats.records_of(games))
    monkeypatch.setattr("randori.app.serving.serve", lambda *arguments: None)
    monkeypatch.setattr(papers, "reproduce", lambda paper, *arguments, **more: Report(paper))
    rows = [Reading(it.name, it.unit, lambda: 1.0, asked_for=it.asked_for) for it in bench_command.rows()]
    monkeypatch.setattr(bench_command, "rows", lambda: rows)
    monkeypatch.setattr(persons, "COUNTED", 2)
    with foreign.registered():
        yield tmp_path


@pytest.fixture
def run(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], commands.Said]:
    """Runs a command line, which must succeed quickly."""

    def checked(text: str) -> commands.Said:
        began = time.process_time()
        words = shlex.split(text)[1:]
        monkeypatch.setattr(sys, "stdin", io.StringIO(TYPED))
        result = talk(words) if words[0] == "engine" else commands.run(capsys, monkeypatch, *words)
        assert result.status == 0, (text, result.err)
        assert time.process_time() - began < LONGEST, f"'{text}' takes long: make it smaller in SMALLER."
        return result

    return checked


def talk(words: list[str]) -> commands.Said:
    """Runs an engine in its own process, as it uses that process's descriptors."""
    result = subprocess.run(
        [sys.executable, "-m", "randori", *words], input=TYPED, capture_output=True, text=True, timeout=120
    )
    return commands.Said(result.returncode, result.stdout, result.stderr)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_every_command_works(page: Path, run: Callable[[str], commands.Said]) -> None:
    for line in lines_of(page):
        check = {"randori": run, "uvx": lambda text: run(text.removeprefix("uvx "))}.get(line.text.split()[0], exists)
        text = made_small(line)
        forget(text)
        for folder in RUNS.keys() & set(text.split()):
            if not Path(folder).exists():
                run(made_small(line._replace(text=RUNS[folder])))
        check(text)


def forget(text: str) -> None:
    """A page may show several trainings, of which the reader tries one: each starts from scratch."""
    if found := re.match(r"randori train (\S+) --game (\S+)(?!.*--out)", text):
        for folder in Path("runs").glob(f"{found[2]}-{found[1]}*"):
            shutil.rmtree(folder)


def exists(text: str) -> Any:
    """Checks what is not run here: a Makefile target, an extra of the package, a command of Ray, a program with its own
    test."""
    program, *words = shlex.split(text)
    if program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), text
    elif program == "pip":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        extras = [it for found in re.findall(r"(?:randori|\.)\[([\w,]+)\]", text) for it in found.split(",")]
        assert words[0] == "install"
        assert set(extras) <= project["optional-dependencies"].keys(), text
    elif program == "ray":
        assert words[0] in ("start", "status", "stop"), text
    else:
        test = next((it for known, it in ELSEWHERE.items() if f"{text} ".startswith(f"{known} ")), None)
        assert test is not None, f"Say in ELSEWHERE which test runs '{text}'."
        name = text.split()[2].rpartition(".")[2] if words[0] == "-m" else Path(words[0]).stem
        assert words[0] != "-m" or find_spec(words[1]) is not None
        assert name in (ROOT / "tests" / test).read_text(), f"{test} does not run '{text}'"


@pytest.mark.parametrize("page", ["docs/start.md", "docs/train.md"])
def test_the_python_examples_run(page: str, world: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert examples
    for example in examples:
        exec(compile(example, page, "exec"), {})


def test_every_game_that_is_named_exists() -> None:
    with foreign.registered():
        known = {*randori.games.names(), *foreign.FILES, *PLACEHOLDERS, "..."}
        for page in WITH_COMMANDS:
            for line in command_lines(page):
                assert set(re.findall(r"--game (\S+?)\]?(?: |$)", line.text)) <= known, line


def test_the_stored_list_of_games_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from randori.games import LISTED, make_list

    monkeypatch.setattr(make_list, "LISTED", tmp_path / "listed.json")
    make_list.main()
    assert (tmp_path / "listed.json").read_text() == LISTED.read_text()
