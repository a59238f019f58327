"""Programs that tests start: some misbehave in every way that programs of others have, or might."""

import sys
from pathlib import Path

HERE = Path(__file__).parent

# What `rogue` can do that ends a match.
AT_THE_START = (
    "is_silent",
    "dies",
    "prints_one_endless_line",
    "prints_endless_lines",
    "floods_stderr",
    "prints_garbage",
    "closes_its_output",
)
AT_A_MOVE = (*AT_THE_START, "answers_without_end", "plays_illegally")


def command(name: str, *arguments: object) -> str:
    """What starts one of them."""
    return " ".join(map(str, (sys.executable, HERE / f"{name}.py", *arguments)))


def running(tag: str) -> list[int]:
    """The processes with this word in their command line; needs /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if any(tag.encode() in word for word in words):
            found.append(int(path.parent.name))
    return found
