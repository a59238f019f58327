"""The analysis board in a real browser: variations, numbers, positions set up by hand, records in and out."""

import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import IN_A_BROWSER, Keyboard, Mouse, Visitor, targets
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_page_review import is_at, shown

from randori import formats, games
from randori.app.service.menu import offered

pytestmark = IN_A_BROWSER


def query(visitor: Visitor) -> dict[str, str]:
    """The query of the address."""
    return {name: it[0] for name, it in parse_qs(urlsplit(visitor.driver.current_url).query).items()}


def moves(visitor: Visitor) -> list[str]:
    """The list, row by row."""
    script = """return [...document.querySelectorAll(".moves > div")]
        .map((row) => [...row.children].map((it) => it.innerText).join(" "));"""
    found: list[str] = visitor.driver.execute_script(script)
    return found


def numbers(visitor: Visitor) -> dict[str, str]:
    """The numbers on the squares, by the names of the squares."""
    script = """return Object.fromEntries([...document.querySelectorAll(".stage .cell:has(.number)")]
        .map((it) => [it.getAttribute("aria-label").split(",")[0], it.querySelector(".number").textContent.trim()]));"""
    return dict(visitor.driver.execute_script(script))


def look(visitor: Visitor, game: str, **more: str) -> None:
    visitor.visit(f"/analysis?{'&'.join(f'{name}={it}' for name, it in {'game': game, **more}.items())}")
    visitor.find(".stage .board[data-ply]")


def test_trying_another_move_leaves_the_game_alone(visitor: Visitor) -> None:
    visitor.begin("tictactoe", second="person")
    game, mouse = visitor.driver.current_url, Mouse(visitor)
    for number, square in enumerate([(0, 0), (1, 1), (2, 2)], start=1):
        mouse.play(*square)
        visitor.until(lambda number=number: visitor.board()["ply"] == number)
    visitor.click("#move-1")
    is_at(visitor, 1)
    visitor.click("#analyse")
    visitor.until(lambda: "/analysis" in visitor.driver.current_url and shown(visitor) == 1)
    assert moves(visitor) == ["1. a1 b2", "2. c3"]
    assert visitor.find("#numbers").get_attribute("value") == "off", "no numbers without a request while a game goes on"
    mouse.play(0, 2)
    visitor.until(lambda: moves(visitor) == ["1. a1 b2", "1… c1", "2. c3"])
    mouse.play(2, 0)
    is_at(visitor, 3)
    visitor.until(lambda: moves(visitor) == ["1. a1 b2", "1… c1 2. a3", "2. c3"])
    visitor.until(lambda: query(visitor).get("moves", "") == "a1b2(c1a3)c3" and query(visitor).get("at", "") == "5")
    visitor.driver.refresh()
    is_at(visitor, 3)
    assert moves(visitor) == ["1. a1 b2", "1… c1 2. a3", "2. c3"]
    assert visitor.find(".moves [aria-selected=true]").get_attribute("aria-label") == "variation, 3, cross a3"
    visitor.click("#move-3")
    visitor.until(lambda: visitor.text(".stage .status") == "Cross played c3. Nought to move.")
    visitor.click("#to-game")
    visitor.until(lambda: visitor.driver.current_url == game and visitor.board()["ply"] == 3)
    assert visitor.turn()["legal"], "the game continues where it was"


def test_numbers_in_a_game_that_goes_on_are_help(visitor: Visitor) -> None:
    """Trying moves is not; see test_rooms for the effect on the rating."""
    visitor.begin("tictactoe", second="companion")
    room = visitor.driver.current_url.rpartition("/")[2]
    look(visitor, "tictactoe", room=room)
    assert "does not count for your rating" in visitor.text(".beside")
    assert numbers(visitor) == {}
    visitor.click("#numbers [value=judge]")
    visitor.until(lambda: len(numbers(visitor)) == 9)
    assert set(numbers(visitor).values()) == {"draw"}
    assert query(visitor).get("numbers", "") == "judge"


def test_lines_are_walked_changed_and_deleted_by_keyboard(visitor: Visitor) -> None:
    look(visitor, "tictactoe", moves="a1b2(c1a3)c3", at="5", numbers="off")
    is_at(visitor, 3)
    body = ActionChains(visitor.driver)
    body.send_keys(Keys.ARROW_LEFT).perform()
    is_at(visitor, 2)
    move_list = visitor.find(".moves")
    move_list.send_keys(Keys.ARROW_UP)
    visitor.until(lambda: query(visitor).get("at", "") == "2")
    move_list.send_keys(Keys.END)
    is_at(visitor, 3)
    move_list.send_keys(Keys.HOME)
    is_at(visitor, 0)
    move_list.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    visitor.until(lambda: query(visitor).get("at") == "4")
    visitor.find("#make-main").send_keys(Keys.ENTER)
    visitor.until(lambda: moves(visitor) == ["1. a1 c1", "1… b2 2. c3", "2. a3"])
    visitor.find("#undo").send_keys(Keys.ENTER)
    visitor.until(lambda: moves(visitor) == ["1. a1 b2", "1… c1 2. a3", "2. c3"])
    visitor.find("#delete").send_keys(Keys.ENTER)
    visitor.until(lambda: moves(visitor) == ["1. a1 b2", "2. c3"])
    is_at(visitor, 1)
    Keyboard(visitor).play(0, 2)
    visitor.until(lambda: moves(visitor) == ["1. a1 b2", "1… c1", "2. c3"])


