"""A person in a real browser: what tests of the page do with it, and their fixtures, which `conftest.py` offers to all."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import foreign
import pytest
from selenium import webdriver
from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from serving import serving
from waiting import wait_for

PATIENCE = 60.0
"""Seconds; a first move may wait for kernels to compile."""
IN_A_BROWSER = [
    pytest.mark.thorough,
    pytest.mark.xdist_group("page"),
    pytest.mark.skipif(shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no Chromium"),
]
"""The marks of tests that need a browser. They share a process: two browsers at once would wait for each other."""


def in_a_browser(test: Callable[..., None]) -> Callable[..., None]:
    """For a single test among others that need none."""
    for mark in IN_A_BROWSER:
        test = mark(test)
    return test


class Visitor:
    """A person in front of a browser."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver, self._address = driver, address

    def visit(self, path: str) -> None:
        """Waits until the view has its connection, as it has before a person can act."""
        self.driver.get(self._address + path)
        connected = "return !document.getElementById('app') || window.did_handshake === true"
        self.until(lambda: self.driver.execute_script(connected))

    def find(self, selector: str) -> Any:
        return self.until(lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, selector)), None))

    def click(self, selector: str) -> None:
        """Tries again while the element is gone or hidden when it is pressed, since views are redrawn."""

        def pressed() -> bool:
            try:
                self.find(selector).click()
            except (StaleElementReferenceException, ElementNotInteractableException):
                return False
            return True

        self.until(pressed)

    def until(self, found: Callable[[], Any]) -> Any:
        """Returns what `found` finds, as soon as it finds something."""
        return wait_for(found, PATIENCE, lambda: f"on a page that says: {self.text('main')}")

    def text(self, selector: str) -> str:
        """In one step: between finding an element and reading it the browser may move to another view."""
        return str(self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def begin(self, game: str, first: str = "person", second: str = "random") -> None:
        """Begins a game through the API, so that tests need not walk through the first view."""
        if not self.driver.current_url.startswith(self._address):
            self.visit("/docs")
        new = {"game": game, "first": first, "second": second}
        script = """const [body, done] = arguments;
            fetch("/api/rooms", {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)})
              .then((answer) => answer.json()).then(done);"""
        self.driver.set_script_timeout(PATIENCE)
        self.visit(f"/game/{self.driver.execute_async_script(script, new)['id']}")
        self.find(".board[data-ply]")

    def board(self) -> dict[str, Any]:
        """The state of the board: its ply, the squares that can be played as `[row, column]`, and whether to pass."""
        script = """const board = document.querySelector(".board:not(.small)");
            const pass = document.querySelector("#pass");
            const status = document.querySelector(".status");
            return {ply: board ? Number(board.dataset.ply) : -1, status: status ? status.textContent : "",
              pass: !!pass && pass.offsetParent !== null,
              legal: board ? [...board.querySelectorAll(".legal")].map((it) => it.id.split("-").slice(-2).map(Number)) : []};"""
        return dict(self.driver.execute_script(script))

    def turn(self) -> dict[str, Any]:
        """Waits until the person can do something, or the game is over."""

        def ready() -> dict[str, Any] | None:
            board = self.board()
            return board if board["legal"] or board["pass"] or is_over(board) else None

        found: dict[str, Any] = self.until(ready)
        return found

    def errors(self) -> list[str]:
        return [it["message"] for it in self.driver.get_log("browser") if it["level"] == "SEVERE"]


def is_over(board: dict[str, Any]) -> bool:
    return any(word in board["status"] for word in ("wins", "won", "lost", "draw"))


def resign(visitor: Visitor) -> None:
    """The page asks for confirmation first."""
    visitor.click("#resign")
    visitor.until(lambda: "Really" in visitor.text("#resign"))
    visitor.click("#resign")


class Mouse:
    """Clicks on squares."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor

    def play(self, row: int, column: int) -> None:
        self._visitor.click(f".board:not(.small) [id$='-{row}-{column}'] .hit")


class Keyboard:
    """Goes from square to square by arrow keys and presses Enter."""

    def __init__(self, visitor: Visitor) -> None:
        self._board = visitor.find(".board:not(.small)")
        rows, columns = (int(self._board.get_attribute(f"aria-{it}count")) for it in ("row", "col"))
        self._at = (rows // 2, columns // 2)

    def play(self, row: int, column: int) -> None:
        down, right = row - self._at[0], column - self._at[1]
        keys = [Keys.ARROW_DOWN if down > 0 else Keys.ARROW_UP] * abs(down)
        keys += [Keys.ARROW_RIGHT if right > 0 else Keys.ARROW_LEFT] * abs(right)
        self._board.send_keys(*keys, Keys.ENTER)
        self._at = (row, column)


def targets(visitor: Visitor) -> list[list[int]]:
    script = """return [...document.querySelectorAll(".board:not(.small) .cell:has(.target)")]
        .map((it) => it.id.split("-").slice(-2).map(Number));"""
    found: list[list[int]] = visitor.driver.execute_script(script)
    return found


@contextmanager
def browser(*more: str) -> Iterator[webdriver.Chrome]:
    """A new one, which knows nothing of others; `more` are arguments of Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for it in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1280,1100", *more):
        options.add_argument(f"--{it}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server has its data and runs."""
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder, [foreign.FILES["clobber5"]]) as server:
        yield server.address


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as driver:
        yield driver


@pytest.fixture
def visitor(driver: webdriver.Chrome, address: str) -> Iterator[Visitor]:
    driver.get_log("browser")
    visitor = Visitor(driver, address)
    yield visitor
    assert visitor.errors() == []
