"""How the page feels in a real browser: one's own move before the reply, settings, a finger on a large board."""

import json
import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from slow_line import slow_line
from test_page import Mouse, Visitor, _is_over, address, driver, folder, pytestmark, targets, visitor  # noqa: F401

AWAY = 0.4
"""Seconds to the server and back."""
WATCH = """
const board = document.querySelector(".board:not(.small)");
const shown = () => Number(board.dataset.shown);
window.seen = [];
let last = shown();
new MutationObserver(() => {
  if (shown() === last) return;
  last = shown();
  const it = {ply: last, painted: null};
  seen.push(it);
  requestAnimationFrame(() => setTimeout(() => { it.painted = performance.now(); }));
}).observe(board, {attributes: true, childList: true, subtree: true, attributeFilter: ["data-shown"]});
board.addEventListener("click", () => { window.clicked = performance.now(); }, {capture: true});
"""


@pytest.fixture
def far_away(driver: Any, address: str) -> Iterator[Visitor]:  # noqa: F811
    """Somebody whose server is 400 ms away."""
    with slow_line(int(address.rpartition(":")[2]), AWAY) as port:
        driver.get_log("browser")
        visitor = Visitor(driver, f"http://127.0.0.1:{port}")
        yield visitor
        driver.get("about:blank")


def move(visitor: Visitor) -> dict[str, Any] | None:  # noqa: F811
    """Makes a move and waits for the reply: what was seen of both. None where the game is over, or one has to pass."""
    board = visitor.turn()
    if _is_over(board):
        return None
    if board["pass"]:
        visitor.click("#pass")
        visitor.until(lambda: visitor.board()["ply"] > board["ply"])
        return move(visitor)
    visitor.driver.execute_script("window.seen.length = 0")
    mouse = Mouse(visitor)
    mouse.play(*board["legal"][len(board["legal"]) // 2])
    if not visitor.driver.execute_script("return seen.length"):
        for target in targets(visitor)[:1]:
            mouse.play(*target)
    visitor.until(lambda: visitor.board()["ply"] > board["ply"] and visitor.turn())
    visitor.until(lambda: visitor.driver.execute_script("return seen.every((it) => it.painted)"))
    found = json.loads(visitor.driver.execute_script("return JSON.stringify({seen, clicked})"))
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
        while len(delays) < n_moves and (made := move(far_away)) is not None:
            own, *replies = made["seen"]
            assert own["ply"] == made["before"] + 1
            assert [it["ply"] for it in replies] in ([own["ply"] + 1], [])
            delays.append(own["painted"] - made["clicked"])
            if replies:
                assert replies[0]["painted"] - made["clicked"] > 1000 * AWAY / 2
    assert statistics.median(delays) < 50
    assert max(delays) < 1000 * AWAY, "nobody waits for the server"
