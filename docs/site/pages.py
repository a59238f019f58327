"""Hooks of mkdocs: files of the repository become pages of the site.

Pages are written for the repository, where links are followed on disk. Here links to files beside `docs/` lead to their
pages, notebooks are set as text, and lists begin where they do elsewhere.
"""

import json
import posixpath
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent.parent
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md")
"""Pages that lie beside `docs/`."""
_LINK = re.compile(r"(\]\()(?!\w+:|#|/)([^)#\s]+)")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(-|\*|\d+\.) ")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name in BESIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for notebook in [it for it in files if it.src_uri.endswith(".ipynb")]:
        files.append(File.generated(config, _page(notebook.src_uri), content=notebook_text(notebook.content_string)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    place = page.file.src_uri
    made: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        fenced ^= bool(_FENCE.match(line))
        if not fenced:
            if _ITEM.match(line) and made and made[-1].strip() and not _ITEM.match(made[-1]) and made[-1][0] != " ":
                made.append("")  # a list may follow a paragraph at once, but not in Python-Markdown
            line = _LINK.sub(lambda found: found[1] + site_link(found[2], place), line)
        made.append(line)
    return "\n".join(made)


def site_link(link: str, place: str) -> str:
    """Where a link of the page `place` leads on the site; in the repository it is relative to the page's file."""
    folder = "" if place in BESIDE else posixpath.join("docs", posixpath.dirname(place))
    target = posixpath.normpath(posixpath.join(folder, link)).removeprefix("docs/")
    target = "index.md" if target == "README.md" else target
    return _page(posixpath.relpath(target, posixpath.dirname(place) or "."))


def _page(path: str) -> str:
    return path.removesuffix(".ipynb") + ".md" if path.endswith(".ipynb") else path


def notebook_text(source: str) -> str:
    """A notebook as Markdown: its text, its code, and what the code printed or drew."""
    return "\n\n".join(_cell(it) for it in json.loads(source)["cells"])


def _cell(cell: dict[str, Any]) -> str:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return text
    return "\n\n".join([f"```python\n{text}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    if "image/svg+xml" in data:
        drawn = "".join(data["image/svg+xml"])
        title = re.search(r"<title>(.*?)</title>", drawn)
        # As a file of its own, or its style would be that of the whole page.
        return f"![{title[1] if title else ''}](data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()})"
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"
