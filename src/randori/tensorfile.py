"""Files of named arrays and strings in the safetensors format, and files that appear whole or not at all."""

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from randori.errors import UserError
from randori.reading import DamagedFile, read_bytes
from randori.systems import replace_file, sync_folder

__all__ = ["Unpacked", "pack", "read_array", "unpack", "write_array", "write_whole"]

Arrays = Mapping[str, NDArray[Any]]


class Unpacked(NamedTuple):
    arrays: dict[str, NDArray[Any]]
    metadata: dict[str, str]


def pack(arrays: Arrays, metadata: Mapping[str, str]) -> bytes:
    """The bytes of the file: the same for the same contents, in any order.

    The library writes the metadata in an order that changes from process to process, so they are put in here.
    """
    plain = safetensors.numpy.save({name: arrays[name] for name in sorted(arrays)})
    header, data = _split(plain)
    text = json.dumps({"__metadata__": dict(sorted(metadata.items())), **header}, separators=(",", ":")).encode()
    # Readers that map the file into memory rely on aligned data.
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def unpack(data: bytes) -> Unpacked:
    """The contents of a file. Raises DamagedFile."""
    try:
        arrays = safetensors.numpy.load(data)
    except (SafetensorError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DamagedFile(str(error)) from error
    return Unpacked(arrays, _split(data)[0].get("__metadata__", {}))


def _split(data: bytes) -> tuple[dict[str, Any], bytes]:
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]), data[end:]


def write_whole(path: Path, data: bytes) -> None:
    """Replaces a file; a reader sees the old one or the new one, even after a power cut."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        replace_file(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_array(path: Path, array: NDArray[Any]) -> None:
    """One array as a file of numpy's format, for intermediate measurements."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    write_whole(path, file.getvalue())


def read_array(path: Path) -> NDArray[Any]:
    """Raises UserError where the file is damaged."""
    try:
        found: NDArray[Any] = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    except (EOFError, MemoryError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise DamagedFile(f"'{path}' is damaged ({error}); remove it and start the same command again.") from None
    return found
