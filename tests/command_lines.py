"""The command lines that README and docs show, wherever they stand: in blocks of code and within sentences."""

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
    text: str
    in_block: bool
    """Otherwise it stands within a sentence."""


def pages() -> list[Path]:
    """README, the guide for contributors, and docs with the reports that are stored there."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def command_lines(page: Path) -> Iterator[Line]:
    """In their order. Remarks behind a command are left out: after `#`, or after two spaces and not a flag."""
    language = None
    for number, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence := _FENCE.match(text):
            language = fence[1] if language is None else None
            continue
        in_block = language in _SHELLS or (language is None and _INDENTED.match(text) is not None)
        if in_block:
            found = _REMARK.sub("", _PROMPT.sub("", text, count=1)).split("&&")
        else:
            found = _INLINE.findall(text) if language is None else []
        for it in found:
            if it.split()[:1] and it.split()[0] in PROGRAMS and " " in it.strip():
                yield Line(page, number, it.strip(), in_block)
