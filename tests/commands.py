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
    """Runs `randori WORDS`. Any exception but SystemExit is a bug and fails the test."""
    monkeypatch.setattr(sys, "argv", ["randori", *map(str, words)])
    capsys.readouterr()
    status = 0
    try:
        cli.main()
    except SystemExit as end:
        status = int(end.code or 0)
    return Said(status, *capsys.readouterr())
