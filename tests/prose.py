"""The prose of a file; everything else is masked in place, so that line numbers stay right."""

import io
import re
import tokenize
from pathlib import Path

MASK = "\N{MIDDLE DOT}"
"""In place of code, so that no phrase runs across it."""
_PYTHON = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
_SCRIPT = re.compile(r"""//.*|/\*[\s\S]*?\*/|'[^'\n]*'|"[^"\n]*"|`[^`]*`""")


def prose(path: Path) -> str:
    """Markdown as it is; for Python and JavaScript, the strings and comments."""
    text = path.read_text(encoding="utf-8")
    spans = {".py": _python_spans, ".js": _script_spans}.get(path.suffix)
    if spans is None:
        return text
    masked = [it if it.isspace() else MASK for it in text]
    for begin, end in spans(text):
        masked[begin:end] = _words(text[begin:end])
    return "".join(masked)


def _words(piece: str) -> str:
    """Without the marks of a string or comment, and without the code inside an f-string."""
    for _ in range(2):  # a format may have a field inside a field
        piece = re.sub(r"\{[^{}]*\}", lambda it: MASK * len(it[0]), piece)
    if not re.search(r"\s", piece):
        return MASK * len(piece)  # a key, not a sentence
    piece = re.sub(r"^[rbfuRBFU]*[\"'`]+|[\"'`]+$|^\s*(#|//)", lambda it: " " * len(it[0]), piece)
    return re.sub(r"\\n", "  ", piece)


def _python_spans(text: str) -> list[tuple[int, int]]:
    starts = [0]
    for line in io.StringIO(text):
        starts.append(starts[-1] + len(line))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [
        (starts[it.start[0] - 1] + it.start[1], starts[it.end[0] - 1] + it.end[1])
        for it in tokens
        if it.type in _PYTHON
    ]


def _script_spans(text: str) -> list[tuple[int, int]]:
    return [it.span() for it in _SCRIPT.finditer(text)]
