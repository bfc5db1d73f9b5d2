"""Files appear by rename: whoever can see a file sees all of it."""

import os
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage


class RenamingStorage(FileSystemStorage):
    def _save(self, name: str, content: Any) -> str:
        # Beside its final place, so that the rename stays on one file system; hidden names are never listed.
        final = Path(self.path(name))
        draft = super()._save(str(Path(name).with_name(f".{final.name}.{os.getpid()}.part")), content)  # type: ignore[misc]
        final.parent.mkdir(parents=True, exist_ok=True)
        Path(self.path(draft)).replace(final)
        return name
