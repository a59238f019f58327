"""Turns the words of a command line into values; help reads well in 80 columns."""

import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from typing import Any, NamedTuple, TextIO, cast

import tyro
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from randori.app.plugins import HELP

_MOST_COLUMNS = 80  # of the boxes that flags stand in
_REGISTRY = ConstructorRegistry()


@_REGISTRY.primitive_rule
def _nothing(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[None] | None:
    """A value that is not given is called "none" in help."""
    if info.type is not type(None):
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="none",
        instance_from_str=lambda words: None,
        is_instance=lambda value: value is None,
        str_from_instance=lambda value: ["none"],
        choices=("none",),
    )


@_REGISTRY.primitive_rule
def _text(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[str] | None:
    if info.type is not str:
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="TEXT",
        instance_from_str=lambda words: words[0],
        is_instance=lambda value: isinstance(value, str),
        str_from_instance=lambda value: [value],
    )


def parse(to: Callable[..., Any], prog: str, about: str, words: list[str], *markers: Any, default: Any = None) -> Any:
    """What `to` returns for the values that the words give its parameters; --help and bad use end the program."""
    helps = bool({"-h", "--help"} & {*words})
    with redirect_stdout(cast(TextIO, _Narrow(sys.stdout))) if helps else nullcontext():
        return tyro.cli(
            to,
            prog=prog,
            description=f"{about}\n\n{HELP}",
            args=words,
            config=(tyro.conf.DisallowNone, *markers),
            registry=_REGISTRY,
            **({} if default is None else {"default": default}),
        )


class Flag(NamedTuple):
    """A parameter as the command line has it; one without names is positional."""

    names: tuple[str, ...]
    metavar: str
    choices: tuple[str, ...]
    is_switch: bool


def flags_of(to: Callable[..., Any], *markers: Any, default: Any = None) -> list[Flag]:
    """All that `parse` would understand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # tyro knows no other way to its flags
        parser = tyro.extras.get_parser(
            to,
            config=(tyro.conf.DisallowNone, *markers),
            registry=_REGISTRY,
            **({} if default is None else {"default": default}),
        )
    return [
        Flag(tuple(it.option_strings), str(it.metavar or ""), tuple(map(str, it.choices or ())), it.nargs == 0)
        for it in parser._actions
    ]


def wrapped(text: str) -> str:
    """The text in lines that fit the terminal; an entry of a list is continued below its words."""
    return "\n".join(_wrapped_line(it) for it in text.split("\n"))


def _wrapped_line(line: str) -> str:
    entry = re.match(r" +\S+ +(?=\S)", line)
    margin = len(entry[0]) if entry else 4 if "usage:" in line else 0
    width = min(shutil.get_terminal_size().columns, _MOST_COLUMNS)
    return textwrap.fill(line, width, subsequent_indent=margin * " ", break_long_words=False, break_on_hyphens=False)


class _Narrow:
    """Standard output for help: text outside tyro's boxes is wrapped too."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write("\n".join(it if "│" in it else _wrapped_line(it) for it in text.split("\n")))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
