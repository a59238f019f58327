"""`docs/games.md` builds `tests/foreign/snort.py`, and every command on the way works."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

import commands
import foreign
import pytest

from randori import games
from randori.app import cli
from randori.registry import load_plugin

GUIDE = Path(__file__).parent.parent / "docs" / "games.md"
REGISTERS = "randori.register("


class Block(NamedTuple):
    language: str
    text: str


def blocks() -> list[Block]:
    return [Block(*found) for found in re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)]


def is_part(block: Block) -> bool:
    """Whether it is part of the game's file; another file begins with its name."""
    return block.language == "python" and not block.text.startswith("# ")


def file_so_far(read: list[Block]) -> str:
    """The parts in order, followed by the last version of the registration."""
    parts = [it.text.strip("\n") for it in read if is_part(it)]
    ends = [it for it in parts if REGISTERS in it]
    return "\n".join([it for it in parts if REGISTERS not in it] + ends[-1:])


def without_empty_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    with foreign.registered():
        yield


def test_the_excerpts_are_the_file() -> None:
    built = file_so_far(blocks())
    assert without_empty_lines(built) == without_empty_lines(foreign.FILES["snort5"].read_text(encoding="utf-8"))


def test_every_command_works_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs, n_commands = [], 0
    for place, block in enumerate(blocks()):
        if block.language == "python":
            name = "snort.py" if is_part(block) else block.text.split()[1]
            Path(name).write_text(file_so_far(blocks()[: place + 1]) if is_part(block) else block.text)
        for line in block.text.splitlines() if block.language == "sh" else ():
            outputs.append(output_of(line, monkeypatch, capsys))
            n_commands += 1
    assert n_commands >= 9
    assert all("BROKEN" not in it for it in outputs)
    assert any("moves keep the value" in it for it in outputs)


def output_of(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints; a person at the terminal plays one move and leaves."""
    program, *words = shlex.split(line)
    if program == "python":
        process = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300)
        assert process.returncode == 0, process.stderr
        return process.stdout
    monkeypatch.setattr(sys, "stdin", io.StringIO("c3\nquit\n"))
    result = commands.run(capsys, monkeypatch, *with_plugin(words))
    assert result.status == 0, (line, result.err)
    return result.out


def with_plugin(words: list[str]) -> list[str]:
    """Reads the file again, as in a new process; done here if the command line takes no plugins."""
    if "--plugin" in cli._overview():
        return words
    place = words.index("--plugin")
    load_plugin(words[place + 1])
    return words[:place] + words[place + 2 :]


def test_an_entry_point_names_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "snort.py").write_text(foreign.FILES["snort5"].read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(tmp_path)
    [toml] = [it.text for it in blocks() if it.language == "toml"]
    [(group, entries)] = tomllib.loads(toml)["project"]["entry-points"].items()
    [(name, place)] = entries.items()
    games.REGISTRY.register(EntryPoint(name, place, group).load())
    assert group == "randori.games"
    assert games.game(name).title == "Snort 5x5"
