"""An import goes down, never up or sideways."""

import ast
from pathlib import Path

import randori

ROOT = Path(randori.__file__).parent

# The top part of a module's name, and its layer. Modules of one layer may import each other only within one name,
# except those of the game layer, which are one idea in several files.
LAYERS: dict[str, float] = {
    "errors": 0,
    "workers": 0,
    "tensorfile": 0,
    "kernels": 0,
    "game": 1,
    "games": 1,
    "symmetry": 1,
    "planes": 1,
    "record": 1,
    "notation": 1,
    "laws": 1,
    "formats": 1,
    "solve": 1.5,  # below `effort`, which measures it
    "threats": 1.5,
    "effort": 2,
    "evaluate": 2,
    "players": 3,
    "learners": 4,
    "arena": 4,
    "experiments": 5,
    "api": 6,
    "app": 6,
    "envs": 6,
    "__main__": 7,
}
GAME_LAYER = {name for name, layer in LAYERS.items() if layer == 1}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module == "randori":
                found |= {f"randori.{alias.name}" for alias in node.names}
            else:
                found.add(node.module or "")
    return {name.split(".")[1] for name in found if name.startswith("randori.")}


def test_imports_go_down() -> None:
    wrong = []
    for path in ROOT.rglob("*.py"):
        relative = path.relative_to(ROOT)
        own = relative.parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for name in _imports(path):
            beside = name == own or {name, own} <= GAME_LAYER or name in ("errors", "workers", "tensorfile")
            if not beside and LAYERS[name] >= LAYERS[own]:
                wrong.append(f"{relative} imports {name}")
    assert not wrong


def test_ray_is_imported_in_one_file() -> None:
    importing = [path.name for path in ROOT.rglob("*.py") if "import ray" in path.read_text()]
    assert importing == ["workers.py"]
