"""`randori completion`: scripts with which shells complete the whole command."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional, arg

from randori import games, methods
from randori.app.cli import COMMANDS, load_command
from randori.app.commands.reproduce import reproduce
from randori.app.commands.train import flags_for
from randori.app.parsing import Flag, flags_of
from randori.app.plugins import FLAG as PLUGIN
from randori.errors import UserError
from randori.experiments import papers
from randori.players.files import ZOO
from randori.players.kinds import REGISTRY

Shell = Literal["bash", "zsh", "fish"]


def completion(shell: Annotated[Positional[Shell], arg(metavar="bash|zsh|fish")]) -> None:
    """Prints a script that completes commands, flags and names in a shell.

    Args:
        shell: The shell. To try it in a running bash: `source <(randori completion bash)`.
    """
    listed = [*_completions()]
    print(_fish(listed) if shell == "fish" else _bash(listed) if shell == "bash" else _zsh(listed))


@dataclass(frozen=True)
class Completion:
    """What can follow a command, or a command and the name of a learner."""

    words: tuple[str, ...]
    flags: Mapping[str, tuple[str, ...] | None]
    """Each with the values that it can have, none for a file or a number; None if it takes no value."""
    names: tuple[str, ...]
    """What can stand without a flag."""


def _completions() -> Iterator[Completion]:
    for name in COMMANDS:
        if name == "train":
            yield Completion((name,), {}, tuple(methods.all_methods()))
            yield from _of_learners()
        elif name == "reproduce":
            known = (it.paper for it in papers.papers().values())
            yield _completion((name,), flags_of(reproduce, FlagCreatePairsOff), [it.name for it in known if it])
        else:
            yield _completion((name,), flags_of(load_command(name), FlagCreatePairsOff))


def _of_learners() -> Iterator[Completion]:
    for learner in methods.all_methods():
        try:
            wanted, markers, default = flags_for(learner, "default")
        except UserError:
            continue  # its settings cannot be known before what it needs is installed
        presets = tuple(methods.load(learner).presets)
        found = _completion(("train", learner), flags_of(wanted, *markers, default=default))
        yield Completion(found.words, {**found.flags, "--preset": presets}, ())


def _completion(words: tuple[str, ...], flags: list[Flag], names: list[str] | None = None) -> Completion:
    named = {name: None if it.is_switch else _values(it) for it in flags for name in it.names}
    standing = [value for it in flags if not it.names for value in _values(it)]
    return Completion(words, {**named, PLUGIN: ()}, tuple(dict.fromkeys(names or standing)))


def _values(flag: Flag) -> tuple[str, ...]:
    """What it can be, as far as that can be listed."""
    if flag.choices:
        return flag.choices
    if flag.metavar.startswith("GAME"):
        return tuple(games.names())
    if flag.metavar.startswith("PLAYER"):
        zoo = sorted(f"zoo/{path.stem}" for path in ZOO.glob("*.safetensors"))
        return (*REGISTRY.all(), *zoo)
    return ()


# Of bash and of zsh: they differ in how they say what stands before the cursor and what may follow.
_BODY = """\
    [[ $key == train && $n -gt 2 ]] && key="train $second"
    case "$key $before" in
{values}
    esac
    case "$key $word" in
{flags}
    esac
    case "$key" in
{names}
    esac
"""


def _body(listed: list[Completion]) -> str:
    values = [
        _case(f"{' '.join(it.words)} {flag}", choices)
        for it in listed
        for flag, choices in it.flags.items()
        if choices is not None
    ]
    flags = [_case(f"{' '.join(it.words)} -", it.flags, rest="*") for it in listed]
    names = [_case(" ".join(it.words), it.names) for it in listed]
    return _BODY.format(values="\n".join(values), flags="\n".join(flags), names="\n".join(names))


def _case(pattern: str, words: Mapping[str, object] | tuple[str, ...], rest: str = "") -> str:
    return f"    {shlex.quote(pattern)}{rest}) _randori_offer {' '.join(map(shlex.quote, words))}; return;;"


def _bash(listed: list[Completion]) -> str:
    """Where nothing is offered, bash completes the names of files."""
    return f"""\
# Completes `randori` in bash; written by `randori completion bash`.
_randori_offer() {{
    COMPREPLY=($(compgen -W "$*" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
_randori() {{
    local n=$COMP_CWORD word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local key=${{COMP_WORDS[1]}} second=${{COMP_WORDS[2]}}
    if ((n == 1)); then _randori_offer {" ".join(COMMANDS)} --help --version; return; fi
{_body(listed)}}}
complete -o default -F _randori randori"""


def _zsh(listed: list[Completion]) -> str:
    return f"""\
#compdef randori
# Completes `randori` in zsh; written by `randori completion zsh`.
_randori_offer() {{
    if (($#)); then compadd -- "$@"; else _files; fi
}}
_randori() {{
    local n=$((CURRENT - 1)) word=${{words[CURRENT]}} before=${{words[CURRENT - 1]}}
    local key=${{words[2]}} second=${{words[3]}}
    if ((n == 1)); then _randori_offer {" ".join(COMMANDS)} --help --version; return; fi
{_body(listed)}    _files
}}
if [[ $funcstack[1] == _randori ]]; then _randori "$@"; else compdef _randori randori; fi"""


def _fish(listed: list[Completion]) -> str:
    lines = ["# Completes `randori` in fish; written by `randori completion fish`."]
    for name, (_, summary) in COMMANDS.items():
        lines.append(f"complete -c randori -n __fish_use_subcommand -f -a {name} -d {_quoted(summary)}")
    for it in listed:
        condition = _quoted("; and ".join(f"__fish_seen_subcommand_from {word}" for word in it.words))
        if it.names:
            lines.append(f"complete -c randori -n {condition} -f -a {_quoted(' '.join(it.names))}")
        for flag, values in it.flags.items():
            takes = "" if values is None else f" -x -a {_quoted(' '.join(values))}" if values else " -r"
            spelt = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
            lines.append(f"complete -c randori -n {condition} {spelt}{takes}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """Fish, unlike the others, knows a backslash between single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
