"""Kernels are compiled in the background, and people who wait for them get a notice."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_for

from randori.app.page import patience
from randori.app.service import leash, preparations
from randori.app.service.menu import Menu
from randori.app.service.preparations import Preparations
from randori.games import game
from randori.kernels.compile import NotCompiled

_CONNECT4, _HEX = game("connect4"), game("hex5")


class Compiler:
    """Stands for the processes that compile: each waits until `go_on` lets it end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began: list[str] = []
        self.ready: set[str] = set()
        self._latest: subprocess.Popen[bytes] | None = None
        monkeypatch.setattr(leash, "start", self._start)
        monkeypatch.setattr(preparations, "prepare", self._prepare)

    def _start(self, arguments: list[str], errors: int) -> subprocess.Popen[bytes]:
        command, name, *_ = arguments
        assert command == "prepare"
        self._latest = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        self.began.append(name)
        return self._latest

    def _prepare(self, menu: Menu, game: Any) -> None:
        if game.name not in self.ready:
            raise NotCompiled

    def go_on(self) -> None:
        assert self._latest is not None
        assert self._latest.stdin is not None
        self.ready.add(self.began[-1])
        self._latest.stdin.write(b"\n")
        self._latest.stdin.flush()


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    return Compiler(monkeypatch)


def test_the_game_that_was_chosen_last_comes_first_and_the_other_later(compiler: Compiler, tmp_path: Path) -> None:
    wishes = Preparations(Menu(tmp_path))
    wishes.want(_CONNECT4)
    wait_for(lambda: compiler.began == ["connect4"])
    wishes.want(_HEX)
    wait_for(lambda: compiler.began == ["connect4", "hex5"])
    compiler.go_on()
    wait_for(lambda: compiler.began == ["connect4", "hex5", "connect4"])
    compiler.go_on()
    wait_for(lambda: not _is_preparing())
    wishes.want(_HEX)
    assert not _is_preparing(), "what is ready stays ready"


def test_compiled_kernels_need_no_process(compiler: Compiler, tmp_path: Path) -> None:
    compiler.ready.add("hex5")
    Preparations(Menu(tmp_path)).want(_HEX)
    wait_for(lambda: not _is_preparing())
    assert compiler.began == []


def test_closing_ends_the_work_under_way(compiler: Compiler, tmp_path: Path) -> None:
    wishes = Preparations(Menu(tmp_path))
    wishes.want(_CONNECT4)
    wait_for(lambda: compiler.began == ["connect4"])
    wishes.close()
    wait_for(lambda: not _is_preparing())
    wishes.want(_HEX)
    assert compiler.began == ["connect4"]


def _is_preparing() -> bool:
    return any(it.name == "preparing" for it in threading.enumerate())


@pytest.mark.parametrize(("compiling", "n_notices"), [(True, 1), (False, 0)])
def test_waiting_for_the_compiler_shows_one_notice(
    monkeypatch: pytest.MonkeyPatch, compiling: bool, n_notices: int
) -> None:
    monkeypatch.setattr(patience, "_SECONDS", 0.01)
    monkeypatch.setattr(patience, "is_compiling", lambda: compiling)
    notices: list[str] = []

    async def wait() -> None:
        async with patience.explained(lambda: notices.append(patience.GETTING_READY)):
            await asyncio.sleep(0.1)

    asyncio.run(wait())
    assert len(notices) == n_notices


def test_a_short_wait_shows_no_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "is_compiling", lambda: True)
    notices: list[str] = []

    async def wait() -> None:
        async with patience.explained(lambda: notices.append("")):
            await asyncio.sleep(0)

    asyncio.run(wait())
    assert not notices


class Button:
    """Stands for a button and notes at each update whether it is shown busy."""

    def __init__(self) -> None:
        self.props: dict[str, str] = {}
        self.shown: list[bool] = []

    def update(self) -> None:
        self.shown.append("aria-busy" in self.props)


@pytest.mark.parametrize(("seconds", "shown"), [(0.1, [True, False]), (0.0, [])])
def test_a_button_is_busy_while_its_work_takes_longer_than_a_moment(seconds: float, shown: list[bool]) -> None:
    button: Any = Button()

    async def wait() -> None:
        async with patience.shown_busy(button):
            await asyncio.sleep(seconds)

    asyncio.run(wait())
    assert button.shown == shown


@pytest.mark.thorough
def test_randori_prepare_compiles_what_a_game_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    command = [sys.executable, "-m", "randori", "prepare", "tictactoe"]
    assert "compiling" in subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert subprocess.run(command, capture_output=True, text=True, check=True).stderr == ""
