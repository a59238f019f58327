"""`docs/learners.md` shows the code as it is, and its commands work."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from randori.app import cli

ROOT = Path(__file__).parent.parent
SHOWN = [
    ROOT / path
    for path in (
        "src/randori/methods/table/learner.py",
        "src/randori/methods/table/player.py",
        "src/randori/methods/table/__init__.py",
        "tests/test_train.py",
    )
]


def blocks(language: str) -> list[str]:
    text = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("block", blocks("python"))
def test_each_excerpt_is_the_code_itself(block: str) -> None:
    assert any(block in path.read_text(encoding="utf-8") for path in SHOWN), block


def test_the_whole_learner_is_shown() -> None:
    shown_lines = "".join(blocks("python")).splitlines()
    missing = [line for line in SHOWN[0].read_text(encoding="utf-8").splitlines() if line and line not in shown_lines]
    assert not missing


def test_the_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    commands = "".join(blocks("sh")).splitlines()
    assert len(commands) >= 3
    for command in commands:
        monkeypatch.setattr(
            sys, "argv", [*shlex.split(command), *(["--workers", "1"] if " inspect " not in command else [])]
        )
        cli.main()
    output = capsys.readouterr()
    assert "0 lost" in output.out
    assert "tictactoe" in output.out
