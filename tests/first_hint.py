"""How long a first hint takes on a fresh machine: `python tests/first_hint.py [--write docs/page.md]`.

A server starts with an empty kernel cache. A visitor opens the page and presses *Play* and then *Hint*, each as soon as it can be
pressed. The browser's clock measures how long the button takes to show that it works, and how long the hint takes.
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from browsing import Visitor, browser
from selenium import webdriver
from serving import serving

from randori.kernels.kept import SHIPPED

_PLACE = re.compile(r"(?<=<!-- first hint -->\n).*?(?=<!-- end -->)", re.DOTALL)
_WATCH = """window.seen = {};
const look = () => {
  const now = performance.now();
  if (document.querySelector("#hint[aria-busy=true]")) seen.busy ??= now;
  if (document.querySelector(".stage .board .hint")) { seen.hint ??= now; seen.busy ??= now; }
};
new MutationObserver(look).observe(document.body, {subtree: true, childList: true, attributes: true});
const hint = document.querySelector("#hint");
hint.addEventListener("click", () => { seen.pressed = performance.now(); }, {capture: true, once: true});
hint.click();"""


class Measurement(NamedTuple):
    """Seconds from the press."""

    until_busy: float
    until_hint: float
    cpu: float
    """Used by the server itself: what the hint waits for on an otherwise idle core."""
    beside: float
    """CPU seconds of the compiler in the background."""
    load: float
    """The load average of the last minute, including these processes."""

    @property
    def sentence(self) -> str:
        kernels = "the kernels of a wheel" if SHIPPED.exists() else "every kernel still to be compiled"
        return (
            f"With {kernels}, the button showed that it works after {1000 * self.until_busy:.0f} ms and the hint came after "
            f"{self.until_hint:.1f} s; the server used {self.cpu:.1f} CPU seconds for it, and the compiler in the background "
            f"{self.beside:.1f} ({os.cpu_count()} cores, load {self.load:.1f})."
        )


def cpu_of_children(process: int) -> float:
    """CPU seconds that the children of a process have used so far, including those that have ended (Linux)."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(folder.name) == process:
            total += sum(map(int, fields[13:15]))
        elif int(fields[1]) == process:
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def measure(driver: webdriver.Chrome) -> Measurement:
    with tempfile.TemporaryDirectory(prefix="randori-fresh-") as name:
        folder = Path(name)
        with serving(folder, kernels=folder / "cache") as server:
            visitor = Visitor(driver, server.address)
            visitor.visit("/")
            visitor.until(lambda: "/game/" in driver.current_url or _press(visitor, "#start"))
            visitor.turn()
            before = server.cpu_seconds, cpu_of_children(server.process.pid)
            driver.execute_script(_WATCH)
            times = visitor.until(lambda: _times(driver))
            used = server.cpu_seconds - before[0], cpu_of_children(server.process.pid) - before[1]
            until_busy, until_hint = ((times[it] - times["pressed"]) / 1000 for it in ("busy", "hint"))
            return Measurement(until_busy, until_hint, *used, os.getloadavg()[0])


def _press(visitor: Visitor, selector: str) -> bool:
    """Always False: the page has not changed yet, and while players are listed the button says to wait."""
    visitor.driver.execute_script("document.querySelector(arguments[0])?.click()", selector)
    return False


def _times(driver: webdriver.Chrome) -> dict[str, float] | None:
    found: dict[str, float] = driver.execute_script("return window.seen ?? {}")
    return found if "hint" in found else None


def main() -> None:
    with browser() as driver:
        measurement = measure(driver)
    if sys.argv[1:2] == ["--write"]:
        path = Path(sys.argv[2])
        text = path.read_text(encoding="utf-8")
        path.write_text(_PLACE.sub(lambda _: f"{measurement.sentence}\n", text), encoding="utf-8")
    print(measurement.sentence)


if __name__ == "__main__":
    main()
