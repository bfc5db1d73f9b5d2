"""Who is stopped (SIGSTOP, Ctrl-Z) while it holds SQLite's write lock is killed: it would block every writer for ever.

PostgreSQL ends such a session by itself. Nobody can take a lock on a file from its holder, but the kernel gives it up
with the process. That is harmless: the transaction rolls back, and a task in hand is taken back and goes on.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
# As PostgreSQL's idle_in_transaction_session_timeout. Looks are counted instead of seconds: who was stopped itself
# meanwhile must not take the others' time for longer than it was.
LOOKS = 10
PROC = Path("/proc")

_started = threading.Lock()


def watch_locks() -> None:
    """Watch from a thread of its own until the process ends; where the database is no file of SQLite: nothing to do."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or not Path(name).is_absolute() or not (PROC / "locks").exists():
        return
    if _started.acquire(blocking=False):
        threading.Thread(target=_watch, args=(LockWatch(Path(name)),), name="locks", daemon=True).start()


def _watch(watch: "LockWatch") -> None:
    while True:
        time.sleep(LOOK_SECONDS)
        try:
            watch.look()
        except Exception:
            logger.exception("could not look who holds the database's lock")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process. `birth`: in ticks since the machine started; ids come again."""

    pid: int
    birth: int


class LockWatch:
    """Counts for how many looks in a row somebody was stopped with the lock."""

    def __init__(self, database: Path, *, looks: int = LOOKS) -> None:
        # The write lock of WAL is on the shared memory's file; on the database itself is that of a checkpoint at the
        # end, and of other journal modes.
        self._files = (database.with_name(f"{database.name}-shm"), database)
        self._looks = looks
        self._seen: dict[Holder, int] = {}

    def look(self) -> None:
        frozen = [holder for pid in self._writers() if (holder := _frozen(pid))]
        self._seen = {holder: self._seen.get(holder, 0) + 1 for holder in frozen}
        for holder, looks in self._seen.items():
            if looks > self._looks:
                _kill(holder)

    def _writers(self) -> set[int]:
        # Nothing here opens the files: closing one again would give up the locks that this process has on it.
        inodes = {file.stat().st_ino: file for file in self._files if file.exists()}
        found = {(pid, inodes[inode]) for pid, inode in write_locks() if inode in inodes}
        # An inode's number is unique on its device only, and /proc names another device for some file systems.
        return {pid for pid, file in found if _has_open(pid, file)}


def write_locks() -> Iterator[tuple[int, int]]:
    """Process and inode of each exclusive lock that is held on a file, as far as this process may know."""
    for line in (PROC / "locks").read_text().splitlines():
        # 1: POSIX  ADVISORY  WRITE 4711 08:01:131 120 120; one that waits has an arrow after its number.
        words = line.split()
        if words[1] == "POSIX" and words[3] == "WRITE" and int(words[4]) > 0:
            yield int(words[4]), int(words[5].rpartition(":")[2])


def _has_open(pid: int, file: Path) -> bool:
    with suppress(OSError):
        return any(opened.samefile(file) for opened in (PROC / str(pid) / "fd").iterdir())
    return False


def _frozen(pid: int) -> Holder | None:
    """The process, if it is ours and stopped. One that a debugger holds is not."""
    try:
        if (PROC / str(pid)).stat().st_uid != os.geteuid():
            return None
        # 4711 (its name) T ...: the name may hold anything.
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return Holder(pid, int(fields[19])) if fields[0] == "T" else None


def _kill(holder: Holder) -> None:
    if sys.platform != "linux":
        return
    try:
        handle = os.pidfd_open(holder.pid)
    except OSError:
        return
    try:
        # Asked again with the process in hand: its id may be another's by now.
        if _frozen(holder.pid) != holder:
            return
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        logger.error(
            "killed process %d: it was stopped for %d s with the database's write lock, and blocked every writer",
            holder.pid,
            LOOKS * LOOK_SECONDS,
        )
    except ProcessLookupError:
        # Somebody was faster.
        return
    finally:
        os.close(handle)
