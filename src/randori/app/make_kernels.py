"""Compiles the kernels that a wheel ships: `python -m randori.app.make_kernels`.

Everything that `randori prepare` compiles, once for each level of processors. What is compiled is also run, so that a
machine makes the kernels of its own level and of those below.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from randori.errors import warn
from randori.kernels.kept import SHIPPED
from randori.kernels.levels import LEVELS, levels_here


def make_kernels(level: str, folder: Path) -> None:
    """Empties the folder and fills it with all kernels for one level."""
    with TemporaryDirectory() as cache:
        # No features beside those of the level; numba would add those of this machine.
        target = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "RANDORI_CACHE": cache}
        subprocess.run([sys.executable, "-m", "randori", "prepare"], env={**os.environ, **target}, check=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(Path(cache) / "kernels", folder)


def main() -> None:
    for level in LEVELS:
        if level not in levels_here():
            warn(f"{level} is left out: this machine cannot run its code.")
            continue
        make_kernels(level, SHIPPED / level)
        files = list((SHIPPED / level).rglob("*.kernel"))
        print(f"{level}: {len(files)} kernels, {sum(it.stat().st_size for it in files) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
