"""Ends of an attempt. Every end is decided from the locked row, whatever its writer believes."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.exceptions import NotOwner
from tasks_app.models import Attempt, AttemptRef, Outcome, Status, StepResult, Task
from tasks_app.signals import attempt_ended, emit, slot_freed
from tasks_app.text import clean

from .clock import database_now
from .ending import Ending
from .guard import changed
from .pause import lost_so_far
from .success import succeed_as_usual
from .verdict import Verdict, decide


def end(ref: AttemptRef, ending: Ending) -> Status:
    """End the attempt and move its task on; returns the task's new status. Raises NotOwner, having written nothing."""
    if ending.outcome == Outcome.SUCCEEDED and succeed_as_usual(ref, ending):
        return Status.SUCCEEDED
    with transaction.atomic():
        task = Task.objects.held_by(ref).select_for_update(of=("self",)).first()
        if task is None:
            raise NotOwner(str(ref))
        now = database_now()
        if task.deadline_at is not None:
            # The row gets it at the end of the pause; decided as if it stood there.
            task.deadline_at += lost_so_far(task, now)
        verdict = decide(task, ending, now)
        _close_attempt(ref, ending, verdict)
        _move(task, ending, verdict)
        emit(
            attempt_ended,
            task_id=task.pk,
            number=ref.number,
            kind=task.kind,
            outcome=verdict.outcome.value,
            status=verdict.status.value,
            code=str(verdict.code),
            seconds=(now - (task.claimed_at or now)).total_seconds(),
        )
    return verdict.status


def _close_attempt(ref: AttemptRef, ending: Ending, verdict: Verdict) -> None:
    Attempt.objects.of(ref).update(
        outcome=verdict.outcome,
        spent=verdict.spent,
        finished_at=Now(),
        error_code=clean(ending.code)[:40],
        error_text=clean(ending.text),
        error_class=clean(ending.error_class)[:200],
        traceback=clean(ending.traceback),
    )


def _move(task: Task, ending: Ending, verdict: Verdict) -> None:
    changes: dict[str, Any] = {"status": verdict.status, "version": F("version") + 1, "worker": None}
    if verdict.status == Status.PENDING:
        changes["available_at"] = Now() + verdict.delay
    else:
        changes |= {
            "finished_at": Now(),
            "secrets": "",
            "error_code": verdict.code,
            "error_text": clean(verdict.text),
        }
    if verdict.status == Status.SUCCEEDED:
        # An attempt before this one may have announced more: other settings, other code.
        changes["progress_total"] = F("progress_done") + F("failed_items")
        changes |= ending.value | _drop_left_over(task, visited=ending.visited)
    if not Task.objects.held_by(task.ref).update(**changes):
        raise NotOwner(str(task.ref))
    task.refresh_from_db(fields=["version"])
    changed(task)
    emit(slot_freed, owner_id=task.owner_id)


def _drop_left_over(task: Task, *, visited: int) -> dict[str, Any]:
    """Steps of a longer attempt before, which this one did not visit, no longer count; what that changes in the row."""
    steps = StepResult.objects.current().filter(task=task)
    if not steps.filter(index__gte=visited).update(superseded=True):
        return {}
    items = steps.items()
    return {
        # Whoever watches has seen them: a snapshot takes them away.
        "reset_version": F("version") + 1,
        "progress_done": items.succeeded().count(),
        "progress_total": items.count(),
        "failed_items": items.failed().count(),
    }
