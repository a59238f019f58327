"""Builds a release and tries it: `make release`.

The archive of the sources and the wheel made from it go to `dist/` and are checked. Then the wheel is installed into an
empty environment of each Python that is found, plays, learns a little, opens the page and exports a network there. What
that took is written into `docs/install.md`.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST, PAGE = ROOT / "dist", ROOT / "docs" / "install.md"
MOST_BYTES = 12_000_000
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
CONTENTS = (
    r"randori/zoo/othello8-ntuple\.safetensors",
    r"randori/app/page/\w+\.css",
    r"randori/app/page/\w+\.js",
    r"randori/docs/papers/README\.md",
    r"randori/docs/papers/kamei/report\.json",
    r"randori/docs/images/\w.*\.svg",
    r"randori/experiments/field\.json",
    r"randori/practice/courses/\w+\.json",
)
TRIES = {
    "first match": "match random greedy --game connect4 --games 20",
    "`table`": "train table --game tictactoe --rounds 2 --evaluate-games 0 --workers 1 --out table",
    "`som`": "train som --game tictactoe --rounds 1 --evaluate-games 0 --workers 1 --out som",
    "`evolution`": "train evolution --game tictactoe --rounds 1 --evaluate-games 0 --workers 1 --out evolution",
    "`ntuple`": "train ntuple --game tictactoe --rounds 1 --evaluate-games 0 --workers 1 --out ntuple",
    "export": "export zoo/connect4-alphazero --onnx network.onnx",
}
_MARKED = re.compile(r"(<!-- release -->\n).*?(<!-- end of release -->)", re.DOTALL)


@dataclass
class Tried:
    """What one Python did with the wheel."""

    python: str
    megabytes: float = 0.0
    """Of the whole environment."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Of processor time, by what was done."""


def run(*command: object, **options: object) -> None:
    subprocess.run([*map(str, command)], check=True, **options)  # type: ignore[call-overload]


def children_seconds() -> float:
    """Processor time of all processes that have been waited for."""
    spent = os.times()
    return spent.children_user + spent.children_system


def build(python: Path) -> Path:
    """The wheel, made from the archive of the sources and not from the folder, so that nothing is missing in either."""
    run(python, "-m", "pip", "install", "--quiet", "build", "twine")
    shutil.rmtree(DIST, ignore_errors=True)
    run(python, "-m", "build", "--outdir", DIST, ROOT, stdout=subprocess.DEVNULL)
    run(python, "-m", "twine", "check", "--strict", *DIST.iterdir())
    (wheel,) = DIST.glob("*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    size, names = wheel.stat().st_size, zipfile.ZipFile(wheel).namelist()
    missing = [it for it in CONTENTS if not any(re.fullmatch(it, name) for name in names)]
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}.")
    if "-none-any" not in wheel.name and not any(name.endswith(".kernel") for name in names):
        sys.exit(f"{wheel.name} is for one platform and has no compiled kernels.")
    if size >= MOST_BYTES:
        sys.exit(f"{wheel.name} has {size / 1e6:.1f} MB; {MOST_BYTES / 1e6:.0f} are allowed.")


def new_environment(python: Path, folder: Path, *flags: str) -> Path:
    """The Python of an empty environment."""
    run(python, "-m", "venv", *flags, folder)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def found_pythons() -> dict[str, Path]:
    """Those on the path, and those that pyenv has beside it."""
    found: dict[str, Path] = {}
    for version in PYTHONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        on_path = shutil.which(f"python{version}")
        for python in (*kept[-1:], *([Path(on_path)] if on_path else [])):
            told = subprocess.run([python, "-c", "import sys; print(sys.version)"], capture_output=True, text=True)
            if told.stdout.startswith(f"{version}."):
                found.setdefault(version, python)
    return found


def try_it(wheel: Path, python: Path, uv: tuple[object, ...], folder: Path) -> Tried:
    """Everything in an empty folder, with an empty cache and without this checkout."""
    here = new_environment(python, folder / "environment", "--without-pip")
    tried = Tried(subprocess.run([here, "-V"], capture_output=True, text=True).stdout.split()[1])
    work = folder / "work"
    work.mkdir()
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RANDORI"))}
    clean |= {"RANDORI_CACHE": str(folder / "cache"), "RANDORI_DB": f"sqlite:///{folder / 'page.sqlite'}"}
    spent = children_seconds()
    run(*uv, "pip", "install", "--quiet", "--python", here, wheel, cwd=work, env=clean)
    tried.seconds["install"] = children_seconds() - spent
    tried.megabytes = sum(it.stat().st_size for it in (folder / "environment").rglob("*") if it.is_file()) / 1e6
    for name, words in TRIES.items():
        spent = children_seconds()
        run(here, "-m", "randori", *words.split(), cwd=work, env=clean, stdout=subprocess.DEVNULL)
        tried.seconds[name] = children_seconds() - spent
        print(f"Python {tried.python}: {name} {tried.seconds[name]:.1f} s", flush=True)
    spent = children_seconds()
    open_page(here, work, clean)
    tried.seconds["page"] = children_seconds() - spent
    return tried


def open_page(python: Path, work: Path, environment: dict[str, str]) -> None:
    command = [str(python), "-m", "randori", "play", "--no-browser", "--port", "8800"]
    with subprocess.Popen(command, cwd=work, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+/", line)))
            for path, word in (("", "Randori"), ("papers", "Kamei")):
                with urllib.request.urlopen(f"{address}{path}", timeout=120) as answer:
                    if word not in answer.read().decode():
                        sys.exit(f"{address}{path} does not say {word}.")
        finally:
            server.terminate()


def write(wheel: Path, all_tried: list[Tried]) -> None:
    """Into the page, for as many Pythons as have been tried so far."""
    others = [it for it in PYTHONS if not any(tried.python.startswith(f"{it}.") for tried in all_tried)]
    heads = ["install", *TRIES, "page"]
    rows = [
        ["Python", "environment", *heads],
        ["---", *["---:"] * (len(heads) + 1)],
        *([it.python, f"{it.megabytes:,.0f} MB", *(f"{it.seconds[name]:.1f}" for name in heads)] for it in all_tried),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    missing = f" Not tried: Python {', '.join(others)}." if others else ""
    said = (
        f"`{wheel.name}` has {wheel.stat().st_size / 1e6:.1f} MB. In an empty environment, with nothing compiled yet, "
        f"the following took so many seconds of processor time ({time.strftime('%Y-%m-%d')}, {platform.system()} on "
        f"{platform.machine()}).{missing}\n\n{table}\n"
    )
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_MARKED.sub(lambda it: f"{it[1]}{said}{it[2]}", text), encoding="utf-8", newline="\n")
    print(said, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pythons", nargs="*", default=PYTHONS, help="only these versions, such as 3.12")
    parser.add_argument("--wheel", type=Path, help="a wheel that is there already")
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="randori-release-", ignore_cleanup_errors=True) as folder:
        tools = new_environment(Path(sys.executable), Path(folder) / "tools")
        run(tools, "-m", "pip", "install", "--quiet", "uv")
        uv = (tools, "-m", "uv", "--cache-dir", Path(folder) / "uv")
        wheel = asked.wheel.resolve() if asked.wheel else build(tools)
        check_contents(wheel)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        found = {version: it for version, it in found_pythons().items() if version in asked.pythons}
        tried = []
        for version, python in found.items():
            place = Path(folder) / version
            place.mkdir()
            tried.append(try_it(wheel, python, uv, place))
            shutil.rmtree(place, ignore_errors=True)
            write(wheel, tried)


if __name__ == "__main__":
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    print(f"Randori {version}", flush=True)
    main()
