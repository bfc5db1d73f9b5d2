"""Executes a kind in a test: in this process, without Redis and worker, with the real context and database.

    task = perform_task(build_report, month="2026-11")
    assert (task.status, task.load()) == ("succeeded", [...])

In a test that keeps a transaction open (Django's TestCase, pytest-django's `db`) a map works on its items one after the
other, in the test's own thread: other threads would not see what the test wrote. With TransactionTestCase or
`transactional_db` they are side by side, as in production.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.tasks import TaskResult

from tasks_app.exceptions import LonghaulError, NotOwner
from tasks_app.kinds.intake_document import document_of
from tasks_app.kinds.ordering import order_of
from tasks_app.kinds.perform import Terms, make_attempt
from tasks_app.kinds.task import LonghaulTask
from tasks_app.lifecycle import workers
from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.claim import Claim, claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.submit import Order, submit
from tasks_app.models import Document, Outcome, StepResult, Task
from tasks_app.work.context import Context

# A task that is not final by then waits for something that will not come in a test.
MOST_ATTEMPTS = 20
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class NotPerformed(LonghaulError):
    """The test asked for something that did not happen."""

    code = "not_performed"


def perform_task(
    what: "LonghaulTask | TaskResult[..., Any] | Task",
    *args: Any,
    owner: Any = None,
    document: Path | tuple[str, bytes] | None = None,
    attempts: int | None = None,
    dies_after: int | None = None,
    **kwargs: Any,
) -> Task:
    """Attempt after attempt until the task is final; returns its row. No wait is slept through.

    `what`: a kind, to be called with `args` and `kwargs`, or a task that was submitted before. `document`: a file, or
    its name and content. `attempts`: make no more than so many, final or not. `dies_after`: let the first attempt end
    as if its process had died, as soon as so many steps are kept.

    The row shows `status`, `load()` (the result), `error_code`, `error_text`, `steps` and `attempts`. Raises
    NotPerformed.
    """
    if isinstance(what, LonghaulTask):
        row = submit(_order(what, args, kwargs, owner=owner, document=document)).task
    else:
        row = Task.objects.get(pk=what.pk if isinstance(what, Task) else UUID(what.id))
    worker_id = workers.register(queues=[row.queue])
    workers.know(worker_id, [row.kind])
    try:
        for number in range(attempts or MOST_ATTEMPTS):
            if row.is_final:
                break
            _attempt(row, worker_id, dies_after=None if number else dies_after)
    finally:
        workers.goodbye(worker_id)
    if not (row.is_final or attempts):
        raise NotPerformed(f"After {MOST_ATTEMPTS} attempts the task is {row.status}. {_last_error(row)}")
    return row


def _order(kind: LonghaulTask, args: tuple[Any, ...], kwargs: dict[str, Any], *, owner: Any, document: Any) -> Order:
    owner_id = owner.pk if owner else None
    stored = _document(kind, document, owner_id=owner_id) if document else None
    return order_of(kind, owner_id=owner_id, args=args, values=kwargs, document=stored)


def _document(kind: LonghaulTask, source: Path | tuple[str, bytes], *, owner_id: Any) -> Document | None:
    name, content = (source.name, source.read_bytes()) if isinstance(source, Path) else source
    file = SimpleUploadedFile(name, content)
    document = document_of(kind, owner_id=owner_id, file=file, document_id=None)
    if document is not None:
        file.seek(0)
        document.file.save(f"documents/{document.pk}", file, save=False)
    return document


def _attempt(row: Task, worker_id: UUID, *, dies_after: int | None) -> None:
    claimed = _claim(row, worker_id)
    limit_seconds = max(0.0, min(claimed.limit_seconds, claimed.deadline_seconds))
    context: Callable[..., Context] = partial(HastyContext, dies_after=dies_after)
    make_attempt(claimed.ref, Terms(limit_seconds=limit_seconds, new_context=context))
    if Task.objects.held_by(claimed.ref).exists():
        # It wrote no end: as after the death of its process, somebody else does.
        end(claimed.ref, Ending(outcome=Outcome.LOST, code="lost", text="Its program died."))
    elif dies_after is not None:
        raise NotPerformed(f"The attempt ended before {dies_after} steps were kept and another was to begin.")
    row.refresh_from_db()


def _claim(row: Task, worker_id: UUID) -> Claim:
    mine = Task.objects.filter(pk=row.pk)
    with transaction.atomic():
        # Due now, and the best of its queue: what was started first comes first.
        mine.update(available_at=Now(), started_at=LONG_AGO)
        admit(row.owner_id)
        claimed = claim(worker_id, queue=row.queue, kinds=[row.kind])
        if claimed is None or claimed.ref.task_id != row.pk:
            raise NotPerformed(f"The task, which is {mine.get().status}, was not admitted: see its owner's slots.")
        mine.update(started_at=row.started_at or F("claimed_at"))
    return claimed


def _last_error(row: Task) -> str:
    last = row.attempts.order_by("number").last()
    return f"The last ended as {last.outcome}: {last.error_text}" if last else ""


class Died(NotOwner):
    """Leaves an attempt without a word, as the death of its process does."""


class HastyContext(Context):
    """Sleeps through nothing, and dies when it is told to."""

    def __init__(self, *arguments: Any, dies_after: int | None, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._dies_after = dies_after

    def checkpoint(self) -> None:
        super().checkpoint()
        if self._dies_after is None:
            return
        if StepResult.objects.current().filter(task_id=self.task_id).count() >= self._dies_after:
            raise Died(str(self.ref))

    def sleep(self, seconds: float) -> None:  # noqa: ARG002
        self.checkpoint()

    async def asleep(self, seconds: float) -> None:  # noqa: ARG002
        await self.acheckpoint()
