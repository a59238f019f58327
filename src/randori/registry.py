"""Registries: things with names, from this package, from another one, or from a script.

Whatever is registered in a process is sent to its workers with the tasks, so that its name means the same there.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, Generic, TypeVar

import cloudpickle

from randori.errors import UserError, suggest

__all__ = ["Registry", "adopt", "load", "load_plugin", "n_changes", "plugins", "read_entry_points", "shipped"]

Thing = TypeVar("Thing")

# Names stand in specs, addresses and the names of folders, whose other characters mean something there.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")

_REGISTRIES: dict[str, "Registry[Any]"] = {}


class Registry(Generic[Thing]):
    """Things by name: first those of the package, in their order, then those of others."""

    def __init__(
        self, what: str, group: str, unpack: Callable[[Any], Iterable[tuple[str, Thing]]], also_in: str | None = None
    ) -> None:
        """`what` is the word for errors; `group` is the room that the things are in, and names the entry points by which
        installed packages add theirs; `unpack` yields the names and things in an object that is registered. A room above,
        `also_in`, adds some of its own.
        """
        self._what, self._group, self._unpack, self._also_in = what, group, unpack, also_in
        self._own: dict[str, Thing] = {}
        self._foreign: dict[str, Thing] = {}
        self.entry_points_read = False
        self.n_changes = 0
        """How often something was registered: whoever keeps a list can see here whether it is still complete."""
        self._watchers: list[Callable[[Thing], None]] = []
        _REGISTRIES[group] = self

    def add_own(self, things: Mapping[str, Thing]) -> None:
        """Adds what the package includes."""
        self._own |= things

    def register(self, offered: Any) -> None:
        """Adds what somebody else offers. The same name again replaces it, because a notebook's cell is run more than once."""
        for name, thing in self._unpack(offered):
            self.add(name, thing)

    def add(self, name: str, thing: Thing) -> None:
        self.complete()
        if name in self._own:
            raise UserError(f"The package already has a {self._what} '{name}'; choose another name.")
        if not _NAME.fullmatch(name):
            raise UserError(
                f"A {self._what} cannot be called '{name:.40}': a name has up to 40 letters, digits, hyphens and underscores."
            )
        self._foreign[name] = thing
        self.n_changes += 1
        for watcher in self._watchers:
            watcher(thing)

    def watch(self, watcher: Callable[[Thing], None]) -> None:
        """Calls it with everything that is known now, and with whatever is registered from now on."""
        for thing in self.all().values():
            watcher(thing)
        self._watchers.append(watcher)

    def all(self) -> dict[str, Thing]:
        self.complete()
        read_entry_points()
        return self._own | self._foreign

    def find(self, name: str) -> Thing:
        """Raises UserError for an unknown name. Installed packages are read only if the name is not known without them."""
        for known in (self._own, self._foreign):
            if name in known:
                return known[name]
        known = self.all()
        if name not in known:
            raise UserError(f"There is no {self._what} '{name}'.{suggest(name, known)}")
        return known[name]

    def complete(self) -> None:
        """Makes sure that everything of the package itself is registered."""
        if self._also_in is not None:
            import_module(self._also_in)

    def foreign(self) -> dict[str, Thing]:
        """What was registered in this process or read from entry points."""
        return dict(self._foreign)

    def read_entry_points(self) -> None:
        """Once, when first needed. A package that cannot be loaded is named and left out; the others are not affected."""
        if self.entry_points_read:
            return
        self.entry_points_read = True
        for point in entry_points(group=self._group):
            try:
                self.register(point.load())
            except Exception as error:
                package = f"the package '{point.dist.name}'" if point.dist is not None else "an installed package"
                why = _in_one_line(error)
                print(
                    f"randori: The {self._what} '{point.name}' of {package} cannot be loaded: {why}.", file=sys.stderr
                )


def read_entry_points() -> None:
    """Of every group: a method that a package brings has players of its own."""
    # What is read may import a room, whose registry is new.
    while unread := [it for it in _REGISTRIES.values() if not it.entry_points_read]:
        for registry in unread:
            registry.read_entry_points()


def n_changes() -> int:
    """How often anything was registered by others."""
    return sum(it.n_changes for it in _REGISTRIES.values())


def load(place: Any) -> Any:
    """What `module:name` means; anything but a text is itself. Rooms are imported when somebody asks for them."""
    if not isinstance(place, str):
        return place
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


plugins: list[Path] = []
"""The files that were loaded as plugins, for processes that are started beside this one."""


def load_plugin(file: str) -> None:
    """Runs a Python file that registers games, players or methods."""
    path = Path(file)
    if not path.is_file():
        raise UserError(f"There is no plugin '{file}'; give the path of a Python file.")
    name = _module_name(path)
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"The plugin '{file}' is not a Python file; its name must end in .py.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"The plugin '{file}' cannot be loaded: {_in_one_line(error, path)}.") from error
    # Workers cannot import it by its name: what it defines travels whole.
    cloudpickle.register_pickle_by_value(module)
    if path.absolute() not in plugins:
        plugins.append(path.absolute())


def _module_name(plugin: Path) -> str:
    return f"randori_plugin_{plugin.stem}"


def _in_one_line(error: BaseException, file: Path | None = None) -> str:
    """What went wrong, and in which line of a file."""
    message = " ".join(str(error).split()).removesuffix(".")
    if isinstance(error, UserError):
        return message
    here = None if file is None else str(file.absolute())
    lines = [it.lineno for it in extract_tb(error.__traceback__) if it.filename == here]
    what = type(error).__name__ + (f" in line {lines[-1]}" if lines else "")
    return f"{what}: {message}" if message else what


_PACKERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {}


def travels_as(group: str, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
    """Sets how the things of a group are packed for another process, where they are more than plain values."""
    _PACKERS[group] = pack, unpack


@lru_cache(maxsize=1)
def _packed_after(_n_changes: int) -> bytes | None:
    found = [
        (group, name, _PACKERS[group][0](thing) if group in _PACKERS else thing)
        for group, registry in _REGISTRIES.items()
        for name, thing in registry.foreign().items()
    ]
    return cloudpickle.dumps(([_module_name(it) for it in plugins], cloudpickle.dumps(found))) if found else None


def shipped() -> bytes | None:
    """What others have registered here, for `adopt` in another process; None where there is nothing."""
    return _packed_after(n_changes())


@lru_cache(maxsize=1)
def adopt(things: bytes | None) -> None:
    """Registers what `shipped` packed. If it is the same as last time, nothing happens, since rules would be compiled again."""
    if things is None:
        return
    modules, packed = cloudpickle.loads(things)
    for name in modules:
        # Kept kernels name the module that they were compiled in, and numba wants to import it.
        sys.modules.setdefault(name, ModuleType(name))
    for group, name, thing in cloudpickle.loads(packed):
        import_module(group)
        _REGISTRIES[group].add(name, _PACKERS[group][1](thing) if group in _PACKERS else thing)
