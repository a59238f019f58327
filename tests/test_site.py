"""The docs as a site: links lead somewhere, every page is reached, and `make docs` builds it without asking other hosts."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from command_lines import ROOT, name_of, pages, text_of

import randori

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OUTSIDE = re.compile(r'<(?:script|link|img|iframe|source)[^>]+(?:src|href)="?(?:https?:)?//[^>]*>')
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
WRITTEN = [*pages(), ROOT / "CHANGELOG.md"]


def prose(page: Path) -> str:
    """Without the blocks of code, which may look like links."""
    return FENCED.sub("", text_of(page))


def anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub and the site name them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", it.lower()).strip().replace(" ", "-") for it in headings}


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in LINK.findall(prose(page)):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_file() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Here it is\n[a](page.md#here-it-is) [b](gone.md) [c](#there) [d](https://example.org)\n```\n[e](e)\n```\n"
    )
    assert broken_links(page) == ["gone.md", "#there"]


def test_every_page_is_in_the_navigation() -> None:
    """Reports are reached from the pages that quote them."""
    listed = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    written = [name_of(it).removeprefix("docs/") for it in DOCS.rglob("*.md") if it.name != "report.md"]
    notebooks = [name_of(it.with_suffix(".md")).removeprefix("docs/") for it in NOTEBOOKS]
    missing = {*written, *notebooks, "CONTRIBUTING.md", "CHANGELOG.md"} - set(listed)
    assert not missing, f"Put them into a section of mkdocs.yml: {sorted(missing)}"
    assert len(listed) == len(set(listed)) == len(written) + len(notebooks) + 2


def test_the_reference_has_every_public_name() -> None:
    text = (DOCS / "api.md").read_text()
    missing = [it for it in randori.__all__ if not re.search(rf"\brandori\.{it}\b", text)]
    assert not missing


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed (pip install '.[docs]')")
def test_the_site_is_built_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    html_files = list(tmp_path.rglob("*.html"))
    names = {it.relative_to(tmp_path).as_posix() for it in html_files}
    assert {"index.html", "api.html", "CONTRIBUTING.html", "notebooks/own-game.html", "papers/index.html"} <= names
    outside_links = {found for it in html_files for found in OUTSIDE.findall(it.read_text(encoding="utf-8"))}
    assert not outside_links
    assert "randori.tournament" in (tmp_path / "api.html").read_text(encoding="utf-8")
