"""The review in a real browser: by mouse on a desk, and by keyboard on a phone at night."""

from pathlib import Path

from browsing import IN_A_BROWSER, Mouse, Visitor
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from randori import formats, games

pytestmark = IN_A_BROWSER
LOST = "a1b2c3a3a2c1"  # a corner loses the draw, then a win is missed


def shown(visitor: Visitor) -> int:
    """How many moves have been made in the position on the board."""
    script = "return Number(document.querySelector('.stage .board')?.dataset.shown ?? -1)"
    return int(visitor.driver.execute_script(script))


def is_at(visitor: Visitor, ply: int) -> None:
    visitor.until(lambda: shown(visitor) == ply)


def test_a_game_is_replayed_resigned_and_reviewed_by_mouse(visitor: Visitor) -> None:
    visitor.begin("tictactoe", second="person")
    mouse = Mouse(visitor)
    for number, square in enumerate([(0, 0), (1, 1), (2, 2), (2, 0)], start=1):
        mouse.play(*square)
        visitor.until(lambda number=number: visitor.board()["ply"] == number)
    visitor.click("#move-2")
    is_at(visitor, 2)
    assert not visitor.board()["legal"], "the past cannot be played on"
    assert visitor.text(".stage .status") == "Move 2 of 4: Nought played b2."
    visitor.click("#now")
    is_at(visitor, 4)
    assert visitor.turn()["legal"]
    visitor.click("#resign")
    visitor.until(lambda: visitor.text("#resign") == "Really resign?")
    visitor.click("#resign")
    visitor.until(lambda: "resigned" in visitor.board()["status"])
    for control in ("#undo", "#hint", "#resign", "#thoughts", "#minds"):
        assert not visitor.find(control).is_displayed(), control
    visitor.click("#review")
    visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".mistakes li")) == 1)
    visitor.click(".mistakes button")
    is_at(visitor, 4)
    visitor.until(lambda: visitor.text(".stage .status") == "Nought played a3, a blunder: b1 holds the draw, a3 loses.")
    better = visitor.find(".board .cell:has(.hint)").get_attribute("aria-label")
    assert better == "b1, empty, better"
    visitor.click("[data-step='2']")
    visitor.until(lambda: visitor.driver.find_elements(By.CSS_SELECTOR, ".step[aria-pressed=true][data-step='2']"))
    is_at(visitor, 5)
    curve = visitor.find(".curve")
    ActionChains(visitor.driver).move_to_element_with_offset(curve, -curve.size["width"] // 2 + 9, 0).perform()
    visitor.until(lambda: visitor.text(".curve-caption") == "Before the first move: cross 50%")
    ActionChains(visitor.driver).click().perform()
    is_at(visitor, 0)
    visitor.click("#next-mistake")
    is_at(visitor, 4)
    visitor.click("#back")
    is_at(visitor, 3)


def test_a_record_is_pasted_and_reviewed_by_keyboard_on_a_phone_at_night(visitor: Visitor) -> None:
    drive = visitor.driver.execute_cdp_cmd
    drive("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    drive("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    try:
        visitor.visit("/review?game=tictactoe")
        visitor.find("#record-in").send_keys(LOST, Keys.TAB, Keys.ENTER)
        visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".mistakes li")) == 2)
        assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390
        is_at(visitor, 6)
        ActionChains(visitor.driver).send_keys(Keys.ARROW_LEFT).perform()
        is_at(visitor, 5)
        visitor.until(lambda: "and missed a win" in visitor.text(".stage .status"))
        curve = visitor.find(".curve")
        curve.send_keys(Keys.ARROW_LEFT)
        is_at(visitor, 4)
        value_text = "4. a3, blunder: cross 100%"
        visitor.until(lambda: curve.get_attribute("aria-valuetext") == value_text)
        curve.send_keys(Keys.HOME)
        is_at(visitor, 0)
        moves = visitor.find(".moves")
        moves.send_keys(Keys.ARROW_RIGHT)
        is_at(visitor, 1)
        moves.send_keys(Keys.ARROW_DOWN)
        is_at(visitor, 3)
        moves.send_keys(Keys.END)
        is_at(visitor, 6)
        label = visitor.find(".moves [aria-selected=true]").get_attribute("aria-label")
        assert label == "6, nought c1"
    finally:
        drive("Emulation.clearDeviceMetricsOverride", {})
        drive("Emulation.setEmulatedMedia", {"features": []})


def test_the_newest_move_of_a_long_game_is_in_sight(visitor: Visitor) -> None:
    visitor.begin("gomoku9", "random", "random")
    visitor.find(".controls select [value='0.2']").click()
    visitor.until(lambda: visitor.board()["ply"] >= 24)
    in_sight = """const list = document.querySelector('.moves').getBoundingClientRect();
        const newest = [...document.querySelectorAll('.moves .move')].pop().getBoundingClientRect();
        return newest.top >= list.top - 1 && newest.bottom <= list.bottom + 1;"""
    visitor.until(lambda: visitor.driver.execute_script(in_sight))


def test_a_file_is_loaded(visitor: Visitor, tmp_path: Path) -> None:
    game = games.game("othello6")
    file = tmp_path / "game.sgf"
    file.write_text(formats.write_sgf(game, [formats.parse_pasted(game, "e4e3")]))
    visitor.visit("/review?game=othello6")
    visitor.find("#record-file").send_keys(str(file))
    visitor.until(lambda: visitor.find("#record-in").get_attribute("value").startswith("(;"))
    visitor.click("#review-record")
    visitor.until(lambda: visitor.text(".moves").split() == ["1.", "e4", "e3"])
    is_at(visitor, 2)


def test_the_page_says_why_a_review_is_refused(visitor: Visitor) -> None:
    visitor.visit("/review?game=tictactoe")
    visitor.find("#record-in").send_keys("a1a1")
    visitor.click("#review-record")
    visitor.until(lambda: "not legal" in visitor.driver.execute_script("return document.body.textContent"))
    visitor.begin("tictactoe")
    visitor.driver.get(f"{visitor.driver.current_url}/review")
    visitor.until(lambda: "it can be reviewed when it is" in visitor.text("main"))
    visitor.errors()  # the browser notes that the page was refused
