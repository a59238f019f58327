"""A program with all that it starts: they end together, and with this process, whatever ends that."""

import subprocess
import sys
from typing import Any

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _KILL_ON_JOB_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION: its basic limits, counts of input and output, and of memory."""

        _fields_ = (
            ("process_time", ctypes.c_int64),
            ("job_time", ctypes.c_int64),
            ("flags", ctypes.c_uint32),
            ("least_memory", ctypes.c_size_t),
            ("most_memory", ctypes.c_size_t),
            ("processes", ctypes.c_uint32),
            ("affinity", ctypes.c_size_t),
            ("priority", ctypes.c_uint32),
            ("scheduling", ctypes.c_uint32),
            ("transfers", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        )

    def _kernel32() -> Any:
        """Handles are pointers; by default ctypes would treat them as 32-bit numbers."""
        library = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = wintypes.HANDLE
        library.CreateJobObjectW.restype = handle
        library.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
        library.SetInformationJobObject.argtypes = (handle, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
        library.AssignProcessToJobObject.argtypes = (handle, handle)
        library.TerminateJobObject.argtypes = (handle, wintypes.UINT)
        library.CloseHandle.argtypes = (handle,)
        return library

    class Group:
        """A job: when its last handle is closed, as at our end, the system ends all that is in it."""

        def __init__(self) -> None:
            self._system = _kernel32()
            self._job = self._system.CreateJobObjectW(None, None)
            limits = _Limits(flags=_KILL_ON_JOB_CLOSE)
            self._system.SetInformationJobObject(
                self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )

        def options(self) -> dict[str, Any]:
            """For `Popen`, so that the program is in the group."""
            return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

        def add(self, process: "subprocess.Popen[bytes]") -> None:
            self._system.AssignProcessToJobObject(self._job, int(process._handle))  # type: ignore[attr-defined]

        def end(self) -> None:
            """Kills all of them."""
            self._system.TerminateJobObject(self._job, 1)
            self._system.CloseHandle(self._job)

else:
    import os
    import signal
    from contextlib import suppress

    # Its input ends when we end, in whatever way; then everything in its process group ends, itself included.
    _WATCH = "read _; kill -9 0"

    class Group:
        """A process group; a shell that watches over us is its first member, before there is a program."""

        def __init__(self) -> None:
            none = subprocess.DEVNULL
            self._watcher = subprocess.Popen(
                ["/bin/sh", "-c", _WATCH], stdin=subprocess.PIPE, stdout=none, stderr=none, process_group=0
            )

        def options(self) -> dict[str, Any]:
            """For `Popen`, so that the program is in the group."""
            return {"process_group": self._watcher.pid}

        def add(self, process: "subprocess.Popen[bytes]") -> None:
            """It has been in there since its first moment."""

        def end(self) -> None:
            """Kills all of them. The group's number stays taken until here, where its first member is waited for."""
            assert self._watcher.stdin is not None
            with suppress(OSError):
                os.killpg(self._watcher.pid, signal.SIGKILL)
            self._watcher.stdin.close()
            self._watcher.wait()
