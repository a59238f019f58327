"""Checkpoints: a nested state as one file of arrays and JSON, with a checksum, the last few kept.

A state is a dict with text keys of arrays, numbers, texts, None, generators, and of lists and dicts of these. Its
arrays go into the file as they are, the rest as JSON in which `{"$array": name}` stands for an array.
"""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError
from randori.reading import DamagedFile, read_bytes
from randori.tensorfile import pack, unpack, write_whole

FORMAT_VERSION = 1
# A replay memory of millions of positions is kept as well.
_MOST_BYTES = 32 * 1024**3

_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")

Arrays = dict[str, NDArray[Any]]


def encode(state: dict[str, Any]) -> tuple[Arrays, dict[str, str]]:
    """The arrays of a state, and the metadata that say where they belong. Raises TypeError for what is not a state."""
    arrays: Arrays = {}
    plain = _plain(state, "state", arrays)
    return arrays, {"format_version": str(FORMAT_VERSION), "state": json.dumps(plain)}


def decode(arrays: Arrays, metadata: dict[str, str]) -> dict[str, Any]:
    """The state again, equal in values and types. Raises DamagedFile for anything that `encode` did not make."""
    try:
        state: Any = _whole(json.loads(metadata["state"]), arrays)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise DamagedFile(f"it does not hold a state: {error}") from None
    if not isinstance(state, dict):
        raise DamagedFile("it does not hold a state")
    return state


def _plain(value: Any, path: str, arrays: Arrays) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.dtype.isnative:
        # The number keeps names apart where keys have slashes of their own.
        name = f"{len(arrays)}:{path}"
        arrays[name] = np.asarray(value, order="C")
        return {"$array": name}
    if isinstance(value, np.random.Generator):
        return {"$generator": _plain(_generator_state(value, path), path, arrays)}
    if type(value) is list:
        return [_plain(it, f"{path}/{place}", arrays) for place, it in enumerate(value)]
    if type(value) is dict and all(type(key) is str and not key.startswith("$") for key in value):
        return {key: _plain(it, f"{path}/{key}", arrays) for key, it in value.items()}
    raise TypeError(
        f"{path} is {type(value).__name__} {value!r:.60}, which a checkpoint does not keep: "
        "use dicts with text keys, lists, arrays of numbers, numbers, texts, None and generators."
    )


def _generator_state(rng: np.random.Generator, path: str) -> dict[str, Any]:
    if getattr(rng.bit_generator.seed_seq, "n_children_spawned", 0):
        raise TypeError(f"{path} is a generator that spawned others, which is not kept: draw seeds by rng.integers.")
    return dict(rng.bit_generator.state)


def _whole(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, list):
        return [_whole(it, arrays) for it in value]
    if not isinstance(value, dict):
        return value
    if "$array" in value:
        return arrays[value["$array"]]
    if "$generator" in value:
        return _generator(_whole(value["$generator"], arrays))
    return {key: _whole(it, arrays) for key, it in value.items()}


def _generator(state: dict[str, Any]) -> np.random.Generator:
    kind = state["bit_generator"]
    if kind not in _BIT_GENERATORS:
        raise DamagedFile(f"There is no generator '{kind}'.")
    bits = getattr(np.random, kind)()
    bits.state = state
    return np.random.Generator(bits)


class Checkpoints:
    """A folder of checkpoints `ROUND-CHECKSUM.safetensors`; the checksum is that of the whole file."""

    def __init__(self, folder: Path, keep: int = 3) -> None:
        self.folder, self._keep = folder, keep

    def write(self, round: int, state: dict[str, Any]) -> None:
        """Adds a checkpoint; once it is safely stored, all but the last few are deleted."""
        data = pack(*encode(state))
        added = self.folder / f"{round:08}-{_checksum(data)}.safetensors"
        write_whole(added, data)
        others = [path for path in self._paths() if path != added]
        same_round = [path for path in others if path.name[:8] == added.name[:8]]
        for path in {*same_round, *others[self._keep - 1 :]}:
            path.unlink()

    def latest(self, say: Callable[[str], None]) -> dict[str, Any]:
        """The newest undamaged state; damaged ones are reported and set aside."""
        damaged: dict[Path, DamagedFile] = {}
        for path in self._paths():
            try:
                state = self._read(path)
            except DamagedFile as error:
                damaged[path] = error
                continue
            for it, why in damaged.items():
                say(f"The checkpoint {it.name} is damaged ({why}) and set aside; the one before it is used.")
                it.rename(it.with_suffix(".damaged"))
            return state
        why_not = f" ({', '.join(f'{path.name}: {error}' for path, error in damaged.items())})" if damaged else ""
        raise UserError(
            f"There is no checkpoint in '{self.folder}' that can be read{why_not}; start again with another --out."
        )

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            data = read_bytes(path, _MOST_BYTES)
        except UserError as error:
            raise DamagedFile(str(error).rstrip(".")) from None
        if _checksum(data) != path.stem.partition("-")[2]:
            raise DamagedFile("its checksum is wrong")
        arrays, metadata = unpack(data)
        version = metadata.get("format_version", "")
        if not re.fullmatch("[0-9]{1,9}", version):
            raise DamagedFile("it names no format_version")
        if int(version) > FORMAT_VERSION:
            raise UserError(f"The checkpoint {path.name} has a newer format than this package reads; update it.")
        return decode(arrays, metadata)

    def _paths(self) -> list[Path]:
        """The newest first."""
        return sorted(self.folder.glob("*-*.safetensors"), reverse=True)


def _checksum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
