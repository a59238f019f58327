"""The command line in this process, and in processes of its own that know games of other people."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from randori.app import cli


class Said(NamedTuple):
    status: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object) -> Said:
    """`randori WORDS`. Whatever it raises but the end of the program is a bug, and so fails the test."""
    monkeypatch.setattr(sys, "argv", ["randori", *map(str, words)])
    capsys.readouterr()
    status = 0
    try:
        cli.main()
    except SystemExit as end:
        status = int(end.code or 0)
    return Said(status, *capsys.readouterr())


def command_with(plugins: Iterable[Path]) -> list[str]:
    """What begins a command line in a process of its own that has run these files."""
    loading = "".join(f"load_plugin({str(path)!r})\n" for path in plugins)
    return [
        sys.executable,
        "-c",
        f"from randori.app.cli import main\nfrom randori.registry import load_plugin\n{loading}main()",
    ]
