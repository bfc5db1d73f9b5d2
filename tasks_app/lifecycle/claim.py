"""Claim: take the best queued task of a queue for one attempt, exclusively."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now

from tasks_app.models import Attempt, AttemptRef, Status, Task, Worker

from .clock import database_now
from .guard import changed


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt to make. `limit_seconds`: the attempt's; `deadline_seconds`: what the whole task has left.

    `call_seconds`: of one model call.
    """

    ref: AttemptRef
    kind: str
    queue: str
    limit_seconds: float
    deadline_seconds: float
    call_seconds: float


def claim(worker_id: UUID, *, queue: str, kinds: Collection[str]) -> Claim | None:
    """Make the queue's best row running, with its Attempt and the worker's heartbeat, in one transaction."""
    with transaction.atomic():
        # Others skip the row that we lock; the guarded UPDATE below is what makes it ours.
        best = Task.objects.claimable(queue, kinds).select_for_update(skip_locked=True, of=("self",)).first()
        if best is None or not Task.objects.queued().filter(pk=best.pk).update(**_started(worker_id)):
            return None
        task = Task.objects.get(pk=best.pk)
        Attempt.objects.create(task=task, number=task.attempt, worker_id=worker_id)
        Worker.objects.filter(pk=worker_id).update(
            task_id_in_hand=task.pk, attempt_in_hand=task.attempt, heartbeat_at=Now()
        )
        changed(task)
        if task.deadline_at is None:
            raise AssertionError("a started task has a deadline")
        left = (task.deadline_at - database_now()).total_seconds()
    return Claim(
        task.ref, task.kind, task.queue, task.attempt_timeout.total_seconds(), left, task.call_limit.total_seconds()
    )


def _started(worker_id: UUID) -> dict[str, Any]:
    return {
        "status": Status.RUNNING,
        "attempt": F("attempt") + 1,
        "version": F("version") + 1,
        "worker_id": worker_id,
        "claimed_at": Now(),
        "started_at": Coalesce("started_at", Now()),
        "deadline_at": Coalesce("deadline_at", Now() + F("deadline_after")),
    }
