"""Files that may be damaged: each is read whole, or refused in one sentence with its path and the reason."""

import json
import math
import stat
from pathlib import Path
from typing import Any

from randori.errors import UserError

__all__ = [
    "DamagedFile",
    "check_file",
    "is_count",
    "is_number",
    "is_rating",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_text",
]

_MOST_BYTES = 256 * 1024**2
_MOST_LEVELS = 64
"""The deepest nesting of JSON; none of our files needs half of it."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class DamagedFile(UserError):
    """A file that does not hold what its name says, or not all of it."""


def check_file(path: Path) -> None:
    """Raises UserError unless there is a file that can be opened: a pipe would wait for ever."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
            return
    except FileNotFoundError:
        raise UserError(f"There is no file '{path}'.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"'{path}' cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    raise UserError(f"'{path}' is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file.")


def read_bytes(path: Path, most: int = _MOST_BYTES) -> bytes:
    """All of a file. Raises UserError where there is none, or more than fits into memory."""
    check_file(path)
    try:
        if path.stat().st_size > most:
            raise UserError(f"'{path}' is larger than {most // 1024**2} MB; split it.")
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"'{path}' cannot be read ({error.strerror}).") from None


def read_text(path: Path) -> str:
    """Raises UserError where it is not UTF-8 text."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"'{path}' is damaged or not UTF-8 text (at byte {error.start}).") from None


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises UserError where there is none."""
    try:
        found = parse_json(read_text(path))
    except ValueError as error:
        if isinstance(error, UserError):
            raise
        raise DamagedFile(f"'{path}' is damaged: {error}.") from None
    if not isinstance(found, dict):
        raise DamagedFile(f"'{path}' is damaged: it holds no JSON object.")
    return found


def parse_json(text: str | bytes) -> Any:
    """Plain values. Raises ValueError for anything that is not JSON, including NaN, Infinity and endless nesting."""
    try:
        found = json.loads(text, parse_constant=_refuse, parse_float=_float)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    if "\\ud" in (text.decode("latin-1") if isinstance(text, bytes) else text).lower():
        # Half a character in an escape cannot be written anywhere again.
        json.dumps(found, ensure_ascii=False).encode()
    level, levels = [found], 0
    while level:
        inside = [it for it in level if isinstance(it, dict | list)]
        level = [part for it in inside for part in (it.values() if isinstance(it, dict) else it)]
        levels += 1
        if levels > _MOST_LEVELS:
            raise ValueError("its JSON is nested too deeply")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"it holds {constant}, which is not a number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it holds {text:.40}, which is too large a number")
    return number


def is_number(value: Any) -> bool:
    """A finite number, as JSON has them; true and false are none."""
    return type(value) in (int, float) and abs(value) < 1e300


def is_rating(value: Any) -> bool:
    """A rating with its interval."""
    return isinstance(value, dict) and all(is_number(value.get(it)) for it in ("elo", "low", "high"))


def is_count(value: Any) -> bool:
    """A whole number of 0 or more that every kernel takes."""
    return type(value) is int and 0 <= value < 2**63
