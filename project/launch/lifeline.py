"""Ties a process to its parent: when the parent ends, in whatever way, so does the process.

By prctl, which Linux has. Elsewhere a launcher that is killed with SIGKILL leaves its processes, and only that way.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
# Loaded before any fork: loading between fork and exec can deadlock.
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def end_with_parent(parent: int, number: signal.Signals) -> None:
    """Be sent `number` when the parent, process `parent`, ends. Ends at once if it already has.

    Hazard: the kernel follows the *thread* that forked, so the parent must have forked from its main thread.
    """
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, int(number))
    if os.getppid() != parent:
        os._exit(1)
