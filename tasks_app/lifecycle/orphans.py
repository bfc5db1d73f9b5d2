"""Documents that no task needs, and stored files that no row names: walks, as those of `prune`."""

import logging
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Exists, OuterRef

from tasks_app.models import Document, StepResult, Task
from tasks_app.models.document import DocumentQuerySet
from tasks_app.storage import DRAFTS

from .clock import database_now
from .retention import Chunk, ago

# What is younger may be on its way to its row.
AGE_DAYS = 1
ROWS_AT_ONCE = 1000
# For each chunk the whole store is listed: with few of them at once, a million would take hours.
FOLDERS_AT_ONCE, FILES_AT_ONCE = 2000, 10_000
RESULTS, DOCUMENTS = "results", "documents"
UUID_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

logger = logging.getLogger(__name__)


def prune_documents(after: str) -> Chunk:
    """Remove documents that were uploaded more than a day ago and that no task needs any more."""
    old = Document.objects.filter(created_at__lte=ago(AGE_DAYS)).order_by("pk")
    seen = list(_behind(old, after).values_list("pk", flat=True)[:ROWS_AT_ONCE])
    if not seen:
        return Chunk(0, None)
    with transaction.atomic():
        # Under the lock no further task can name it; one that did so just before is seen by the second look.
        free = Document.objects.filter(~_is_needed(), pk__in=seen)
        locked = list(free.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True))
        doomed = dict(free.filter(pk__in=locked).values_list("pk", "file"))
        Document.objects.filter(pk__in=doomed).delete()
    remove_files(doomed.values())
    return Chunk(len(doomed), str(seen[-1]))


def prune_result_files(after: str) -> Chunk:
    """Remove results that no row names: of tasks that are gone, of steps that are, of attempts that were lost."""
    folders = [name for name in _listed(RESULTS)[0] if name > after][:FOLDERS_AT_ONCE]
    if not folders:
        return Chunk(0, None)
    ids = [UUID(folder) for folder in folders if UUID_NAME.fullmatch(folder)]
    known = {task.pk: task for task in Task.objects.filter(pk__in=ids).only("pk", "status", "value_file")}
    return Chunk(sum(_sweep_results(task_id, known.get(task_id)) for task_id in ids), folders[-1])


def prune_document_files(after: str) -> Chunk:
    """Remove uploads whose submission never became a row, and drafts of machines that are gone."""
    names = [name for name in _listed(DOCUMENTS)[1] if name > after][:FILES_AT_ONCE]
    if not names:
        return Chunk(_sweep(DRAFTS, named=()), None)
    files = [f"{DOCUMENTS}/{name}" for name in names]
    named = set(Document.objects.filter(file__in=files).values_list("file", flat=True))
    return Chunk(remove_files(_old(file for file in files if file not in named)), names[-1])


def remove_files(names: Iterable[str]) -> int:
    """Remove stored files; returns how many. One that cannot be removed is found again by the next walk."""
    removed = 0
    for name in filter(None, names):
        try:
            default_storage.delete(name)
            removed += 1
        except OSError:
            logger.exception("the stored file %s could not be removed", name)
    return removed


def remove_result_folder(task_id: UUID) -> None:
    """Of a task that is gone; while a file is left in it, it stays.

    Hazard: an attempt that writes its first file makes the folder just before, so that only a dead task's may go.
    """
    with suppress(OSError):
        default_storage.delete(f"{RESULTS}/{task_id}")


def _behind(documents: DocumentQuerySet, after: str) -> DocumentQuerySet:
    return documents.filter(pk__gt=UUID(after)) if after else documents


def _is_needed() -> Exists:
    return Exists(Task.objects.filter(document=OuterRef("pk")))


def _sweep_results(task_id: UUID, task: Task | None) -> int:
    """Of an active task nothing: its attempt may be about to name what it wrote."""
    if task is not None:
        return _sweep(f"{RESULTS}/{task_id}", named=_named_by(task)) if task.is_final else 0
    removed = _sweep(f"{RESULTS}/{task_id}", named=())
    remove_result_folder(task_id)
    return removed


def _named_by(task: Task) -> set[str]:
    steps = StepResult.objects.filter(task=task).exclude(value_file="")
    return {task.value_file, *steps.values_list("value_file", flat=True)}


def _sweep(folder: str, *, named: Collection[str]) -> int:
    files = (f"{folder}/{name}" for name in _listed(folder)[1])
    return remove_files(_old(file for file in files if file not in named))


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """Folders and files in it, sorted; a task's folder bears its id, so the oldest task's is first."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
    return sorted(folders), sorted(files)


def _old(names: Iterable[str]) -> list[str]:
    """Hazard: the store's clock against the database's; a day is far more than they differ by."""
    before = database_now() - timedelta(days=AGE_DAYS)
    return [name for name in names if _written(name) < before]


def _written(name: str) -> datetime:
    try:
        return default_storage.get_modified_time(name)
    except FileNotFoundError:
        # Gone meanwhile: not there to be removed.
        return datetime.max.replace(tzinfo=UTC)
