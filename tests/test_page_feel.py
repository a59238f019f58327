"""How the page feels in a real browser: one's own move before the reply, settings, a finger on a large board."""

import json
import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import IN_A_BROWSER, Mouse, Visitor, is_over, targets
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from slow_line import slow_line

pytestmark = IN_A_BROWSER
AWAY = 0.4
"""Seconds to the server and back."""
WATCH = """
const board = document.querySelector(".board:not(.small)");
const shown = () => Number(board.dataset.shown);
window.changes = [];
let last = shown();
new MutationObserver(() => {
  if (shown() === last) return;
  last = shown();
  const it = {ply: last, painted: null};
  changes.push(it);
  requestAnimationFrame(() => setTimeout(() => { it.painted = performance.now(); }));
}).observe(board, {attributes: true, childList: true, subtree: true, attributeFilter: ["data-shown"]});
board.addEventListener("click", () => { window.clicked = performance.now(); }, {capture: true});
"""


@pytest.fixture
def far_away(driver: Any, address: str) -> Iterator[Visitor]:
    """A visitor whose server is 400 ms away."""
    with slow_line(int(address.rpartition(":")[2]), AWAY) as port:
        driver.get_log("browser")
        visitor = Visitor(driver, f"http://127.0.0.1:{port}")
        yield visitor
        driver.get("about:blank")


