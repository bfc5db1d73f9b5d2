"""What a child holds in memory, with all that it started.

Both kinds of measure agree where a child is alone. A child in a control group of its own is measured by the kernel,
shared memory and its own files in memory included; else the resident sets of its session's processes are added up.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from .cgroup import ROOT, Cgroup, cgroup_of, own_cgroup

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class MemoryLimit:
    """Of one child."""

    def __init__(self, limit_bytes: int, *, root: Path = ROOT) -> None:
        self.limit_bytes = limit_bytes
        self._root = root

    def exceeded(self, pid: int) -> int | None:
        """The bytes that the child holds with all that it started, where they are above the limit."""
        held = self._held_bytes(pid)
        return held if held > self.limit_bytes else None

    def _held_bytes(self, pid: int) -> int:
        if (told := _kernels_bytes(pid, root=self._root)) is not None:
            return told
        held = session_bytes(pid)
        # What its processes share was counted for each of them: look closely before anybody is killed.
        return held if held <= self.limit_bytes else shared_once_bytes(pid)


def held_bytes(pid: int) -> int:
    """What the child holds with all that it started."""
    told = _kernels_bytes(pid)
    return session_bytes(pid) if told is None else told


def _kernels_bytes(pid: int, *, root: Path = ROOT) -> int | None:
    """Of the child's control group; None where it has none of its own."""
    cgroup = child_cgroup(pid, root=root)
    return cgroup.held_bytes() if cgroup else None


def child_cgroup(pid: int, *, root: Path = ROOT) -> Cgroup | None:
    """The child's control group where it is not the worker's too, and nobody else is in it."""
    cgroup = cgroup_of(pid, root=root)
    if cgroup is None or cgroup == own_cgroup(root):
        return None
    pids = cgroup.pids()
    is_alone = pid in pids and all(_session_of(member) in {pid, None} for member in pids)
    return cgroup if is_alone else None


def session_bytes(session: int) -> int:
    """Resident sets of all processes of a session; those that end meanwhile count nothing."""
    return sum(resident_bytes(pid) for pid in members(session))


def shared_once_bytes(session: int) -> int:
    """As `session_bytes`, a page that n processes share counted as one nth for each. Slow: 10 ms for a GB."""
    return sum(_proportional_bytes(pid) for pid in members(session))


def members(session: int) -> Iterator[int]:
    """The processes of a session: the child leads one, with the process group that is killed with it."""
    return (pid for pid in psutil.pids() if _session_of(pid) == session)


def resident_bytes(pid: int) -> int:
    """Of one process; 0 when it has ended."""
    try:
        if sys.platform == "linux":
            # A third of what psutil takes, which looks at more.
            with open(f"/proc/{pid}/statm", "rb") as pages:  # noqa: PTH123
                return int(pages.read().split()[1]) * PAGE_BYTES
        return int(psutil.Process(pid).memory_info().rss)
    except (psutil.Error, OSError):
        return 0


def _proportional_bytes(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_full_info().pss)
    except (psutil.Error, AttributeError):
        # Only Linux tells, and not of everybody's processes.
        return resident_bytes(pid)


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        # It has ended meanwhile.
        return None
