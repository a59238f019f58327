"""The page in a real browser: whole games of every board by mouse and by keyboard, and every view."""

import re
import time
from pathlib import Path

import pytest
from browsing import IN_A_BROWSER, Keyboard, Mouse, Visitor, is_over, resign, targets
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from serving import serving

from randori import games
from randori.app.service.menu import offered
from randori.experiments import CountingWorkers, Recipe, train
from randori.methods.som.config import SomConfig
from randori.methods.table.learner import TableConfig

pytestmark = IN_A_BROWSER


@pytest.mark.parametrize("hand", [Mouse, Keyboard])
@pytest.mark.parametrize("name", offered())
def test_a_whole_game(visitor: Visitor, name: str, hand: type[Mouse] | type[Keyboard]) -> None:
    """Plays the first free square of the middle row: in Gomoku that soon makes five against random play."""
    visitor.begin(name)
    game, player = games.game(name), hand(visitor)
    for _ in range(game.max_plies):
        board = visitor.turn()
        if is_over(board):
            break
        if board["pass"]:
            visitor.click("#pass")
        else:
            player.play(*min(board["legal"], key=lambda it: (abs(it[0] - game.shape[0] // 2), it[1])))
        visitor.until(lambda before=board["ply"]: visitor.board()["ply"] != before)
    assert is_over(visitor.board())


def test_hexagons_show_whose_edges_they_are_and_the_chain_that_wins(visitor: Visitor) -> None:
    visitor.begin("hex5")
    assert len(visitor.driver.find_elements(By.CSS_SELECTOR, ".board .edges .first")) == 2
    mouse = Mouse(visitor)
    while not is_over(board := visitor.turn()):
        mouse.play(*min(board["legal"], key=lambda it: (abs(it[1] - 2), it[0])))
        visitor.until(lambda before=board["ply"]: visitor.board()["ply"] != before)
    assert visitor.find(".board .winning").get_attribute("d").count("L") >= 4
    label = visitor.find(".board .cell:has(.last)").get_attribute("aria-label")
    assert re.fullmatch(r"[a-e][1-5], (red|blue), last move", label)


def _label(visitor: Visitor, row: int, column: int) -> str:
    return str(visitor.find(f".board:not(.small) [id$='-{row}-{column}']").get_attribute("aria-label"))


@pytest.mark.parametrize("hand", [Mouse, Keyboard])
def test_a_piece_is_chosen_and_then_goes_where_it_can(visitor: Visitor, hand: type[Mouse] | type[Keyboard]) -> None:
    visitor.begin("clobber5")
    player = hand(visitor)
    assert [1, 1] in visitor.turn()["legal"]
    assert _label(visitor, 1, 1) == "b2, black, can move"
    player.play(1, 1)
    visitor.until(lambda: _label(visitor, 1, 1) == "b2, black, chosen")
    assert _label(visitor, 1, 2) == "c2, white, the chosen piece can go here"
    assert [1, 2] in visitor.board()["legal"]
    player.play(1, 1)
    visitor.until(lambda: _label(visitor, 1, 1) == "b2, black, can move")
    player.play(1, 1)
    visitor.find(".board .chosen")
    visitor.find(".board:not(.small)").send_keys(Keys.ESCAPE)
    visitor.until(lambda: not visitor.driver.find_elements(By.CSS_SELECTOR, ".board .chosen"))
    player.play(1, 1)
    player.play(1, 2)
    visitor.until(lambda: visitor.board()["ply"] == 2)
    assert not visitor.driver.find_elements(By.CSS_SELECTOR, ".board .chosen, .board .target")
    assert "b2c2" in visitor.text("main")
    visitor.find(".board .last")


def test_a_whole_game_of_pieces_that_go(visitor: Visitor) -> None:
    visitor.begin("clobber5")
    mouse = Mouse(visitor)
    while not is_over(board := visitor.turn()):
        mouse.play(*board["legal"][0])
        row, column = visitor.until(lambda: targets(visitor))[0]
        mouse.play(row, column)
        visitor.until(lambda before=board["ply"]: visitor.board()["ply"] != before)


def test_a_visitor_finds_the_way_into_a_game(visitor: Visitor) -> None:
    visitor.visit("/")
    visitor.click("[data-value=connect4]")
    visitor.until(lambda: visitor.find("[data-value=connect4]").get_attribute("aria-checked") == "true")
    visitor.until(lambda: visitor.text(".play-card p").startswith("Connect Four. You begin."))
    visitor.click(".everybody summary")
    visitor.click(".opponents [data-value=greedy]")
    visitor.until(lambda: visitor.find(".opponents [data-value=greedy]").get_attribute("aria-checked") == "true")
    visitor.until(lambda: visitor.text(".play-card h1") == "Play against Greedy")
    visitor.click("#start")
    visitor.until(lambda: "/game/" in visitor.driver.current_url)
    assert visitor.turn()["legal"]
    assert "Greedy" in visitor.text(".stage")


def test_undo_hint_thoughts_minds_and_resign(visitor: Visitor) -> None:
    visitor.begin("othello6", second="zoo/othello6-evolution")
    Mouse(visitor).play(*visitor.turn()["legal"][0])
    visitor.until(lambda: visitor.board()["ply"] == 2 and visitor.turn())
    visitor.click("#hint")
    visitor.find(".board .hint")
    visitor.click("#thoughts")
    visitor.find(".board:not(.small) .heat")
    visitor.click("#minds")
    visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".mind")) >= 3)
    assert visitor.find(".mind .scores")
    assert visitor.find(".mind .bar")
    visitor.find(".graph .line")
    visitor.click("#undo")
    visitor.until(lambda: visitor.board()["ply"] == 0)
    resign(visitor)
    visitor.until(lambda: "resigned" in visitor.board()["status"])


def test_the_companion_says_how_strong_it_played(visitor: Visitor) -> None:
    visitor.begin("tictactoe", second="companion")
    while not is_over(board := visitor.turn()):
        Mouse(visitor).play(*board["legal"][0])
        visitor.until(lambda before=board["ply"]: visitor.board()["ply"] != before)
    visitor.until(lambda: "Elo" in visitor.text("main"))


def test_a_style_at_my_level(visitor: Visitor) -> None:
    visitor.visit("/")
    visitor.click("[data-value=connect4]")
    visitor.until(lambda: "I will play at about" in visitor.text(".play-card p"))
    visitor.click("[data-value='companion:style=som']")
    visitor.until(lambda: "In the style of som" in visitor.text(".play-card p"))
    assert visitor.text(".play-card h1") == "Play at my level"
    visitor.click("#start")
    visitor.until(lambda: "/game/" in visitor.driver.current_url)
    assert visitor.turn()["legal"]


def test_the_pupil_counts_its_games_and_forgets(visitor: Visitor) -> None:
    visitor.begin("tictactoe", second="pupil")
    Mouse(visitor).play(*visitor.turn()["legal"][0])
    visitor.until(lambda: visitor.board()["ply"] == 2)
    resign(visitor)
    visitor.until(lambda: "our game 1" in visitor.text("main"))
    visitor.visit("/")
    visitor.click("[data-value=gomoku]")
    visitor.until(lambda: "no pupil for Gomoku" in visitor.text("main"))
    visitor.click("[data-value=tictactoe]")
    pupil_text = "return document.querySelector('.pupil')?.textContent ?? ''"
    visitor.until(lambda: "1 game with you" in str(visitor.driver.execute_script(pupil_text)))
    # The view may be redrawn between finding an element and clicking it.
    press = "document.querySelector('#forget').click()"
    visitor.driver.execute_script(press)
    visitor.until(lambda: "Forget all" in str(visitor.driver.execute_script("return document.body.textContent")))
    visitor.driver.execute_script(press)
    visitor.until(lambda: "Knows nothing yet" in visitor.text("[data-value=pupil]"))


def test_maps_of_a_run_are_shown_with_the_way_of_a_game(visitor: Visitor, folder: Path) -> None:
    tiny = SomConfig(4, 4, data=(200,), rough=(100,), fine=(100,), map_rounds=1, games=20)
    with CountingWorkers(1) as staff:
        train(Recipe("tictactoe", "som", tiny, rounds=4, evaluate_games=0), folder / "runs" / "mapped", staff)
    visitor.visit("/learning/mapped")
    loaded = "return [...document.querySelectorAll('.drawing img')].filter((it) => it.naturalWidth > 100).length"
    visitor.find(".drawing img").location_once_scrolled_into_view  # noqa: B018  a picture out of sight is not fetched
    visitor.until(lambda: visitor.driver.execute_script(loaded) == 1)
    visitor.click("#sample")
    visitor.until(lambda: visitor.driver.execute_script(loaded) == 2)
    visitor.click("#open-sample")
    visitor.until(lambda: "/game/" in visitor.driver.current_url and is_over(visitor.board()))


def test_a_game_survives_a_reload(visitor: Visitor) -> None:
    visitor.begin("gomoku9")
    Mouse(visitor).play(4, 4)
    visitor.until(lambda: visitor.board()["ply"] == 2)
    visitor.driver.refresh()
    visitor.until(lambda: visitor.board()["ply"] == 2)


def test_two_tabs_of_one_game_follow_each_other(visitor: Visitor) -> None:
    """And an action for an outdated position is refused."""
    visitor.begin("gomoku9")
    driver, first = visitor.driver, visitor.driver.current_window_handle
    address = driver.current_url
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    try:
        driver.get(address)
        visitor.turn()
        driver.switch_to.window(first)
        Mouse(visitor).play(4, 4)
        visitor.until(lambda: visitor.board()["ply"] == 2)
        driver.switch_to.window(second)
        visitor.until(lambda: visitor.board()["ply"] == 2)
        assert visitor.turn()["legal"]
        # Like a tab that has not heard of the move yet.
        driver.execute_script("document.querySelector('.stage .board').dataset.ply = 0")
        visitor.click("#undo")
        visitor.until(lambda: "has moved on" in driver.execute_script("return document.body.textContent"))
        driver.execute_script("document.querySelector('.stage .board').dataset.ply = 2")
        assert visitor.board()["legal"]
        visitor.click("#undo")
        visitor.until(lambda: visitor.board()["ply"] == 0)
        driver.switch_to.window(first)
        visitor.until(lambda: visitor.board()["ply"] == 0)
        resign(visitor)
        driver.switch_to.window(second)
        visitor.until(lambda: "resigned" in visitor.board()["status"])
    finally:
        driver.switch_to.window(second)
        driver.close()
        driver.switch_to.window(first)


def test_two_players_are_watched(visitor: Visitor) -> None:
    visitor.begin("tictactoe", "heuristic", "random")
    select = visitor.find(".controls select")
    select.find_element(By.CSS_SELECTOR, "[value='0.2']").click()
    visitor.until(lambda: is_over(visitor.board()))


def test_a_rematch_changes_the_seats(visitor: Visitor) -> None:
    visitor.begin("tictactoe")
    before = visitor.driver.current_url
    resign(visitor)
    visitor.click("#rematch")
    visitor.until(lambda: visitor.driver.current_url != before and visitor.board()["ply"] == 1)


def test_a_transcript_goes_in_and_out(visitor: Visitor) -> None:
    visitor.visit("/")
    visitor.click(".games [data-value=othello]")
    visitor.click(".sizes [data-value=othello8]")
    visitor.until(lambda: "Othello 8x8" in visitor.text(".play-card"))
    visitor.click(".record summary")
    visitor.find("#transcript-in").send_keys("f5d6c3")
    visitor.click("[data-value=both]")
    visitor.click("#play-on")
    visitor.until(lambda: visitor.board()["ply"] == 3)
    visitor.driver.execute_script("document.querySelector('.record').open = true")
    visitor.until(lambda: visitor.text(".transcript") == "f5d6c3")


def test_ladder_and_tournament(visitor: Visitor) -> None:
    visitor.visit("/ladder?game=tictactoe")
    visitor.find(".ladder tr:nth-child(4)")
    visitor.click(".card summary")
    assert "randori train" in visitor.text(".card")
    visitor.click("#tournament")
    visitor.find(".cross .score")
    assert not re.search("zoo/|uct:", visitor.text(".tournament"))
    assert visitor.find(".cross [title^='zoo/']")


def test_learning_is_started_watched_and_met(visitor: Visitor) -> None:
    visitor.visit("/learning")
    visitor.find(".form select").find_element(By.CSS_SELECTOR, "[value=table]").click()
    visitor.click(".learning-settings summary")
    seed, memory = visitor.find("[name=seed]"), visitor.find("[name='setting memory']")
    for field, value in ((seed, "7"), (memory, "40")):
        field.clear()
        field.send_keys(value)
    visitor.click("#train")
    visitor.until(lambda: "yours, learning" in visitor.text(".status"))
    training_page = visitor.driver.current_url
    visitor.find(".chart svg path")
    visitor.click(".chart summary")
    visitor.until(lambda: "random = 0" in visitor.text(".place .chart"))
    visitor.until(lambda: "left" in visitor.text(".status"))
    # The page may be gone between finding the button and pressing it, since an earlier press leads away from it.
    press = "document.querySelector('#play-run')?.click()"
    visitor.until(
        lambda: visitor.driver.execute_script(press) or time.sleep(1) or "/game/" in visitor.driver.current_url
    )
    assert visitor.turn()["legal"]
    visitor.driver.get(training_page)
    visitor.click("#stop")
    visitor.until(lambda: "yours, stopped" in visitor.text(".status"))
    visitor.until(lambda: not visitor.find("#stop").is_displayed())
    visitor.click("#continue")
    visitor.until(lambda: "yours, learning" in visitor.text(".status"))
    visitor.click("#stop")
    visitor.until(lambda: "yours, stopped" in visitor.text(".status"))
    visitor.click(".care summary")
    assert re.search(r"seed\s+7.*memory\s+40", visitor.text(".care"), re.DOTALL)
    visitor.find(".controls [value='1']").click()
    visitor.click("#sample")
    visitor.find(".sample .piece")
    visitor.click("#to-the-end")
    visitor.until(lambda: re.search(r"Move (\d+) of \1", visitor.text(".sample .status")))
    assert "round 1" in visitor.text(".sample")


def test_runs_are_compared_renamed_and_deleted(visitor: Visitor, folder: Path) -> None:
    for name, memory in (("long", 50), ("short", 5)):
        config = TableConfig(games=5, memory=memory)
        with CountingWorkers(1) as staff:
            recipe = Recipe("tictactoe", "table", config, rounds=3, evaluate_every=1, evaluate_games=2)
            train(recipe, folder / "runs" / name, staff)
    visitor.visit("/learning")
    visitor.until(lambda: {"long", "short"} <= set(visitor.text(".chart").split()))
    assert re.search(r"memory\s+5\s+50", visitor.text(".differences"))
    ActionChains(visitor.driver).move_to_element(visitor.find(".chart svg")).perform()
    visitor.until(lambda: re.search(r"[\d,]+ games\s+\S+: -?\d+ \(-?\d+ to -?\d+\)", visitor.text(".chart")))
    inks = set()
    for theme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        ink = "return getComputedStyle(document.querySelector('.chart svg text')).fill"
        inks.add(visitor.driver.execute_script(ink))
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(inks) == 2
    visitor.click("[aria-label='Compare long']")
    visitor.until(lambda: "long" not in visitor.text(".differences").split())
    visitor.visit("/learning/short")
    visitor.click(".care summary")
    visitor.until(lambda: visitor.find("#run-name").is_displayed())
    visitor.find("#run-name").send_keys("-memory")
    visitor.click("#rename")
    visitor.until(lambda: visitor.text("h1") == "short-memory")
    visitor.click(".care summary")
    visitor.click("#delete")
    visitor.until(lambda: "for good" in visitor.text("#delete"))
    visitor.click("#delete")
    visitor.until(lambda: visitor.text("h1") == "Watch learning")
    assert not (folder / "runs" / "short-memory").exists()


def test_a_deleted_profile_leaves_nothing(visitor: Visitor) -> None:
    visitor.begin("tictactoe")
    visitor.visit("/")
    visitor.find(".earlier a")
    visitor.click("#delete-me")
    visitor.until(lambda: "for good" in visitor.text("#delete-me"))
    visitor.click("#delete-me")
    visitor.until(lambda: not visitor.driver.find_elements(By.CSS_SELECTOR, "#delete-me, .earlier a"))
    visitor.find("#start")


def test_papers_reference_and_a_missing_game(visitor: Visitor) -> None:
    visitor.visit("/papers")
    visitor.find(".run a").click()
    visitor.find(".prose h1")
    visitor.visit("/papers/freisleben")
    visitor.find(".prose img")
    visitor.find(".chart svg path")
    visitor.click("#play-gomoku9")
    assert visitor.turn()["legal"]
    visitor.visit("/docs")
    assert "POST /api/rooms" in visitor.text(".prose")
    visitor.visit("/game/nothing")
    assert "no such game" in visitor.text("h1")
    visitor.errors()  # the browser notes that a page was not found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_missing_page_has_a_page_of_our_own_with_a_way_home(visitor: Visitor, theme: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        for path in ("/papers/none", "/nosuch", "/learning/none", "/ladder?game=chess"):
            visitor.visit(path)
            assert "no such page" in visitor.text("h1"), path
            colour = "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0]"
            assert (visitor.driver.execute_script(colour) > 128) == (theme == "light"), path
        visitor.click(".ways [href='/ladder?game=tictactoe']")
        visitor.find(".ladder")
        visitor.visit("/nosuch")
        visitor.click(".ways a")
        visitor.find("#start")
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert {it for it in visitor.errors() if " 404 " not in it} == set()


def test_a_guest_comes_in_by_the_password_and_plays(driver: webdriver.Chrome, tmp_path: Path) -> None:
    """Through an address that is not local, as from elsewhere."""
    with serving(tmp_path, more=["--host", "0.0.0.0", "--password", "open sesame"]) as server:
        guest = Visitor(driver, f"http://127.0.0.2:{server.port}")
        guest.visit("/ladder?game=tictactoe")
        guest.find("[name=password]").send_keys("open wheat" + Keys.ENTER)
        guest.until(lambda: "not the password" in guest.text("[role=alert]"))
        guest.find("[name=password]").send_keys("open sesame" + Keys.ENTER)
        guest.find(".ladder")
        assert "game=tictactoe" in driver.current_url
        guest.begin("tictactoe")
        Mouse(guest).play(*guest.turn()["legal"][0])
        guest.until(lambda: guest.board()["ply"] == 2)
        assert {it for it in guest.errors() if " 401 " not in it} == set()


def test_a_narrow_phone_needs_no_sideways_scrolling(visitor: Visitor) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    visitor.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        for path in ("/", "/ladder?game=othello6", "/learning", "/papers", "/papers/kamei"):
            visitor.visit(path)
            visitor.find("main h1")
            assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390, path
        visitor.begin("gomoku15")
        assert visitor.find(".board").size["width"] > 340
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