@pytest.mark.parametrize("name", [*offered(), "clobber5"])
def test_every_game_is_analysed(visitor: Visitor, name: str) -> None:
    """Two moves, one of them taken back and another tried instead; with numbers by the judge."""
    look(visitor, name)
    visitor.until(lambda: numbers(visitor))
    mouse = Mouse(visitor)
    for square in (0, 0, -1):
        if square:
            visitor.click("#back")
            is_at(visitor, 1)
        before = shown(visitor)
        mouse.play(*visitor.turn()["legal"][square])
        visitor.until(lambda before=before: shown(visitor) != before or targets(visitor))
        if shown(visitor) == before:
            mouse.play(*targets(visitor)[0])
        is_at(visitor, before + 1)
    visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".moves .variation")) == 1)
    visitor.until(lambda: query(visitor).get("moves", "").count("(") == 1)


def test_numbers_by_the_judge_and_by_a_player_in_discs_and_chances(visitor: Visitor) -> None:
    look(visitor, "othello6")
    visitor.until(lambda: len(numbers(visitor)) == 4)
    assert all(it[0] in "+\N{MINUS SIGN}0" for it in numbers(visitor).values()), "discs"
    visitor.click("#unit [value=chance]")
    visitor.until(lambda: all(it.endswith("%") for it in numbers(visitor).values()))
    visitor.click("#numbers [value='zoo/othello6-som']")
    visitor.until(lambda: len(numbers(visitor)) == 4 and query(visitor).get("numbers", "") == "zoo/othello6-som")
    label = visitor.find(".stage .cell:has(.number)").get_attribute("aria-label")
    assert ", chance " in label
    visitor.driver.refresh()
    visitor.until(lambda: len(numbers(visitor)) == 4)
    assert visitor.find("#unit").get_attribute("value") == "chance"
    visitor.click("#numbers [value=heuristic]")
    visitor.until(lambda: "best" in numbers(visitor).values())
    visitor.click("#numbers [value=off]")
    visitor.until(lambda: numbers(visitor) == {})


def test_the_page_answers_while_a_player_thinks(visitor: Visitor) -> None:
    look(visitor, "othello8", moves="f5f6e6f4g3f3g4h3d3d6d7c8")
    visitor.until(lambda: numbers(visitor))
    began = time.monotonic()
    for ply in range(11, 5, -1):
        ActionChains(visitor.driver).send_keys(Keys.ARROW_LEFT).perform()
        is_at(visitor, ply)
    assert time.monotonic() - began < 10
    visitor.until(lambda: numbers(visitor))


def test_a_position_is_set_up_by_mouse(visitor: Visitor) -> None:
    look(visitor, "tictactoe", numbers="off")
    visitor.click("#set-up")
    visitor.find("#put-1[aria-pressed=true]")
    mouse = Mouse(visitor)
    for square in ((0, 0), (2, 2), (1, 0)):
        mouse.play(*square)
    visitor.until(lambda: visitor.find("#position").get_attribute("value") == "X--X----X X")
    visitor.click("#put-2")
    visitor.find("#put-2[aria-pressed=true]")
    mouse.play(1, 1)
    visitor.until(lambda: visitor.find("#position").get_attribute("value") == "X--XO---X X")
    visitor.click("#set-up-done")
    visitor.until(
        lambda: "no position of Tic-Tac-Toe" in visitor.driver.execute_script("return document.body.textContent")
    )
    mouse.play(1, 1)  # a second click takes it away
    visitor.until(lambda: visitor.find("#position").get_attribute("value") == "X--X----X X")
    mouse.play(1, 1)
    mouse.play(2, 0)
    visitor.click("#to-move-1")
    visitor.click("#clear")
    visitor.until(lambda: visitor.find("#position").get_attribute("value") == "--------- O")
    visitor.click("#usual")
    visitor.click("#set-up-cancel")
    visitor.until(lambda: visitor.find("#set-up").is_displayed())


