"""The command lines that the README and docs show, in code blocks and within sentences."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PROGRAMS = ("randori", "python", "make", "pip", "uvx", "ray")
_FENCE = re.compile(r"\s*```(\w*)")
_SHELLS = ("", "sh", "bash", "console", "text")
_INDENTED = re.compile(rf" {{4}}(\$ )?(\w+=\S+ )*({'|'.join(PROGRAMS)}) ")
_PROMPT = re.compile(r"\s*(\$ )?(\w+=\S+ )*")
_REMARK = re.compile(r"\s+# .*|\s{2,}(?![-\s]).*")
_INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


class Line(NamedTuple):
    page: Path
    number: int
    """Its line, or the end of its paragraph."""
    text: str
    in_block: bool
    """Otherwise it is part of a sentence."""


def pages() -> list[Path]:
    """The README, the guide for contributors and the docs, including stored reports and notebooks."""
    docs = ROOT / "docs"
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted([*docs.rglob("*.md"), *docs.rglob("*.ipynb")])]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    """What people read; for a notebook, its text without its code."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = [it["source"] for it in json.loads(text)["cells"] if it["cell_type"] == "markdown"]
    return "\n\n".join(map("".join, cells))


def command_lines(page: Path) -> Iterator[Line]:
    """In order, without the remarks after a command: after `#`, or after two spaces unless a flag follows."""
    language = None
    paragraph: list[str] = []  # within which a command may be wrapped
    for number, text in enumerate([*text_of(page).splitlines(), ""], 1):
        fence = _FENCE.match(text)
        in_block = fence is None and (language in _SHELLS or (language is None and _INDENTED.match(text) is not None))
        if fence is None and language is None and text.strip() and not in_block:
            paragraph.append(text)
            continue
        for found in _INLINE.findall("\n".join(paragraph)):
            yield from _commands(page, number, " ".join(found.split()), in_block=False)
        paragraph = []
        if fence is not None:
            language = fence[1] if language is None else None
        elif in_block:
            for it in _REMARK.sub("", _PROMPT.sub("", text, count=1)).split("&&"):
                yield from _commands(page, number, it.strip(), in_block=True)


def _commands(page: Path, number: int, text: str, *, in_block: bool) -> Iterator[Line]:
    if text.partition(" ")[0] in PROGRAMS and " " in text:
        yield Line(page, number, text, in_block)
