"""Files appear by rename: whoever can see a file sees all of it, also after a loss of power."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.files.storage import FileSystemStorage, default_storage

# Of the store: on its own file system, so that a rename is enough. Drafts are named HOST.PID.UNIQUE.
DRAFTS = ".drafts"


class RenamingStorage(FileSystemStorage):
    def _save(self, name: str, content: Any) -> str:
        wanted = f"{DRAFTS}/{socket.gethostname()}.{os.getpid()}.{uuid4().hex}"
        draft, final = Path(self.path(wanted)), Path(self.path(name))
        try:
            super()._save(wanted, content)  # type: ignore[misc]
            # To the disk before the row that names it is: a committed row must never name an empty file.
            _flush(draft)
            final.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.replace(final)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        _flush(final.parent)
        return name


def remove_drafts_of(pid: int) -> None:
    """What a process of this machine was writing when it was killed."""
    for draft, writer in _drafts():
        if writer == pid:
            draft.unlink(missing_ok=True)


def sweep_drafts() -> int:
    """Remove the drafts of this machine's processes that are gone; returns how many."""
    left = [draft for draft, writer in _drafts() if not _is_alive(writer)]
    for draft in left:
        draft.unlink(missing_ok=True)
    return len(left)


def _drafts() -> Iterator[tuple[Path, int]]:
    """Those that were begun on this machine, and by whom."""
    folder = Path(default_storage.path(DRAFTS))
    with suppress(FileNotFoundError):
        for draft in folder.iterdir():
            host, pid, _unique = draft.name.rsplit(".", 2)
            if host == socket.gethostname():
                yield draft, int(pid)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