def test_a_stone_that_hangs_in_the_air_is_refused(visitor: Visitor) -> None:
    look(visitor, "connect4", moves="44", numbers="off")
    visitor.click("#set-up")
    visitor.find("#put-1[aria-pressed=true]")
    mouse = Mouse(visitor)
    mouse.play(2, 0)
    visitor.click("#to-move-1")
    visitor.click("#set-up-done")
    visitor.until(
        lambda: "no position of Connect Four" in visitor.driver.execute_script("return document.body.textContent")
    )
    mouse.play(2, 0)
    mouse.play(5, 0)
    visitor.find(".board [id$='-5-0'] .piece.first")
    visitor.click("#set-up-done")
    visitor.until(lambda: visitor.text(".stage .status") == "Yellow to move.")
    mouse.play(0, 0)
    visitor.until(lambda: visitor.text(".stage .status") == "Yellow played 1. Red to move.")


def test_a_position_is_typed_by_keyboard_and_kept(visitor: Visitor) -> None:
    look(visitor, "tictactoe")
    visitor.find("#set-up").send_keys(Keys.ENTER)
    field = visitor.find("#position")
    visitor.driver.execute_script("arguments[0].select()", field)
    field.send_keys("X---O---X O", Keys.TAB)
    visitor.find("#to-move-1[aria-pressed=true]")
    Keyboard(visitor).play(0, 2)
    visitor.until(lambda: visitor.find("#position").get_attribute("value") == "X-X-O---X O")
    Keyboard(visitor).play(0, 2)
    visitor.until(lambda: visitor.find("#position").get_attribute("value") == "X---O---X O")
    visitor.find("#set-up-done").send_keys(Keys.ENTER)
    visitor.until(lambda: query(visitor).get("moves", "").strip() == "X---O---X O")
    visitor.until(lambda: visitor.text(".stage .status") == "Nought to move.")
    visitor.until(lambda: numbers(visitor).get("b1") == "draw" and numbers(visitor).get("c1") == "loss")
    Mouse(visitor).play(0, 1)
    visitor.until(lambda: moves(visitor) == ["1. … b1"])
    assert visitor.text(".stage .status") == "Nought played b1. Cross to move."
    visitor.driver.refresh()
    visitor.until(lambda: moves(visitor) == ["1. … b1"])
    visitor.driver.back()
    visitor.until(lambda: "moves" not in query(visitor))


def test_a_record_is_pasted_and_saved(visitor: Visitor, tmp_path: Path) -> None:
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    visitor.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    game = games.game("othello8")
    study = formats.parse_study(game, "f5d6(f4)c3")
    look(visitor, "othello8", numbers="off")
    visitor.click(".record summary")
    visitor.find("#record-in").send_keys(formats.write_sgf_study(game, study))
    visitor.click("#open-record")
    visitor.until(lambda: moves(visitor) == ["1. f5 d6", "1… f4", "2. c3"])
    visitor.click(".record:has(#save-sgf) summary")
    for name, suffix in (("sgf", "sgf"), ("ggf", "ggf"), ("transcript", "txt")):
        visitor.click(f"#save-{name}")
        file = tmp_path / f"othello8.{suffix}"
        visitor.until(file.exists)
        kept = formats.parse_study(game, file.read_text())
        assert kept.moves.end_of() == study.moves.end_of()
        assert kept.moves == study.moves or name == "ggf"


def test_a_record_that_cannot_be_read_is_refused_in_words(visitor: Visitor) -> None:
    look(visitor, "tictactoe", numbers="off")
    visitor.click(".record summary")
    visitor.find("#record-in").send_keys("a1a1")
    visitor.click("#open-record")
    visitor.until(lambda: "not legal" in visitor.driver.execute_script("return document.body.textContent"))
    visitor.visit("/analysis?game=tictactoe&moves=a1a1")
    visitor.until(lambda: "not legal" in visitor.text("main"))
    visitor.errors()  # the browser notes that the page was refused


def test_on_a_phone_at_night(visitor: Visitor) -> None:
    drive = visitor.driver.execute_cdp_cmd
    drive("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    drive("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    try:
        look(visitor, "othello8", moves="f5f6(d6)(f4e3)e6f4", at="2")
        visitor.until(lambda: numbers(visitor))
        assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390
        mouse = Mouse(visitor)
        mouse.play(*visitor.turn()["legal"][0])
        is_at(visitor, 3)
        visitor.click("#back")
        is_at(visitor, 2)
        visitor.click("#set-up")
        visitor.find("#position")
        assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390
    finally:
        drive("Emulation.clearDeviceMetricsOverride", {})
        drive("Emulation.setEmulatedMedia", {"features": []})


def test_a_review_leads_to_the_analysis_of_the_same_position(visitor: Visitor) -> None:
    visitor.visit("/review?game=tictactoe&moves=a1b2c3a3")
    visitor.find(".curve")
    is_at(visitor, 4)
    visitor.click("#back")
    is_at(visitor, 3)
    visitor.click("#analyse")
    visitor.until(lambda: "/analysis" in visitor.driver.current_url and shown(visitor) == 3)
    assert moves(visitor) == ["1. a1 b2", "2. c3 a3"]
