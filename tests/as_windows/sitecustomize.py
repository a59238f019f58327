"""Makes the package believe that it runs on Windows, in every Python process with this folder in its PYTHONPATH.

Only what our own modules import is changed: other packages are on Linux and go on as there. What Windows lacks is
missing or refused, and what it has instead stands in, made from what this system has.
"""

import builtins
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from errno import EACCES
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

ABSENT = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
HIDDEN = {
    "os": "fork forkpty killpg setsid setpgid getpgid getpgrp getsid getuid geteuid getgid getegid getgroups nice uname "
    "sched_getaffinity sched_setaffinity sysconf mkfifo mknod pipe2 posix_spawn posix_spawnp getloadavg fchmod fchown chown "
    "wait wait3 wait4 waitid WNOHANG ctermid statvfs O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK sync openpty login_tty",
    "signal": "SIGKILL SIGHUP SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE SIGSTOP SIGCONT SIGTSTP alarm pause "
    "pthread_kill pthread_sigmask setitimer siginterrupt sigwait sigpending sigtimedwait sigwaitinfo",
    "select": "poll epoll kqueue",
    "socket": "AF_UNIX SO_REUSEPORT",
}
NEW_GROUP = 0x200
LIMITS_BYTES = 144
"""Of JOBOBJECT_EXTENDED_LIMIT_INFORMATION where pointers have 64 bits."""
KILL_ON_JOB_CLOSE = 0x2000


class Seen(ModuleType):
    """A module as our own see it."""

    def __init__(self, real: ModuleType, given: Mapping[str, Any]) -> None:
        super().__init__(real.__name__)
        self.__dict__.update(_real=real, _hidden=set(HIDDEN.get(real.__name__, "").split()), _given=given)

    def __getattr__(self, name: str) -> Any:
        if name in self._hidden:
            raise AttributeError(f"module '{self.__name__}' of Windows has no '{name}'")
        return self._given[name] if name in self._given else getattr(self._real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._real, name, value)


class Popen(subprocess.Popen):  # type: ignore[type-arg]
    """Splits a command line as Windows programs do themselves, and refuses what Windows cannot do."""

    def __init__(self, args: Any, *others: Any, creationflags: int = 0, **options: Any) -> None:
        refused = {"pass_fds", "preexec_fn", "process_group", "start_new_session", "user", "group", "umask"} & {
            *options
        }
        assert not refused, f"Windows has no {refused}"
        words = shlex.split(args) if isinstance(args, str) else list(args)
        assert not words[0].startswith("/bin/"), f"Windows has no {words[0]}"
        super().__init__(words, *others, process_group=0 if creationflags & NEW_GROUP else None, **options)
        self._handle = self.pid


def _open(path: Any, *others: Any, **options: Any) -> int:
    if Path(path).is_dir():
        raise PermissionError(EACCES, "Permission denied", str(path))
    return os.open(path, *others, **options)


def _kill(pid: int, number: int) -> None:
    """On Windows every signal to a process ends it at once."""
    os.kill(pid, signal.SIGKILL)


def _locking(descriptor: int, mode: int, n_bytes: int) -> None:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(EACCES, "Permission denied") from None


def _windows_library(name: str, use_last_error: bool = False) -> SimpleNamespace:
    """The functions of kernel32 about jobs; here a job is a list of process groups."""
    jobs: dict[int, list[int]] = {}

    def create(attributes: None, name: None) -> int:
        jobs[len(jobs) + 1] = []
        return len(jobs)

    def inform(job: int, kind: int, limits: Any, n_bytes: int) -> int:
        assert (kind, n_bytes, limits._obj.flags) == (9, LIMITS_BYTES, KILL_ON_JOB_CLOSE)
        assert type(limits._obj).flags.offset == 16
        return 1

    def assign(job: int, process: int) -> int:
        jobs[job].append(process)
        return 1

    def terminate(job: int, status: int) -> int:
        for group in jobs[job]:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        return 1

    def close(handle: int) -> int:
        return 1

    assert name == "kernel32"
    return SimpleNamespace(
        CreateJobObjectW=create,
        SetInformationJobObject=inform,
        AssignProcessToJobObject=assign,
        TerminateJobObject=terminate,
        CloseHandle=close,
    )


def _msvcrt() -> ModuleType:
    made = ModuleType("msvcrt")
    made.__dict__.update(locking=_locking, LK_NBLCK=2)
    return made


GIVEN: dict[str, dict[str, Any]] = {
    "sys": {"platform": "win32"},
    "os": {"name": "nt", "open": _open, "kill": _kill},
    "signal": {"SIGBREAK": 21, "CTRL_C_EVENT": 0, "CTRL_BREAK_EVENT": 1},
    "select": {},
    "subprocess": {"CREATE_NEW_PROCESS_GROUP": NEW_GROUP, "Popen": Popen},
    "socket": {"SO_EXCLUSIVEADDRUSE": 2},  # the number of SO_REUSEADDR here
    "ctypes": {"WinDLL": _windows_library},
}
STAND_INS = {"msvcrt": _msvcrt()}


def _is_ours(importer: Mapping[str, Any]) -> bool:
    """`worker_life` is run as a script; everything else of ours is known by its package."""
    package = str(importer.get("__package__") or importer.get("__name__") or "")
    is_worker = Path(str(importer.get("__file__"))).name == "worker_life.py"
    return package.partition(".")[0] == "randori" or is_worker


def _import(
    real: Any, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> ModuleType:
    if level or not globals or not _is_ours(globals):
        found: ModuleType = real(name, globals, locals, fromlist, level)
        return found
    if name in ABSENT:
        raise ModuleNotFoundError(f"No module named '{name}' on Windows", name=name)
    if name in STAND_INS:
        return STAND_INS[name]
    found = real(name, globals, locals, fromlist, level)
    return SEEN[found.__name__](found) if found.__name__ in SEEN else found


SEEN = {name: partial(Seen, given=given) for name, given in GIVEN.items()}
builtins.__import__ = partial(_import, builtins.__import__)
assert not any(it.partition(".")[0] == "randori" for it in sys.modules), "too late"
