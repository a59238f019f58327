"""Two people in two browsers: an invitation, a whole game on desktop and phone, clocks, offers, a rematch; and progress."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import IN_A_BROWSER, Keyboard, Mouse, Visitor, browser, is_over, resign
from selenium.webdriver.common.by import By

from randori import games

pytestmark = IN_A_BROWSER
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


@pytest.fixture(scope="module")
def drivers() -> Iterator[tuple[Any, Any, Any]]:
    """Three browsers that know nothing of each other; the second is a phone's."""
    with browser() as one, browser() as two, browser() as three:
        two.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
        yield one, two, three


@pytest.fixture
def people(drivers: tuple[Any, Any, Any], address: str) -> Iterator[tuple[Visitor, Visitor, Visitor]]:
    """A host, a friend on a phone, and a third person."""
    host, friend, other = (Visitor(it, address) for it in drivers)
    for it in drivers:
        it.get_log("browser")
    yield host, friend, other
    for it in (host, friend, other):
        assert it.errors() == []


_TITLES = {"tictactoe": "Tic-Tac-Toe", "connect4": "Connect Four", "othello": "Othello"}


def _chooses_friend(host: Visitor) -> bool:
    """Whether a click worked: it is lost while the list is being replaced."""
    host.click(".few [data-value=friend]")
    time.sleep(0.5)
    return host.text(".play-card h1") == "Play a friend"


def invite(host: Visitor, game: str = "tictactoe", clock: str = "none") -> str:
    """Invites from the first view and returns the path of the link."""
    host.visit("/")
    host.click(f".games [data-value={game}]")
    host.until(lambda: _TITLES[game] in host.text(".play-card"))
    host.until(lambda: _chooses_friend(host))
    host.click(f".clocks [data-value='{clock}']")
    host.until(lambda: host.text(".play-card h1") == "Play a friend")
    host.click("#start")
    host.find("#copy-invitation")
    link = str(host.driver.execute_script("return document.querySelector('.invitation input').value"))
    return "/friend/" + link.rpartition("/")[2]


def meet(host: Visitor, friend: Visitor, **how: str) -> str:
    path = invite(host, **how)
    friend.visit(path)
    friend.click("#join")
    friend.find(".dueling")
    host.until(lambda: "not joined" not in host.text(".status") and not host.find(".invitation").is_displayed())
    return path


