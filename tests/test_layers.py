"""Imports go down, never up; and a game or a method itself states its facts, which nobody guesses from outside."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import randori
from randori import games, methods

ROOT = Path(randori.__file__).parent

# From below to above. A file may import from its own floor's room and from every floor below.
FLOORS = (
    ("documents", "errors", "interrupts", "systems", "worker_life"),
    ("reading",),
    ("registry", "tensorfile", "chart"),
    ("tasks",),
    ("cluster",),
    ("workers",),
    ("kernels",),
    ("core",),
    ("games",),
    ("formats", "search"),
    ("players",),
    ("networks", "arena"),
    ("methods",),
    ("experiments",),
    ("papers",),
    ("api",),
    ("engines", "envs", "review"),
    ("practice",),
    ("app",),
    ("__main__",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Inside the room of a method, by file names: players do not know learners, and learners do not know the paper.
INSIDE = ("kernels", "player", "learner", "paper")


def module_of(path: Path) -> list[str]:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def room_of(module: list[str]) -> str:
    """A paper lives with its method, and stands above the experiments that it is made of."""
    is_paper = module[0] == "methods" and module[-1].startswith("paper")
    return "papers" if is_paper else module[0]


def imports(path: Path) -> set[tuple[str, ...]]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body.clear()  # types may look up
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = node.module or ""
            found.add(module)
            # `from randori.methods import som` imports a module as well.
            folder = ROOT.joinpath(*module.split(".")[1:])
            found |= {f"{module}.{it.name}" for it in node.names if (folder / f"{it.name}.py").exists()}
            found |= {f"{module}.{it.name}" for it in node.names if (folder / it.name / "__init__.py").exists()}
    return {tuple(name.split(".")[1:]) for name in found if name.startswith("randori.")}


FILES = [path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"]


def test_imports_go_down() -> None:
    wrong = []
    for path in FILES:
        own = module_of(path)
        for name in imports(path):
            theirs = room_of(list(name))
            if theirs != room_of(own) and FLOOR[theirs] >= FLOOR[room_of(own)]:
                wrong.append(f"{'.'.join(own)} imports {'.'.join(name)}")
    assert not wrong


def test_a_method_imports_no_other() -> None:
    rooms = {path.name for path in (ROOT / "methods").iterdir() if path.is_dir()}
    wrong = []
    for path in (ROOT / "methods").rglob("*.py"):
        own = module_of(path)[1:2]
        for name in imports(path):
            if (
                own
                and own[0] in rooms
                and name[0] == "methods"
                and name[1:2] != tuple(own)
                and name[1:2]
                and name[1] in rooms
            ):
                wrong.append(f"{path} imports {'.'.join(name)}")
    assert not wrong


def height(module: list[str]) -> int | None:
    """How high a file of a method stands in its room; None if it may stand anywhere."""
    if module[2:3] == ["kernels"]:
        return 0
    last = module[-1]
    return next((INSIDE.index(it) for it in ("paper", "learner", "player") if it in last.split("_")), None)


def test_inside_a_method_imports_go_down() -> None:
    wrong = []
    for path in (ROOT / "methods").glob("*/**/*.py"):
        own = height(module_of(path))
        for name in imports(path):
            theirs = height(list(name)) if name[:2] == tuple(module_of(path)[:2]) else None
            if own is not None and theirs is not None and theirs > own:
                wrong.append(f"{path} imports {'.'.join(name)}")
    assert not wrong


OUTSIDE = [path for path in FILES if module_of(path)[0] not in ("games", "core")]
FAMILIES = "|".join(sorted(games.families(), key=len, reverse=True))
GUESSES = {
    "a flag of a kind of game": re.compile(r"in_a_row|has_pass"),
    "a game guessed by its actions": re.compile(r"n_actions =="),
    "a game compared by its name": re.compile(rf"""[!=]= "(?:{FAMILIES})\d*"|"(?:{FAMILIES})\d*" [!=]="""),
    "a game looked for by its name": re.compile(rf"""(?:startswith|endswith|removeprefix)\("(?:{FAMILIES})"""),
    "a game in a list of names": re.compile(rf"""(?<!for )\b(?:name|game) (?:not )?in [\[({{]?"(?:{FAMILIES})"""),
}


@pytest.mark.parametrize("what", GUESSES)
def test_no_game_is_guessed_from_outside(what: str) -> None:
    """Recipes, ladders and papers may name games as data, but no code checks which game it has."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in OUTSIDE
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if GUESSES[what].search(line)
    ]
    assert not found


def test_there_is_no_table_of_methods_outside() -> None:
    """A method itself states its title and what it does."""
    titles = {it.title for it in methods.all_methods().values()}
    found = [
        f"{path.relative_to(ROOT)}: {title}"
        for path in OUTSIDE
        if module_of(path)[0] not in ("methods", "players")
        for title in titles
        if f'"{title}"' in path.read_text()
    ]
    assert not found


def test_ray_is_imported_in_one_file() -> None:
    importing = [path.name for path in ROOT.rglob("*.py") if "import ray" in path.read_text()]
    assert importing == ["cluster.py"]
