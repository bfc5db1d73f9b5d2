"""Ends of tasks that wait: those that never started in time, and those whose deadline passed."""

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.models import ErrorCode, Status, Task
from tasks_app.models.task import TaskQuerySet
from tasks_app.signals import emit, slot_freed, waiting_ended

from .guard import changed

# Bounds one part of a tick.
AT_ONCE = 100


def expire() -> int:
    """Fail tasks that never started before they expired; returns how many."""
    text = "It was not started before it expired. It can be retried."
    return fail_waiting(Task.objects.expired(), code=ErrorCode.EXPIRED, text=text)


def enforce_deadlines() -> int:
    """Fail waiting tasks whose deadline passed; a running one is ended by its worker, or by rescue.

    Not those that are paused: they get the time back when they go on.
    """
    text = "It was not done within its deadline. Finished parts are kept and can be downloaded."
    return fail_waiting(Task.objects.waiting().unpaused().past_deadline(), code=ErrorCode.DEADLINE_EXCEEDED, text=text)


def fail_waiting(tasks: TaskQuerySet, *, code: ErrorCode, text: str, at_most: int = AT_ONCE) -> int:
    """Fail these, each in a transaction of its own; returns how many. `tasks`: a query that only waiting ones match."""
    return sum(_fail_one(tasks.filter(pk=pk), code, text) for pk in tasks.values_list("pk", flat=True)[:at_most])


def _fail_one(one: TaskQuerySet, code: ErrorCode, text: str) -> int:
    with transaction.atomic():
        # A row that somebody holds is taken at the next tick: a frozen writer must not freeze the tick.
        task = one.select_for_update(skip_locked=True, of=("self",)).first()
        if task is None or not one.update(
            status=Status.FAILED,
            finished_at=Now(),
            secrets="",
            error_code=code,
            error_text=text,
            version=F("version") + 1,
        ):
            return 0
        task.refresh_from_db(fields=["version"])
        changed(task)
        emit(slot_freed, owner_id=task.owner_id)
        emit(waiting_ended, kind=task.kind, status=Status.FAILED.value, code=code.value)
    return 1
