"""The papers: what each claims, our figures beside the published ones, and the project's own reports."""

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import Any

import markdown2

from randori.app.page.charts import Beside, Drawn, Pair
from randori.app.page.frame import frame
from randori.app.page.meeting import Meeting
from randori.app.page.parts import box, button, link, picture, text
from randori.app.service.menu import Entry, Menu, game_named, offered
from randori.app.service.refusals import Unknown
from randori.core.game import Game
from randori.errors import UserError
from randori.experiments import papers as known
from randori.methods import Method, Paper
from randori.players.files import ZOO
from randori.reading import is_number, read_json

FOLDER = known.STORED
IMAGES = FOLDER.parent / "images"
REPORT = "report.md"
OVER_ALL = "README.md"
"""The results of all papers together."""
_EXTRAS = ["tables", "fenced-code-blocks", "header-ids", "cuddled-lists"]
_LOCAL = re.compile(r'(src|href)="(?!https?:|#|/)([^"]+)"')
_TIMES = "CPU seconds"
"""The beginning of the names of times, which are not what a table is about."""


def papers() -> dict[str, list[Path]]:
    """The texts of each paper: its notes, then its report."""
    names = {it.stem for it in FOLDER.glob("*.md") if it.name != OVER_ALL} | {
        it.parent.name for it in FOLDER.glob(f"*/{REPORT}")
    }
    both = {name: [FOLDER / f"{name}.md", FOLDER / name / REPORT] for name in sorted(names)}
    return {name: [it for it in texts if it.is_file()] for name, texts in both.items()}


def pictures() -> dict[str, Path]:
    """By `PAPER/FILE`, or `images/FILE` for those that the notes share with other pages."""
    return {f"{it.parent.name}/{it.name}": it for it in (*FOLDER.glob("*/*.svg"), *IMAGES.glob("*.svg"))}


async def show() -> None:
    with frame("Papers", "/papers"):
        text("h1", "Papers")
        text("p", "Published papers, reproduced: what they claim, and what we found.", "note")
        for name, texts in papers().items():
            with box("div", "run paper"):
                link(_title(texts[0]), f"/papers/{name}", "name")
                method = known.papers().get(name)
                if method is not None and method.paper is not None:
                    text("p", method.paper.claim)


async def show_paper(meeting: Meeting, name: str) -> None:
    found = papers()
    if name not in found:
        raise Unknown(f"There is no paper '{name}'.")
    title = _title(found[name][0])
    with frame(title, "/papers"), box("article", "prose"):
        text("h1", title)
        method = known.papers().get(name)
        if method is not None and method.paper is not None:
            await _opening(meeting, method, method.paper)
        for path in found[name]:
            text("h2", "The report" if path.name == REPORT else "Notes")
            picture(_html(name, path.read_text(encoding="utf-8").partition("\n")[2]))


async def _opening(meeting: Meeting, method: Method, paper: Paper) -> None:
    """The claim, what we found, the players to meet, and the chart."""
    if paper.claim:
        picture("<b>The claim.</b>", "lead-label")
        text("p", paper.claim, "lead")
    if paper.outcome:
        picture("<b>What we found.</b>", "lead-label")
        text("p", paper.outcome, "lead")
    players = await asyncio.to_thread(_players, meeting.menu, method)
    if players:
        with box("div", "controls", role="group", aria_label="Play against it"):
            for game, entry in players:
                button(f"Play it: {game.title}", partial(meeting.meet, game, entry.spec), id=f"play-{game.name}")
    drawing = await asyncio.to_thread(beside, paper)
    if drawing is not None:
        Drawn().build(drawing)


def _players(menu: Menu, method: Method) -> list[tuple[Game, Entry]]:
    """For each game, the strongest player of the zoo that the method trained, if there is one."""
    found = []
    for game in map(game_named, offered()):
        entries = [it for it in menu.entries(game).values() if it.file is not None and it.file.parent == ZOO]
        taught = [it for it in entries if it.card is not None and it.card.learner == method.name]
        found += [(game, it) for it in taught[:1]]  # the zoo's are listed with the strongest first
    return found


def beside(paper: Paper) -> Beside | None:
    """The table of a paper's report that shows its claim; None if there is no report to read."""
    try:
        tables = read_json(FOLDER / paper.name / "report.json")["tables"]
        drawn = [Beside(str(it["title"]), _pairs(it["figures"])) for it in tables]
    except (UserError, LookupError, TypeError):
        return None
    named = [it for it in drawn if paper.table and it.title.startswith(paper.table)]
    compared = [it for it in drawn if any(pair.published is not None for pair in it.pairs)]
    return next((it for it in (*named, *compared, *drawn) if it.pairs), None)


def _pairs(figures: list[dict[str, Any]]) -> list[Pair]:
    """Those with a published figure, where there are any."""
    pairs = [
        Pair(it["what"].partition(" (seeds")[0], it["ours"], tuple(it["interval"]), it["published"])
        for it in figures
        if is_number(it["ours"]) and it["interval"] is not None and not it["what"].startswith(_TIMES)
    ]
    return [it for it in pairs if it.published is not None] or pairs


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def _html(name: str, source: str) -> str:
    """Links between the files become links between our views. What may scroll sideways can be reached by Tab, and the corner
    of a table is not a header."""

    def target(found: re.Match[str]) -> str:
        attribute, path = found.groups()
        folder = "images" if "images/" in path else name
        place = f"/papers/{folder}/{Path(path).name}" if attribute == "src" else f"/papers/{name}"
        return f'{attribute}="{place}"'

    html = _LOCAL.sub(target, str(markdown2.markdown(source, extras=_EXTRAS)))
    return re.sub(r"<(pre|table)>", r'<\1 tabindex="0">', re.sub(r"<th[^>]*></th>", "<td></td>", html))