def move(who: Visitor, hand: Any, shape: tuple[int, int]) -> None:
    board = who.turn()
    if is_over(board):
        return
    if board["pass"]:
        who.click("#pass")
    else:
        hand.play(*min(board["legal"], key=lambda it: (abs(it[0] - shape[0] // 2), it[1])))
    who.until(lambda: who.board()["ply"] > board["ply"])


@pytest.mark.parametrize(
    ("name", "family", "clock"), [("connect4", "connect4", "none"), ("othello8", "othello", "10+5")]
)
def test_a_whole_game_by_mouse_and_by_keyboard(
    people: tuple[Visitor, Visitor, Visitor], name: str, family: str, clock: str
) -> None:
    host, friend, other = people
    path, game = meet(host, friend, game=family, clock=clock), games.game(name)
    other.visit(path)
    assert "watching" in other.until(lambda: other.text(".beside"))
    hands = (Mouse(host), Keyboard(friend))
    for ply in range(game.max_plies):
        who = (host, friend)[ply % 2]
        move(who, hands[ply % 2], game.shape)
        if is_over(who.board()):
            break
    for it in people:
        it.until(lambda it=it: is_over(it.board()))
    host.until(lambda: len({it.board()["ply"] for it in people}) == 1)  # the last move may still be on its way
    results = [it.text(".status").split()[1].strip(".") for it in (host, friend)]
    assert sorted(results) in (["lost", "won"], ["draw", "draw"])
    assert other.driver.find_elements(By.CSS_SELECTOR, "#resign, #draw, #review") == []
    friend.click("#review")
    friend.until(lambda: "Looking" not in friend.text(".beside") and friend.text(".accuracy"))


def test_looking_takes_no_seat_and_latecomers_watch(people: tuple[Visitor, Visitor, Visitor]) -> None:
    host, friend, other = people
    path = invite(host)
    other.visit(path)
    other.find("#join")
    friend.visit(path)
    assert "invites you to a game of Tic-Tac-Toe" in friend.text("h1")
    friend.click("#join")
    friend.find(".dueling")
    other.click("#join")
    other.until(lambda: "You are watching." in other.text(".beside"))
    Mouse(host).play(1, 1)
    for it in (friend, other):
        it.until(lambda it=it: it.board()["ply"] == 1)
    assert other.board()["legal"] == []
    friend.visit(path)
    friend.until(lambda: friend.driver.current_url.rpartition("/")[0].endswith("/game"))


def test_the_friend_who_closes_the_page_is_away(people: tuple[Visitor, Visitor, Visitor]) -> None:
    host, friend, _ = people
    meet(host, friend)
    host.until(lambda: "away" not in host.text(".stage"))
    Mouse(host).play(1, 1)
    page = friend.driver.current_url
    friend.driver.get("about:blank")
    host.until(lambda: "but away just now" in host.text(".status"))
    friend.driver.get(page)
    host.until(lambda: "away" not in host.text(".stage"))
    assert friend.turn()["ply"] == 1


def test_offers_and_a_rematch(people: tuple[Visitor, Visitor, Visitor]) -> None:
    host, friend, other = people
    other.visit(meet(host, friend))
    Mouse(host).play(1, 1)
    friend.turn()
    host.click("#undo")
    friend.until(lambda: "asks to take their last move back" in friend.text(".offer"))
    friend.click("#accept")
    host.until(lambda: host.board()["ply"] == 0)
    Mouse(host).play(0, 0)
    friend.turn()
    friend.click("#draw")
    host.until(lambda: "offers a draw" in host.text(".offer"))
    host.click("#decline")
    friend.until(lambda: not friend.find(".offer").is_displayed())
    friend.click("#draw")
    host.click("#accept")
    for it in (host, friend):
        it.until(lambda it=it: it.text(".status") == "A draw by agreement.")
    before = host.driver.current_url
    friend.click("#rematch")
    host.until(lambda: "wants a rematch" in host.text(".offer"))
    host.click("#accept")
    for it in (host, friend):
        it.until(lambda it=it: it.driver.current_url != before and it.board()["ply"] == 0)
    assert host.driver.current_url == friend.driver.current_url
    friend.until(lambda: friend.board()["legal"])
    other.click("#next")
    other.until(lambda: other.board()["ply"] == 0 and "A draw" not in other.text(".status"))
    Mouse(friend).play(1, 1)  # the former second player begins
    for it in (host, other):
        it.until(lambda it=it: it.board()["ply"] == 1)
    resign(host)
    friend.until(lambda: "resigned" in friend.text(".status"))
    assert "You resigned" in host.text(".status")


def test_a_clock_counts_down_without_traffic_and_ends_the_game(people: tuple[Visitor, Visitor, Visitor]) -> None:
    host, friend, _ = people
    host.visit("/")
    host.click(".games [data-value=tictactoe]")
    host.until(lambda: _TITLES["tictactoe"] in host.text(".play-card"))
    host.until(lambda: _chooses_friend(host))
    host.click(".clocks [data-value=own]")
    for name, value in (("minutes", "0.1"), ("increment", "0")):
        field = host.find(f"#clock-{name}")
        field.clear()
        field.send_keys(value)
    host.until(lambda: "0.1 minutes each" in host.text(".play-card"))
    host.click("#start")
    host.find("#copy-invitation")
    link = host.driver.execute_script("return document.querySelector('.invitation input').value")
    friend.visit("/friend/" + link.rpartition("/")[2])
    friend.click("#join")
    for ply, (who, square) in enumerate(((host, (1, 1)), (friend, (0, 0)))):
        who.until(lambda who=who: who.board()["legal"])
        Mouse(who).play(*square)
        who.until(lambda who=who, ply=ply: who.board()["ply"] > ply)
    running = host.find(".clock.runs").text
    host.until(lambda: host.text(".clock.runs") < running)
    for it in (host, friend):
        it.until(lambda it=it: "ran out of time" in it.text(".status"))
    assert "You ran" in host.text(".status")
    assert friend.driver.find_elements(By.CSS_SELECTOR, ".clock.runs") == []
    friend.driver.refresh()
    friend.until(lambda: "ran out of time" in friend.text(".status"))


def test_a_finished_game_is_shared_with_one_click(people: tuple[Visitor, Visitor, Visitor]) -> None:
    host, friend, other = people
    meet(host, friend)
    for who, square in ((host, (0, 0)), (friend, (1, 0)), (host, (0, 1)), (friend, (1, 1)), (host, (0, 2))):
        who.until(lambda who=who: who.board()["legal"])
        Mouse(who).play(*square)
    friend.until(lambda: is_over(friend.board()))
    # Headless browsers keep their clipboard to themselves.
    host.driver.execute_script("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    host.click("#share")
    host.until(lambda: host.text("#share") == "Link copied")
    other.driver.get(host.driver.execute_script("return window.copied"))
    other.until(lambda: other.text(".accuracy"))


def test_progress(people: tuple[Visitor, Visitor, Visitor]) -> None:
    _, _, player = people
    player.driver.delete_all_cookies()
    player.visit("/progress")
    assert "Play a game at your level first" in player.text("main")
    script = """const [done] = [arguments[0]], post = (path, body) => fetch(path, {method: "POST",
        headers: {"content-type": "application/json"}, body: JSON.stringify(body)}).then((it) => it.json());
        (async () => { for (let n = 0; n < 3; n++) {
          const room = await post("/api/rooms", {game: "tictactoe", second: "random", moves: "a1b1a2b2"});
          await post(`/api/rooms/${room.id}/moves`, {move: "a3"}); } done(); })();"""
    player.driver.execute_async_script(script)
    player.visit("/")
    player.click("#progress")
    player.find(".chart svg")
    assert "Won\n3" in player.text(".progress")
    rows = player.driver.find_elements(By.CSS_SELECTOR, ".played tbody tr")
    assert len(rows) == 3
    assert all("Random" in it.text and "Won" in it.text for it in rows)
    player.driver.find_elements(By.CSS_SELECTOR, ".field select option")[1].click()
    player.until(lambda: "days since the first" in player.text(".chart"))
    rows[0].find_element(By.CSS_SELECTOR, "a").click()
    player.until(lambda: player.text(".accuracy"))
