"""The command line in this process."""

import sys
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