def move(visitor: Visitor) -> dict[str, Any] | None:
    """Makes a move, after any forced pass, and returns how it and the reply were shown; None if the game is over."""
    board = visitor.turn()
    if is_over(board):
        return None
    if board["pass"]:
        visitor.click("#pass")
        visitor.until(lambda: visitor.board()["ply"] > board["ply"])
        return move(visitor)
    visitor.driver.execute_script("window.changes.length = 0")
    mouse = Mouse(visitor)
    mouse.play(*board["legal"][len(board["legal"]) // 2])
    if not visitor.driver.execute_script("return changes.length"):
        for target in targets(visitor)[:1]:
            mouse.play(*target)
    visitor.until(lambda: visitor.board()["ply"] > board["ply"] and visitor.turn())
    visitor.until(lambda: visitor.driver.execute_script("return changes.every((it) => it.painted)"))
    found = json.loads(visitor.driver.execute_script("return JSON.stringify({changes, clicked})"))
    return {"before": board["ply"], **found}


@pytest.mark.parametrize(
    ("game", "n_moves"),
    [
        ("othello8", 20),
        ("othello6", 10),
        ("connect4", 12),
        ("gomoku15", 20),
        ("hex9", 20),
        ("tictactoe", 6),
        ("clobber5", 12),
    ],
)
def test_ones_own_move_is_painted_at_once_and_before_the_reply(far_away: Visitor, game: str, n_moves: int) -> None:
    delays: list[float] = []
    while len(delays) < n_moves:
        far_away.begin(game)
        far_away.turn()
        far_away.driver.execute_script(WATCH)
        while len(delays) < n_moves and (record := move(far_away)) is not None:
            own, *replies = record["changes"]
            assert own["ply"] == record["before"] + 1
            assert [it["ply"] for it in replies] in ([own["ply"] + 1], [])
            delays.append(own["painted"] - record["clicked"])
            if replies:
                assert replies[0]["painted"] - record["clicked"] > 1000 * AWAY / 2
    assert statistics.median(delays) < 50
    assert max(delays) < 1000 * AWAY, "no move waits for the server"


def attribute(visitor: Visitor, selector: str, name: str) -> str:
    script = "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? ''"
    return str(visitor.driver.execute_script(script, selector, name))


def test_settings_hold_on_every_page_and_a_move_can_be_confirmed(visitor: Visitor) -> None:
    dark = "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0] < 128"
    visitor.begin("connect4")
    assert visitor.find(".board .coordinates").is_displayed()
    visitor.click("#settings")
    for value in ("night", "off"):
        visitor.click(f"dialog [name={'theme' if value == 'night' else 'coordinates'}][value={value}]")
    visitor.find("dialog [name=sound][value=off]").send_keys(Keys.ARROW_RIGHT)
    visitor.click("dialog [name=confirm][value=on]")
    visitor.click("dialog .main")
    try:
        assert visitor.driver.execute_script(dark)
        visitor.driver.refresh()
        visitor.turn()
        assert visitor.driver.execute_script(dark)
        assert not visitor.find(".board .coordinates").is_displayed()
        assert visitor.driver.execute_script("return randori.setting('sound')") == "on"
        Mouse(visitor).play(0, 3)
        visitor.until(lambda: attribute(visitor, ".cell:has(.ghost)", "aria-label") != "")
        assert "column 4, row 1, empty, chosen" in attribute(visitor, ".cell:has(.ghost)", "aria-label")
        assert visitor.board()["ply"] == 0
        Mouse(visitor).play(2, 3)
        visitor.until(lambda: visitor.board()["ply"] == 2)
        visitor.visit("/nosuch")
        assert visitor.driver.execute_script(dark)
        visitor.errors()  # the browser notes that a page was not found
    finally:
        visitor.driver.execute_script("localStorage.clear()")


def test_a_finger_on_a_large_board_sees_it_enlarged_first(visitor: Visitor) -> None:
    drive = visitor.driver.execute_cdp_cmd
    drive("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    drive("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        visitor.begin("gomoku15")
        visitor.turn()
        assert width(visitor, 2, 11) < 25
        tap(visitor, 2, 11)
        visitor.find(".board.enlarged")
        assert width(visitor, 2, 11) > 44
        assert visitor.board()["ply"] == 0
        visitor.click(".whole")
        visitor.until(lambda: width(visitor, 2, 11) < 25)
        tap(visitor, 2, 11)
        visitor.find(".board.enlarged")
        tap(visitor, 3, 11)
        visitor.until(lambda: visitor.board()["ply"] == 2)
        assert ", black" in attribute(visitor, "[id$='-3-11']", "aria-label")
        assert width(visitor, 2, 11) < 25
    finally:
        drive("Emulation.setTouchEmulationEnabled", {"enabled": False})
        drive("Emulation.clearDeviceMetricsOverride", {})


def width(visitor: Visitor, row: int, column: int) -> float:
    """Of a square, in pixels."""
    return float(visitor.find(f".board [id$='-{row}-{column}'] .hit").rect["width"])


def tap(visitor: Visitor, row: int, column: int) -> None:
    finger = PointerInput(interaction.POINTER_TOUCH, "finger")
    actions = ActionBuilder(visitor.driver, mouse=finger)
    actions.pointer_action.move_to(visitor.find(f".board [id$='-{row}-{column}'] .hit")).pointer_down().pointer_up()
    actions.perform()


def test_play_is_few_tabs_away_and_arrow_keys_choose(visitor: Visitor) -> None:
    visitor.visit("/")
    visitor.find("#start")
    focused = "const it = document.activeElement; return it.id || it.dataset.value || it.tagName"
    for n_tabs in range(1, 13):  # noqa: B007
        ActionChains(visitor.driver).send_keys(Keys.TAB).perform()
        if visitor.driver.execute_script(focused) == "start":
            break
    assert visitor.driver.execute_script(focused) == "start", f"not after {n_tabs} tabs"
    ActionChains(visitor.driver).send_keys(Keys.TAB).perform()
    assert visitor.driver.execute_script(focused) == attribute(visitor, ".games [aria-checked=true]", "data-value")
    visitor.click(".games [data-value=othello]")
    ActionChains(visitor.driver).send_keys(Keys.ARROW_RIGHT).perform()
    visitor.until(lambda: attribute(visitor, ".games [aria-checked=true]", "data-value") == "gomoku")
    assert visitor.driver.execute_script(focused) == "gomoku"
    ActionChains(visitor.driver).send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT).perform()
    visitor.until(lambda: visitor.text(".play-card p").startswith("Connect Four"))
    visitor.click("#rules")
    visitor.until(lambda: "four discs in a row" in visitor.text(".how-to"))
    assert len(visitor.driver.find_elements(By.CSS_SELECTOR, ".how-to .winning")) == 1


def test_a_move_that_comes_too_late_is_taken_back(far_away: Visitor) -> None:
    """Another move is made elsewhere just before: the board shows that one, not what was painted at the click."""
    far_away.begin("gomoku9", second="person")
    far_away.turn()
    elsewhere = """const headers = {"content-type": "application/json"}, id = location.pathname.split("/").at(-1);
        fetch(`/api/rooms/${id}/moves`, {method: "POST", headers, body: JSON.stringify({move: "e5", ply: 0})});
        setTimeout(() => document.querySelector("[id$='-0-0']").dispatchEvent(new MouseEvent("click", {bubbles: true})), 50);"""
    far_away.driver.execute_script(elsewhere)
    far_away.until(lambda: ", black" in attribute(far_away, "[id$='-0-0']", "aria-label"))
    far_away.until(lambda: ", black" in attribute(far_away, "[id$='-4-4']", "aria-label"))
    assert ", empty" in attribute(far_away, "[id$='-0-0']", "aria-label")
    assert far_away.turn()["ply"] == 1
