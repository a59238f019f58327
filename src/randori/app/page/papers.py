"""The papers: what was reproduced, ours beside the published, as the project's own reports tell it."""

import re
from pathlib import Path

import markdown2

import randori
from randori.app.page.frame import frame
from randori.app.page.parts import box, link, picture, text
from randori.app.service.refusals import Unknown

FOLDER = Path(randori.__file__).parents[2] / "docs" / "papers"
"""Where the reports are in a working copy; an installed package comes without them."""
IMAGES = FOLDER.parent / "images"
_EXTRAS = ["tables", "fenced-code-blocks", "header-ids", "cuddled-lists"]
_LOCAL = re.compile(r'(src|href)="(?!https?:|#|/)([^"]+)"')


def papers() -> dict[str, list[Path]]:
    """The texts of each paper: its notes, then its report."""
    names = {it.stem for it in FOLDER.glob("*.md")} | {it.parent.name for it in FOLDER.glob("*/report.md")}
    both = {name: [FOLDER / f"{name}.md", FOLDER / name / "report.md"] for name in sorted(names)}
    return {name: [it for it in texts if it.is_file()] for name, texts in both.items()}


def pictures() -> dict[str, Path]:
    """By `PAPER/FILE`, or `images/FILE` for those that the notes share with other pages."""
    return {f"{it.parent.name}/{it.name}": it for it in (*FOLDER.glob("*/*.svg"), *IMAGES.glob("*.svg"))}


async def show() -> None:
    with frame("Papers", "/papers"):
        text("h1", "Papers")
        found = papers()
        if not found:
            text("p", "The reports come with the source code: `randori reproduce PAPER` makes them again.", "note")
        with box("div", "runs"):
            for name, texts in found.items():
                with box("div", "run"):
                    link(_title(texts[0]), f"/papers/{name}", "name")
                    text("span", "report" if any(it.name == "report.md" for it in texts) else "notes", "note")


async def show_paper(name: str) -> None:
    found = papers()
    if name not in found:
        raise Unknown(f"There is no paper '{name}'.")
    with frame(_title(found[name][0]), "/papers"), box("article", "prose"):
        for path in found[name]:
            picture(_html(name, path.read_text(encoding="utf-8")))


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def _html(name: str, source: str) -> str:
    """Links between the files become links between our views."""

    def target(found: re.Match[str]) -> str:
        attribute, path = found.groups()
        folder = "images" if "images/" in path else name
        place = f"/papers/{folder}/{Path(path).name}" if attribute == "src" else f"/papers/{name}"
        return f'{attribute}="{place}"'

    return _LOCAL.sub(target, str(markdown2.markdown(source, extras=_EXTRAS)))
