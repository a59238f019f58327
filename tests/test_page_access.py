"""Every view keeps the rules of axe-core, by day and by night, on a desk and on a phone; and Play is reached by keyboard."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from browsing import IN_A_BROWSER, Mouse, Visitor, resign
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from serving import serving
from test_page_friend import invite

from randori.app.page.papers import papers
from randori.experiments import CountingWorkers, Recipe, train
from randori.methods.table.learner import TableConfig

pytest.importorskip("selenium_axe_python")
pytestmark = IN_A_BROWSER
AXE = files("selenium_axe_python").joinpath("axe-core/axe.min.js").read_text("utf-8")
_RUN_AXE = """const done = arguments[0];
axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations.flatMap((rule) =>
  rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary.replaceAll("\\n", " ")}`))));"""
_SIZES = {"desk": (1280, 1100), "phone": (390, 844)}
RUN = "small"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("page")
    recipe = Recipe("tictactoe", "table", TableConfig(games=5, memory=5), rounds=3, evaluate_every=1, evaluate_games=2)
    with CountingWorkers(1) as staff:
        train(recipe, folder / "runs" / RUN, staff)
    with serving(folder) as server:
        yield server.address


@pytest.fixture(params=_SIZES)
def at_size(request: pytest.FixtureRequest, visitor: Visitor) -> Iterator[str]:
    width, height = _SIZES[request.param]
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": request.param == "phone"}
    visitor.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    yield request.param
    visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    _theme(visitor, None)


def _theme(visitor: Visitor, name: str | None) -> None:
    features = [] if name is None else [{"name": "prefers-color-scheme", "value": name}]
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def _violations(visitor: Visitor) -> list[str]:
    visitor.until(lambda: not visitor.driver.find_elements(By.CSS_SELECTOR, ".notice"))  # fades in and out
    visitor.driver.set_script_timeout(120)
    if not visitor.driver.execute_script("return 'axe' in window"):
        visitor.driver.execute_script(AXE)
    found: list[str] = visitor.driver.execute_async_script(_RUN_AXE)
    return found


def _start(visitor: Visitor) -> None:
    visitor.visit("/")
    visitor.find(".few .tile")


def _rules(visitor: Visitor) -> None:
    _start(visitor)
    visitor.click("#rules")
    visitor.find(".how-to .board")


def _all_players(visitor: Visitor) -> None:
    _start(visitor)
    visitor.click(".everybody summary")
    visitor.until(lambda: visitor.find(".opponents .tile").is_displayed())


def _settings(visitor: Visitor) -> None:
    _start(visitor)
    visitor.click("#settings")
    visitor.find("dialog[open]")


def _game(visitor: Visitor) -> None:
    visitor.begin("othello6", second="zoo/othello6-evolution")
    Mouse(visitor).play(*visitor.turn()["legal"][0])
    visitor.until(lambda: visitor.board()["ply"] == 2 and visitor.turn())
    visitor.click("#hint")
    visitor.find(".board .hint")
    visitor.click("#minds")
    visitor.until(lambda: len(visitor.driver.find_elements(By.CSS_SELECTOR, ".mind")) >= 3)


def _other_game(name: str) -> Callable[[Visitor], None]:
    def view(visitor: Visitor) -> None:
        visitor.begin(name)
        visitor.turn()

    return view


def _finished(visitor: Visitor) -> None:
    visitor.begin("tictactoe")
    Mouse(visitor).play(1, 1)
    visitor.until(lambda: visitor.board()["ply"] == 2)
    resign(visitor)
    visitor.until(lambda: "resigned" in visitor.board()["status"])


def _review(visitor: Visitor) -> None:
    visitor.visit("/review?game=tictactoe&moves=a1b2c3a3a2c1")
    visitor.until(lambda: visitor.text(".mistakes") and "Looking" not in visitor.text(".beside"))
    visitor.click(".mistakes button")
    visitor.find(".step")


def _review_of_game(visitor: Visitor) -> None:
    _finished(visitor)
    visitor.click("#review")
    visitor.until(lambda: "/review" in visitor.driver.current_url and visitor.find(".curve"))


def _puzzle(visitor: Visitor) -> None:
    visitor.visit("/practice/tictactoe")
    visitor.find(".stage .board .legal")


def _ladder(visitor: Visitor) -> None:
    visitor.visit("/ladder?game=tictactoe")
    visitor.click(".card summary")


def _tournament(visitor: Visitor) -> None:
    visitor.visit("/ladder?game=tictactoe")
    visitor.click("#tournament")
    visitor.find(".cross .score")


def _runs(visitor: Visitor) -> None:
    visitor.visit("/learning")
    visitor.find(".chart svg path")
    visitor.click(".learning-settings summary")


def _run(visitor: Visitor) -> None:
    visitor.visit(f"/learning/{RUN}")
    visitor.find(".chart svg path")
    visitor.click(".care summary")
    visitor.click(".chart summary")
    visitor.click("#sample")
    visitor.find(".sample .piece")


def _paper(visitor: Visitor) -> None:
    visitor.visit("/papers/freisleben")
    visitor.find(".chart svg path")


def _analysis(visitor: Visitor) -> None:
    visitor.visit("/analysis?game=othello6&moves=c2b2(d2)")
    visitor.find(".stage .cell .number")


def _setting_up(visitor: Visitor) -> None:
    visitor.visit("/analysis?game=connect4&moves=4")
    visitor.click("#set-up")
    visitor.find("#set-up-done")


def _friend(visitor: Visitor) -> None:
    invite(visitor, clock="10+5")


def _plain(path: str) -> Callable[[Visitor], None]:
    def view(visitor: Visitor) -> None:
        visitor.visit(path)
        visitor.find("h1")

    return view


VIEWS: dict[str, Callable[[Visitor], None]] = {
    "start": _start,
    "rules": _rules,
    "everybody": _all_players,
    "settings": _settings,
    "game": _game,
    "connect4": _other_game("connect4"),
    "gomoku9": _other_game("gomoku9"),
    "hex5": _other_game("hex5"),
    "tictactoe": _other_game("tictactoe"),
    "finished": _finished,
    "record": _plain("/review"),
    "review": _review,
    "practice": _plain("/practice"),
    "puzzle": _puzzle,
    "ladder": _ladder,
    "tournament": _tournament,
    "learning": _runs,
    "run": _run,
    "league": _plain("/league"),
    "papers": _plain("/papers"),
    "paper": _paper,
    "analysis": _analysis,
    "setting up": _setting_up,
    "friend": _friend,
    "progress": _plain("/progress"),
    "reference": _plain("/docs"),
    "review of a game": _review_of_game,
    "no such page": _plain("/nosuch"),
    "no such game": _plain("/game/nothing"),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_keeps_all_rules(visitor: Visitor, at_size: str, view: str) -> None:
    found = []
    VIEWS[view](visitor)
    for theme in ("light", "dark"):
        _theme(visitor, theme)
        found += [f"{theme}, {it}" for it in _violations(visitor)]
    assert not found, "\n".join(found)
    if view.startswith("no such"):
        assert [it for it in visitor.errors() if " 404 " not in it] == []


@pytest.mark.parametrize("at_size", ["phone"], indirect=True)
def test_papers_keep_all_rules(visitor: Visitor, at_size: str) -> None:
    """On a phone, where their tables and programs scroll."""
    found = []
    for name in papers():
        visitor.visit(f"/papers/{name}")
        visitor.find(".prose h1")
        found += [f"{name}, {it}" for it in _violations(visitor)]
    assert not found, "\n".join(found)


def test_the_password_page_keeps_all_rules(driver: webdriver.Chrome, tmp_path: Path) -> None:
    with serving(tmp_path, more=["--host", "0.0.0.0", "--password", "open sesame"]) as server:
        guest = Visitor(driver, f"http://127.0.0.2:{server.port}")
        guest.visit("/")
        guest.find("[name=password]")
        assert _violations(guest) == []
        assert [it for it in guest.errors() if " 401 " not in it] == []


def _focused(visitor: Visitor, attribute: str) -> str:
    return str(visitor.driver.execute_script(f"return document.activeElement?.{attribute} ?? ''"))


def test_play_is_at_most_twelve_tabs_away(visitor: Visitor) -> None:
    _start(visitor)
    for _ in range(12):
        ActionChains(visitor.driver).send_keys(Keys.TAB).perform()
        if _focused(visitor, "id") == "start":
            break
    assert _focused(visitor, "id") == "start"
    ActionChains(visitor.driver).send_keys(Keys.ENTER).perform()
    assert visitor.turn()["legal"]


def test_groups_are_operated_by_arrow_keys(visitor: Visitor) -> None:
    """One stop for Tab each: those of the first view, of the minds, and of the settings."""
    _start(visitor)
    visitor.click(".games [data-value=othello]")
    visitor.find(".games [data-value=othello][aria-checked=true]").send_keys(Keys.ARROW_LEFT)
    visitor.until(lambda: visitor.text(".play-card p").startswith("Connect Four"))
    assert _focused(visitor, "dataset.value") == "connect4"
    _settings(visitor)
    visitor.find("[name=theme]:checked").send_keys(Keys.ARROW_RIGHT)
    visitor.until(lambda: _focused(visitor, "value") == "day" and visitor.find("html[data-theme=day]"))
    visitor.find("[name=theme]:checked").send_keys(Keys.ARROW_LEFT)
    visitor.find("dialog").send_keys(Keys.ESCAPE)
    visitor.until(lambda: _focused(visitor, "id") == "settings")
    _game(visitor)
    visitor.until(lambda: visitor.find(".minds .board").get_attribute("aria-label") == "As N-tuples sees it")
    visitor.find(".rows [aria-checked=true]").send_keys(Keys.ARROW_DOWN)
    visitor.until(lambda: visitor.find(".minds .board").get_attribute("aria-label") == "As AlphaZero sees it")
    assert len(visitor.driver.find_elements(By.CSS_SELECTOR, ".minds .board")) == 1, "one board for all"


def test_each_mind_is_shown_as_soon_as_it_is_read(visitor: Visitor) -> None:
    """In one of several games: a browser that has to wait for the machine may get all of them at once."""
    assert any(len(_counts_of_minds(visitor)) >= 2 for _ in range(5))


def _counts_of_minds(visitor: Visitor) -> list[str]:
    """How many there were, each time that the list changed."""
    visitor.begin("othello8", second="random")
    visitor.turn()
    watch = """window.counts = new Set();
        const list = document.querySelector(".mind-list");
        const n = (selector) => list.querySelectorAll(selector).length;
        new MutationObserver(() => counts.add(`${n(".mind")} of ${n(".tile")}`)).observe(list, {childList: true, subtree: true});
        document.querySelector("#minds").click();"""
    visitor.driver.execute_script(watch)
    visitor.until(lambda: _all_are_shown(visitor))
    return list(visitor.driver.execute_script("return [...counts]"))


def _all_are_shown(visitor: Visitor) -> bool:
    rows, minds = (len(visitor.driver.find_elements(By.CSS_SELECTOR, it)) for it in (".rows .tile", ".rows .mind"))
    return rows == minds > 0
