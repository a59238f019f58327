"""What can be done with the folder of a run that nobody trains: a new name, a ZIP file, its end."""

import io
import re
import shutil
import zipfile
from pathlib import Path

from randori import games, methods
from randori.app.service.refusals import Invalid, Refusal
from randori.experiments.run import METRICS_FILE, RECIPE_FILE
from randori.players.files import PLAYER_FILE

_TAKEN_AWAY = (RECIPE_FILE, METRICS_FILE, PLAYER_FILE)
"""A folder with these is a player wherever it is unpacked; checkpoints and snapshots are many times as large."""


def checked_name(wanted: str, is_owner: bool) -> str:
    """A name that a run can have. Raises Invalid.

    A folder that `randori train` would take by itself, GAME-LEARNER or GAME-LEARNER-PRESET, is only the owner's to give.
    """
    name = wanted.strip()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}", name):
        raise Invalid(
            "A name has up to 60 letters, digits, hyphens, underscores and points, and begins with a letter or digit."
        )
    own = [f"{game}-{learner}" for game in games.names() for learner in methods.all_methods()]
    if not is_owner and any(name.startswith(it) for it in own):
        raise Invalid("Names that begin with a game and a learner belong to the command line: choose another.")
    return name


def move_folder(folder: Path, new: str) -> None:
    """Renames it. Raises Refusal if the disk does not allow it."""
    try:
        folder.rename(folder.with_name(new))
    except OSError as error:
        raise Refusal(f"'{folder.name}' cannot be changed ({error.strerror}).") from error


def remove_folder(folder: Path) -> None:
    """Out of sight at once, then from the disk: whatever interrupts it, no half of a run is listed."""
    gone = folder.with_name(f".{folder.name}.deleted")
    shutil.rmtree(gone, ignore_errors=True)
    move_folder(folder, gone.name)
    shutil.rmtree(gone, ignore_errors=True)


def zipped(folder: Path) -> bytes:
    """The run's recipe, metrics and newest player, in a folder of its name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in (folder / it for it in _TAKEN_AWAY):
            if path.is_file():
                archive.write(path, f"{folder.name}/{path.name}")
    return buffer.getvalue()
