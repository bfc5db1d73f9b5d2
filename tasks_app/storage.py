"""Files appear by rename: whoever can see a file sees all of it, also after a loss of power."""

import os
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage


class RenamingStorage(FileSystemStorage):
    def _save(self, name: str, content: Any) -> str:
        # Beside its final place, so that the rename stays on one file system; hidden names are never listed.
        final = Path(self.path(name))
        draft = super()._save(str(Path(name).with_name(f".{final.name}.{os.getpid()}.part")), content)  # type: ignore[misc]
        # To the disk before the row that names it is: a committed row must never name an empty file.
        _flush(Path(self.path(draft)))
        Path(self.path(draft)).replace(final)
        _flush(final.parent)
        return name


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
