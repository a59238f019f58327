"""Compiled kernels on disk, in folders named by the sources they came from.

Numba's own disk cache does not notice when another file that a kernel calls has changed; a folder named by a hash of the
kernel's module and of every kernel module that it imports cannot be stale. Nor does it notice a damaged file, and two
processes that keep two variants of a kernel at once can mix them up in its index; here each variant has a file of its own,
with a checksum.
"""

import hashlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from os.path import isfile
from pathlib import Path
from typing import Any, BinaryIO

import numba
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

_KERNELS = Path(__file__).parent
_IMPORT = re.compile(r"^from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
_COMPILING = re.compile(rb"^from (randori\.kernels|numba)\b", re.MULTILINE)
_CHECKSUM_BYTES = 16

CACHE = Path(os.environ.get("RANDORI_CACHE") or platformdirs.user_cache_dir("randori", appauthor=False))


@cache
def folder_of(source: str, *others: str) -> Path | None:
    """Where the kernels of a source file are kept, which may have parts from others; None where nothing can be kept, as of a
    notebook's cells."""
    found: dict[Path, bytes] = {}
    for path in map(Path, (source, *others)):
        if not path.is_file():
            return None
        _sources(path, found)
    digest = hashlib.sha256(b"".join(text for _, text in sorted(found.items())))
    folder = CACHE / "kernels" / f"{Path(source).stem}-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _sources(path: Path, found: dict[Path, bytes]) -> dict[Path, bytes]:
    """The file and every file of compiled functions that it imports, directly or through others."""
    if path not in found:
        found[path] = path.read_bytes()
        for module, names in _IMPORT.findall(found[path].decode()):
            for name in (module, *(f"{module}.{it}" for it in re.findall(r"\w+", names))):
                source = _file_of(name)
                if source is not None and _is_compiled(source):
                    _sources(source, found)
    return found


def _file_of(module: str) -> Path | None:
    """What a kernel's file imports has been imported before the kernel is compiled."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else Path(file)


def _is_compiled(source: Path) -> bool:
    """Rooms of games and methods have compiled files of their own beside others."""
    return source.suffix == ".py" and (source.parent == _KERNELS or _COMPILING.search(source.read_bytes()) is not None)


class KernelFiles(IndexDataCacheFile):
    """The files of one function, one for each key; numba's reader does not look at the checksum at their end."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(str(folder), name, source_stamp=None)
        self._folder, self._name = folder, name
        self.found_damaged = False

    def load(self, key: Any) -> Any:
        """What was saved by this key; None where nothing was, or it is damaged."""
        path = self.path(key)
        # Whatever else may be there under this name, waiting for a pipe would never end.
        if not isfile(path):
            return None
        try:
            data = path.read_bytes()
            if data[-_CHECKSUM_BYTES:] == _checksum(data[:-_CHECKSUM_BYTES]):
                return self._load_data(path.name)
        except OSError:
            return None
        self.found_damaged = True
        return None

    def save(self, key: Any, data: Any) -> None:
        self._save_data(self.path(key).name, data)

    def path(self, key: Any) -> Path:
        digest = hashlib.sha256(repr((numba.__version__, key)).encode())
        return self._folder / f"{self._name}-{digest.hexdigest()[:16]}.kernel"

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[BinaryIO]:
        with super()._open_for_write(path) as file:
            packed = io.BytesIO()
            yield packed
            file.write(packed.getvalue() + _checksum(packed.getvalue()))


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM_BYTES).digest()


def _meaning(function: Callable[..., Any]) -> list[Any]:
    """The code of a function, its defaults and what it closes over.

    Compiled functions among that are known by their own meaning: numba gives them another name in every process.
    """
    closed_over = (cell.cell_contents for cell in function.__closure__ or ())
    values = [_meaning(it.py_func) if isinstance(it, Dispatcher) else it for it in closed_over]
    return [function.__code__.co_code, function.__defaults__, values]


class _Place(UserProvidedCacheLocator):
    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(folder_of(file))

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_Place":
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        """`folder_of` has made it."""


class _Results(CompileResultCacheImpl):
    _locator_classes = (_Place,)


class KeptKernel(FunctionCache):
    """Numba's cache of one function. A result that cannot be kept, as on a full disk, serves this process all the same."""

    _impl_class = _Results

    def __init__(self, function: Callable[..., Any], folder: Path, on_failure: Callable[[OSError], None]) -> None:
        super().__init__(function)
        self._cache_file = self.files = KernelFiles(folder, self._impl.filename_base)
        self._on_failure = on_failure

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return signature, codegen.magic_tuple(), _checksum(dumps(_meaning(self._py_func))).hex()

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError as error:
            self._on_failure(error)
