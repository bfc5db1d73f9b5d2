"""Ties a child, and all that it starts, to the life of its worker.

Two ways, because neither is enough. The kernel kills the child at once when its parent dies, even while C code holds
the GIL, but only on Linux and only the child. A small helper in the child's process group waits for the end of a pipe
whose other end only the worker holds, and kills the group: the programs that a kind started too, and anywhere.
"""

import ctypes
import os
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1
HELPER = "read _; kill -s KILL 0"


def end_with_parent(parent: int) -> None:
    """Hazard: the kernel follows the parent's *thread* that started us: it must be its main thread."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)


def guard_group(pipe: int) -> None:
    """Start the helper. `pipe`: read end of the pipe; nothing else may inherit it."""
    quiet = subprocess.DEVNULL
    subprocess.Popen(["/bin/sh", "-c", HELPER], stdin=pipe, stdout=quiet, stderr=quiet)  # noqa: S603
    os.close(pipe)
