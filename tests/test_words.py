"""One way to say a thing: phrases from the "don't write" column of CONTRIBUTING.md do not come back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import run
from prose import prose

from randori import methods
from randori.app.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "randori"

# A changed comment here would compile every kernel again: their words change when their code does.
COMPILED = re.compile(r"/kernels/|/kernels\.py$|/core/game\.py$|/games/.*(craft|discs|judge)\.py$")

COUNTED = (
    r"(bits?|boards|bytes|calls|discs|evaluations|games|GB|kB|looks?|MB|microseconds|milliseconds|million|minutes|moves|ms|"
    r"nodes|openings|operations|playouts|plies|points|positions|products|requests|rounds|seconds|simulations|squares|states|"
    r"tasks?|transcripts?|updates|visits|weights|words?)"
)
UNITS = (
    r"(call|core|day|exam|game|generation|hour|line|match|minute|move|node|pair|person|ply|position|process|round|run|"
    r"second|side|simulation|step|task|thread)"
)
THINGS = r"(array|file|folder|game|JSON|move|network|number|pass|player|position|proxy|recipe|report|square|stone|text)"

# What to write instead, by a pattern; a space stands for any white space.
DONT = {
    r"\d %(?![(\w])": "95%, without a space",
    r"(?<![\w.)\]}/\\*])-?\.\d+\b(?![.\w])": "0.93, with the zero",
    rf"\b{COUNTED} (?-i:an?) {UNITS}\b": "'per': games per second",
    r"(?<![-.\w])(re)?told\b(?! apart| otherwise|[-(])": "says, shows, gets; for a claim: undecided",
    r"\b(what|it|they|which) came to\b|\bcame to (has|have|scores?|plays?)\b": "what it reached, its result",
    r"\b(come|comes|coming|came) along\b": "is included",
    r"\b(go|goes|going|gone|went) on with\b": "continues",
    r"\bgone on meanwhile\b": "has moved on",
    r"\bminds (are|is) met\b": "a plain sentence",
    r"\b(is|are|be|been|was) taken for\b": "counts as, is mistaken for",
    r"\bby (the |its |their )?rules? of thumb\b": "by hand-written rules",
    r"\bordinary program\b": "the player `heuristic`",
    rf"(?<!there\s)\b(is|was) no {THINGS}\b": "is not a",
    r"\bthat there (is|are) not\b": "that does not exist",
    r"\b(tables|papers?) again\b|\b(tables|papers?),? made again\b|\bcom(e|es|ing) out again\b": "reproduces, is reproduced",
    r"(?<!-)\banew\b": "again",
    r"\b(each|any) two (meet|players|play)\b|\bbetween each two\b": "each pair",
    r"\balso (where|if|when|after) (a|an|the|it|nothing|nobody|no|one)\b": "even if, even after",
    r"\b(programs? of (others|somebody)|somebody else's programs?)\b": "other programs, another author's program",
}


class Offence(NamedTuple):
    line: int
    phrase: str
    instead: str


def offences(text: str) -> list[Offence]:
    """But for lines that have to name a phrase, and say so by a comment: `words: ...`."""
    found = (
        Offence(text.count("\n", 0, it.start()) + 1, " ".join(it[0].split()), instead)
        for pattern, instead in DONT.items()
        for it in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE)
    )
    lines = text.split("\n")
    return sorted(it for it in found if " words: " not in lines[it.line - 1])


def texts() -> list[Path]:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    sources = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js")]
    return sorted(it for it in (*pages, *sources) if not COMPILED.search(named(it)))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def rows_of_the_list() -> tuple[str, list[tuple[str, str]]]:
    """CONTRIBUTING.md without its list, and the list: what to write, what not."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    before, _, rest = text.partition("| write | don't write |")
    table, gap, after = rest.partition("\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return before + gap + after, [(row[0], row[1]) for row in rows]


def test_nobody_writes_what_we_do_not_write() -> None:
    """Every page, text, docstring and comment."""
    found = [
        f"{named(path)}:{it.line}: '{it.phrase}': write {it.instead}"
        for path in texts()
        for it in offences(prose(path))
    ]
    assert not found, "\n".join(["", *found])


def test_the_glossary_keeps_to_itself() -> None:
    """What it tells people to write passes, what not to write is found, and every pattern has an example there."""
    around, rows = rows_of_the_list()
    assert offences(around) == []
    assert [good for good, _ in rows if offences(good)] == []
    assert [bad for _, bad in rows if not offences(bad)] == []
    shown = " ".join(bad for _, bad in rows)
    assert [it for it in DONT if not re.search(it, shown, re.IGNORECASE)] == []


def test_help_as_it_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Put together from several places, it may say what none of them does."""
    monkeypatch.setenv("COLUMNS", "200")
    learners: list[Any] = [["train", name] for name in methods.all_methods()]
    for words in [[], *([name] for name in COMMANDS if name not in ("train", "tournament")), *learners]:
        assert offences(run(capsys, monkeypatch, *words, "--help").out) == [], words


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("A match at 12 games\na second.", ["games a second"]),
        ("It is told so; they are told apart.", ["told"]),
        ("0.93 of 100, version 1.2.3, f.5, [0].5, 3.5", []),
        ("A score of .93 (.91 .. .95)", [".93", ".91", ".95"]),
        ("x % 4, 95 % of them, 95%", ["95 %"[1:]]),
        ("There is no move; 'z9' is no move.", ["is no move"]),
    ],
)
def test_patterns_find_what_they_should(text: str, phrases: list[str]) -> None:
    assert sorted(it.phrase for it in offences(text)) == sorted(phrases)


def test_only_prose_is_read(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text('"""What is\n    told."""\ntold = f"{told} told"  # told\nkeys = {"told": 95 % 4}\n')
    assert [it.line for it in offences(prose(source))] == [2, 3, 3]
    script = tmp_path / "x.js"
    script.write_text("const told = 'it is told'; // told\n")
    assert len(offences(prose(script))) == 2
