"""Registries: what is known by a name, whether it comes with the package, with another one, or from a script.

A thing that somebody registers travels to worker processes with the tasks, so that its name means the same there.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Generic, TypeVar

import cloudpickle

from randori.errors import UserError, suggest

__all__ = ["Registry", "adopt", "load", "load_plugin", "plugins", "shipped"]

Thing = TypeVar("Thing")

_REGISTRIES: dict[str, "Registry[Any]"] = {}


class Registry(Generic[Thing]):
    """Things by name: those of the package first, in their order, then those of others."""

    def __init__(self, what: str, group: str, take: Callable[[Any], Iterable[tuple[str, Thing]]]) -> None:
        """`what` is the word for errors; `group` names the entry points by which installed packages add theirs; `take`
        tells the names and things in what somebody hands over.
        """
        self._what, self._group, self._take = what, group, take
        self._own: dict[str, Thing] = {}
        self._foreign: dict[str, Thing] = {}
        self._entry_points_read = False
        self._watchers: list[Callable[[Thing], None]] = []
        _REGISTRIES[group] = self

    def add_own(self, things: Mapping[str, Thing]) -> None:
        """What comes with the package."""
        self._own |= things

    def register(self, handed: Any) -> None:
        """What somebody else hands over. The same name again replaces it: a notebook's cell is run more than once."""
        for name, thing in self._take(handed):
            self.add(name, thing)

    def add(self, name: str, thing: Thing) -> None:
        if name in self._own:
            raise UserError(f"There is a {self._what} '{name}' in the package already; choose another name.")
        self._foreign[name] = thing
        for told in self._watchers:
            told(thing)

    def watch(self, told: Callable[[Thing], None]) -> None:
        """Tells of everything that is known now, and of what is registered from now on."""
        for thing in self.all().values():
            told(thing)
        self._watchers.append(told)

    def all(self) -> dict[str, Thing]:
        self._read_entry_points()
        return self._own | self._foreign

    def find(self, name: str) -> Thing:
        """Raises UserError for an unknown name."""
        if name in self._own:
            return self._own[name]
        known = self.all()
        if name not in known:
            raise UserError(f"There is no {self._what} '{name}'.{suggest(name, known)}")
        return known[name]

    def foreign(self) -> dict[str, Thing]:
        """What was registered in this process or read from entry points."""
        return dict(self._foreign)

    def _read_entry_points(self) -> None:
        """Once, when first needed. A package that cannot be loaded is named and left out; nothing else suffers."""
        if self._entry_points_read:
            return
        self._entry_points_read = True
        for point in entry_points(group=self._group):
            try:
                self.register(point.load())
            except Exception as error:
                print(
                    f"randori: the {self._what} '{point.name}' of an installed package cannot be loaded ({error}).",
                    file=sys.stderr,
                )


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
    name = f"randori_plugin_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"The plugin '{file}' is no Python file; its name ends with .py.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"The plugin '{file}' cannot be loaded: {type(error).__name__}: {error}.") from error
    # Workers cannot import it by its name: what it defines travels whole.
    cloudpickle.register_pickle_by_value(module)
    plugins.append(path.absolute())


_PACKERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {}


def travels_as(group: str, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
    """How the things of a group are packed for the way to another process, where they are more than plain values."""
    _PACKERS[group] = pack, unpack


def shipped() -> bytes | None:
    """What others have registered here, for `adopt` in another process; None where there is nothing."""
    found = [
        (group, name, _PACKERS[group][0](thing) if group in _PACKERS else thing)
        for group, registry in _REGISTRIES.items()
        for name, thing in registry.foreign().items()
    ]
    return cloudpickle.dumps(found) if found else None


def adopt(things: bytes | None) -> None:
    """Registers what `shipped` packed."""
    packed: Iterable[tuple[str, str, Any]] = cloudpickle.loads(things) if things is not None else ()
    for group, name, thing in packed:
        _REGISTRIES[group].add(name, _PACKERS[group][1](thing) if group in _PACKERS else thing)
