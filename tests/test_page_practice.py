"""Practice in a real browser: by mouse on a desk, and by keyboard on a phone at night."""

from typing import Any

from browsing import IN_A_BROWSER, Visitor
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from randori import games
from randori.practice import Puzzle, puzzles_of

pytestmark = IN_A_BROWSER
GAME = games.game("connect4")


def posed(visitor: Visitor) -> Puzzle:
    """The puzzle on the board, once it can be played."""
    cell = visitor.find(".stage .board .legal").get_attribute("id")
    return puzzles_of(GAME)[cell.split("-")[2]]


def columns(visitor: Visitor) -> list[Any]:
    return list(visitor.driver.find_elements(By.CSS_SELECTOR, ".stage .board .legal"))


def test_a_puzzle_is_missed_tried_again_and_solved_by_mouse(visitor: Visitor) -> None:
    visitor.visit("/practice")
    visitor.click(".course[href='/practice/connect4']")
    puzzle = posed(visitor)
    assert visitor.text(".task h1").endswith((" to move and win.", " to move and draw."))
    next(it for it in columns(visitor) if it.get_attribute("data-move") != puzzle.answer).click()
    visitor.until(lambda: visitor.text(".stage .status").startswith("Not "))
    assert "1 of" in visitor.text(".standing")
    assert visitor.find("#answer").is_displayed()
    visitor.click("#again")
    assert posed(visitor) == puzzle
    visitor.click(f".stage .board .legal[data-move='{puzzle.answer}']")
    visitor.until(lambda: visitor.text(".stage .status").startswith(f"Right: {puzzle.answer} "))
    assert "does not count" in visitor.text(".stage .status")
    assert "Proved by the solver" in visitor.text(".beside")
    line = puzzle.line.split()
    visitor.click(f"[data-step='{min(3, len(line))}']")
    visitor.until(
        lambda: len(
            visitor.driver.find_elements(By.CSS_SELECTOR, f".step[aria-pressed=true][data-step='{min(3, len(line))}']")
        )
    )
    visitor.click("#next")
    visitor.until(lambda: visitor.driver.find_elements(By.CSS_SELECTOR, ".stage .board .legal"))
    assert posed(visitor) != puzzle


def test_a_puzzle_is_solved_by_keyboard_on_a_phone_at_night(visitor: Visitor) -> None:
    drive = visitor.driver.execute_cdp_cmd
    drive("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    drive("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    try:
        visitor.visit("/practice/connect4")
        puzzle = posed(visitor)
        assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390
        visitor.driver.execute_script("document.querySelector('.stage .board').focus()")
        aim = int(puzzle.answer) - 1 - GAME.shape[1] // 2
        step = Keys.ARROW_RIGHT if aim > 0 else Keys.ARROW_LEFT
        ActionChains(visitor.driver).send_keys(*[step] * abs(aim), Keys.ENTER).perform()
        visitor.until(lambda: visitor.text(".stage .status").startswith("Right: "))
        visitor.until(lambda: visitor.driver.execute_script("return document.activeElement.id") == "next")
        ActionChains(visitor.driver).send_keys(Keys.ENTER).perform()
        visitor.until(lambda: visitor.text(".stage .status").startswith("This one is rated "))
        assert visitor.driver.execute_script("return document.activeElement.classList.contains('board')")
        assert posed(visitor) != puzzle
    finally:
        drive("Emulation.clearDeviceMetricsOverride", {})
        drive("Emulation.setEmulatedMedia", {"features": []})


def test_own_mistakes_are_found_and_posed(visitor: Visitor) -> None:
    visitor.visit("/practice/tictactoe/mistakes")
    visitor.until(lambda: "play some more games" in visitor.text(".stage .status"))
    new = """const [done] = arguments;
        fetch("/api/rooms", {method: "POST", headers: {"content-type": "application/json"},
          body: JSON.stringify({game: "tictactoe", second: "random", moves: "a1b2c3a3a2c1"})}).then(done);"""
    visitor.driver.execute_async_script(new)
    visitor.visit("/practice/tictactoe/mistakes")
    visitor.until(lambda: visitor.text(".task h1") == "Cross to move and win.")
    visitor.click(".stage .board .legal[data-move='c1']")
    visitor.until(lambda: visitor.text(".stage .status").startswith("Right: c1 wins"))
