"""Takes the pictures of the page for docs/images: `make pictures`.

Runs for the learning views are trained once, in the given folder (by default `~/.cache/randori-pictures`), and reused.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browsing import Visitor, browser
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from serving import serving

IMAGES = Path(__file__).parents[1] / "docs" / "images"
LOOK = ("hide-scrollbars", "window-size=1280,1000")
_SHORT = ("--budget", "60s", "--seed", "1", "--evaluate-games", "20")
RUNS = {
    "tictactoe-som": ("som", "--game", "tictactoe", "--height", "8", "--width", "8", "--budget", "20s"),
    "connect4-ntuple": ("ntuple", "--game", "connect4", "--preset", "connect4", *_SHORT),
    "connect4-small-steps": ("ntuple", "--game", "connect4", "--preset", "connect4", "--rate", "0.1", *_SHORT),
    "connect4-evolution": ("evolution", "--game", "connect4", *_SHORT),
}
"""The page opens with the game of the newest one."""

OTHELLO = (
    "f5f6d3g5e6c5g6e3f3e7d6e2f4g3h6h5f1d1f8d8h4c7c6d7h3c2c3d2g4b3"
    "f7b5b6h7h8g8a3a4c1g2c4a6e1b4f2h2b7a8h1g1b8e8g7c8a5a2b2a1b1a7"
)
TRIED = "f5f6e6f4g3(g5h6c3(g3c6)g6)f3g4h3(d6d3h5)(h2)d3d6d7c8"
_OPEN_A_ROOM = """const [body, done] = arguments;
fetch("/api/rooms", {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)})
  .then(answer => answer.json()).then(done)"""
_EVENING = (
    "greedy",
    "random",
    "heuristic",
    "random",
    "greedy",
    "heuristic",
    "companion",
    "companion",
    "heuristic",
    "greedy",
)
_PLAY_A_GAME = """const [body, done] = arguments;
const post = (path, body) => fetch(path, {method: "POST", headers: {"content-type": "application/json"},
  body: JSON.stringify(body)}).then((answer) => answer.json());
(async () => {
  let room = await post("/api/rooms", body);
  while (room.over === false) {
    const move = [..."4352617"].find((it) => room.legal.includes(it));
    await new Promise((resolve) => setTimeout(resolve, 70)); // slowly enough for the limits
    room = await post(`/api/rooms/${room.id}/moves`, {move});
  }
  done(room);
})();"""


class Photographer(Visitor):
    """A visitor with a camera."""

    def size(self, width: int, height: int) -> None:
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def theme(self, name: str) -> None:
        media = {"features": [{"name": "prefers-color-scheme", "value": name}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def room(self, **new: str) -> None:
        """Opens a game and goes there, to the person's turn."""
        self.driver.set_script_timeout(60)
        self.visit(f"/game/{self.driver.execute_async_script(_OPEN_A_ROOM, new)['id']}")
        self.turn()

    def shoot(self, name: str, width: int, height: int | None = None, until: str = "main") -> None:
        """Takes a picture of the page, down to the end of an element or of the given height."""
        self.size(width, height or 2400)
        time.sleep(1.5)  # pieces turn, charts draw themselves
        if height is None:
            script = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom + scrollY"
            self.size(width, int(self.driver.execute_script(script, until)) + 24)
            time.sleep(0.7)
        self.driver.execute_script("scrollTo(0, 0)")
        assert self.driver.save_screenshot(str(IMAGES / f"page-{name}.png"))


def main() -> None:
    runs = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.home() / ".cache" / "randori-pictures"
    for name, words in RUNS.items():
        if not (runs / name / "player.safetensors").exists():
            command = [sys.executable, "-m", "randori", "train", *words, "--out", str(runs / name)]
            subprocess.run(command, check=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "runs").symlink_to(runs.resolve())
        with serving(Path(folder)) as server, browser(*LOOK) as driver:
            visitor = Photographer(driver, server.address)
            for view in (setup, games, reviews, analysis, practice, progress, tournament, league, students):
                view(visitor)
            with browser(*LOOK) as another:
                friends(visitor, Photographer(another, server.address))
            assert visitor.errors() == []


def setup(visitor: Photographer) -> None:
    visitor.visit("/")
    visitor.click("#rules")
    visitor.find(".how-to")
    visitor.shoot("setup", 1280, 957)


