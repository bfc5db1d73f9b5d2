"""Files of an attempt: its work folder, and the document it works on."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage

from tasks_app.exceptions import InvalidInput
from tasks_app.models import AttemptRef, Document


def work_folder(ref: AttemptRef) -> Path:
    """Where this attempt may write; it is gone after the attempt's end, whatever the end."""
    return Path(settings.VAR_DIR) / "work" / f"{ref.task_id}-{ref.number}"


def remove_work_folder(ref: AttemptRef) -> None:
    shutil.rmtree(work_folder(ref), ignore_errors=True)


@contextmanager
def workspace(ref: AttemptRef) -> Iterator[Path]:
    """Where the work folder will be: who needs it makes it."""
    folder = work_folder(ref)
    for number in range(1, ref.number):
        # Of an attempt whose worker was killed: it owns the task no more, and can save nothing.
        remove_work_folder(AttemptRef(ref.task_id, number))
    try:
        yield folder
    finally:
        remove_work_folder(ref)


class SourceDocument:
    """The document of a task, as its kind sees it."""

    def __init__(self, document: Document, folder: Path) -> None:
        self.name = document.name
        self.media_type = document.media_type
        self.sha256 = document.sha256
        self._stored = str(document.file.name)
        self._folder = folder

    @property
    def step_key(self) -> list[str]:
        return [self.sha256, self.media_type]

    def local_path(self) -> Path:
        """A copy in the work folder. Raises InvalidInput where the file is gone from the store."""
        path = self._folder / "document"
        try:
            with default_storage.open(self._stored) as source, path.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        except FileNotFoundError:
            raise InvalidInput(f"The source file “{self.name}” is missing from the store.", field="file") from None
        return path
