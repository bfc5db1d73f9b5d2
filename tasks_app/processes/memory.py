import os

import psutil  # type: ignore[import-untyped]


def group_bytes(group: int) -> int:
    """Resident set of all processes of a process group; those that end meanwhile count nothing."""
    return sum(_resident(pid) for pid in psutil.pids() if _group_of(pid) == group)


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except (ProcessLookupError, PermissionError):
        return None


def _resident(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