def games(visitor: Photographer) -> None:
    visitor.size(1280, 1000)
    visitor.room(game="othello8", first="person", second="zoo/othello8-som", moves="f5f6e6f4g3f3g4h3d3d6d7c8")
    visitor.click("#hint")
    visitor.find(".board .hint")
    visitor.click("#thoughts")
    visitor.find(".board:not(.small) .heat")
    visitor.click("#minds")
    visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".mind")) >= 4)
    visitor.until(lambda: not visitor.driver.find_elements(By.CSS_SELECTOR, ".notice"))
    visitor.shoot("game", 1280, 1000)
    visitor.theme("dark")
    visitor.shoot("dark", 1280, 860)
    visitor.theme("light")
    visitor.shoot("phone", 390, 844)
    visitor.size(1280, 800)
    visitor.room(game="hex7", first="person", second="zoo/hex7-ntuple", moves="d4c5d5c4e3d3c6b6")
    visitor.click("#minds")
    visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".mind")) >= 2)
    visitor.shoot("hex", 1280, 800)


def reviews(visitor: Photographer) -> None:
    for name, width in (("review", 1280), ("review-phone", 390)):
        visitor.size(width, 960)
        visitor.visit(f"/review?game=othello8&moves={OTHELLO}")
        visitor.until(lambda: visitor.text(".mistakes") and "Looking" not in visitor.text(".beside"))
        visitor.click(".mistakes button")
        visitor.shoot(name, width, until=".playing")


def analysis(visitor: Photographer) -> None:
    visitor.size(1280, 1000)
    visitor.visit(f"/analysis?game=othello8&moves={TRIED}&at=8")
    visitor.find(".board .number")
    time.sleep(5)  # until all numbers are there
    visitor.shoot("analysis", 1280, 1000)


def practice(visitor: Photographer) -> None:
    visitor.size(1280, 900)
    visitor.visit("/practice/connect4")
    visitor.find(".stage .board .legal")
    visitor.shoot("practice", 1280, 900)


def progress(visitor: Photographer) -> None:
    """Of a person who has played some games, always as near to the middle as possible."""
    visitor.driver.set_script_timeout(120)
    for name in _EVENING:
        visitor.driver.execute_async_script(_PLAY_A_GAME, {"game": "connect4", "first": "person", "second": name})
    visitor.visit("/progress?game=connect4")
    visitor.find(".chart svg")
    visitor.shoot("progress", 1280, 1180)


def friends(host: Photographer, friend: Photographer) -> None:
    for visitor, name in ((host, "Ann"), (friend, "Ben")):
        visitor.visit("/")
        visitor.find("#name").send_keys(name, Keys.TAB)
        visitor.until(lambda it=visitor, name=name: f"Welcome, {name}" in it.text("body"))
    host.driver.set_script_timeout(60)
    new = {"game": "othello8", "seat": "first", "minutes": 10, "increment": 5, "moves": OTHELLO[:48]}
    room = host.driver.execute_async_script(_OPEN_A_ROOM.replace("rooms", "invitations"), new)
    friend.visit(f"/friend/{room['friend']['invitation']}")
    friend.click("#join")
    friend.find(".dueling")
    host.visit(f"/game/{room['id']}")
    friend.click("#draw")
    host.find("#accept")
    host.shoot("friend", 1280, 960)
    friend.shoot("friend-phone", 390, 844)


def students(visitor: Photographer) -> None:
    visitor.size(1280, 1280)
    visitor.visit("/learning")
    visitor.find(".learning-settings > summary").click()
    visitor.shoot("runs", 1280, 1400)
    visitor.visit("/learning/connect4-small-steps")
    visitor.shoot("learning", 1280, 1180)
    visitor.visit("/papers/humphreys")
    visitor.shoot("papers", 1280, 1180)
    visitor.visit("/ladder?game=othello8")
    visitor.driver.find_elements(By.CSS_SELECTOR, ".card summary")[1].click()
    visitor.shoot("ladder", 1280, until=".card[open]")
    visitor.visit("/learning/tictactoe-som")
    visitor.click("#sample")
    visitor.click("#to-the-end")
    visitor.shoot("maps", 1280, 2000)


def tournament(visitor: Photographer) -> None:
    visitor.size(1280, 1250)
    visitor.visit("/ladder?game=tictactoe")
    visitor.click("#tournament")
    visitor.find(".cross .score")
    visitor.shoot("tournament", 1280, until=".tournament")


def league(visitor: Photographer) -> None:
    """The one that is included."""
    visitor.size(1280, 1200)
    visitor.visit("/league?game=connect4")
    visitor.find(".chart svg, .chart canvas")
    time.sleep(2)  # until the curves have been drawn
    visitor.shoot("league", 1280, 1280)


if __name__ == "__main__":
    main()
