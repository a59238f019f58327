"""Games are prepared in the background: compiled, if they have to be, before somebody waits for them."""

import subprocess
import threading
from contextlib import suppress

from randori.app.plugins import plugin_flags
from randori.app.service import leash
from randori.app.service.menu import Menu
from randori.app.service.preparing import prepare
from randori.core.game import Game
from randori.errors import UserError
from randori.kernels.compile import NotCompiled, only_loading


class Preparations:
    """One game at a time, the one that was requested last first.

    Compiling happens in a process of its own, with idle processor time: threads here compile one at a
    time, so that somebody who plays another game would have to wait for it.
    """

    def __init__(self, menu: Menu) -> None:
        self._menu = menu
        self._wishes: list[Game] = []  # the last one is next
        self._settled: set[str] = set()
        self._compiling: tuple[Game, subprocess.Popen[bytes]] | None = None
        self._is_at_work = self._is_closed = False
        self._lock = threading.Lock()

    def want(self, game: Game) -> None:
        """Returns at once. Compiling for another game is put off until this one is ready."""
        with self._lock:
            if self._is_closed or game.name in self._settled:
                return
            self._wishes = [*(it for it in self._wishes if it is not game), game]
            if self._compiling is not None and self._compiling[0] is not game:
                self._compiling[1].terminate()
            if not self._is_at_work:
                self._is_at_work = True
                threading.Thread(target=self._work, name="preparing", daemon=True).start()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._compiling is not None:
                self._compiling[1].kill()

    def _work(self) -> None:
        while (game := self._next()) is not None:
            is_settled = self._load(game) or self._compile(game)
            with self._lock:
                if is_settled:
                    self._settled.add(game.name)
                    self._wishes.remove(game)

    def _next(self) -> Game | None:
        with self._lock:
            self._is_at_work = bool(self._wishes) and not self._is_closed
            return self._wishes[-1] if self._is_at_work else None

    def _load(self, game: Game) -> bool:
        """Whether everything is compiled already, or cannot be; in that case whoever plays sees why."""
        try:
            with only_loading(), suppress(UserError, RuntimeError):
                prepare(self._menu, game)
        except NotCompiled:
            return False
        return True

    def _compile(self, game: Game) -> bool:
        """Whether it was not interrupted. Whatever has been compiled is kept in any case."""
        with self._lock:
            if self._is_closed:
                return False
            command = ["prepare", game.name, "--gently", *plugin_flags()]
            process = leash.start(command, subprocess.DEVNULL)
            self._compiling = game, process
        process.wait()
        leash.let_go(process)
        with self._lock:
            self._compiling = None
            is_next = self._wishes[-1] is game
        if is_next:
            self._load(game)
        return is_next
