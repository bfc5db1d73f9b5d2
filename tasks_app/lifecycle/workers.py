"""Rows of worker processes: register, heartbeat, goodbye."""

import os
import socket
from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import Case, F, Q, When
from django.db.models.functions import Now

from tasks_app.models import AttemptRef, Worker
from tasks_app.models.worker import silent_after


def register(*, queues: Sequence[str], code_version: str = "") -> UUID:
    """A new row for this start of a worker; returns its id."""
    worker = Worker.objects.create(
        host=socket.gethostname(), pid=os.getpid(), queues=list(queues), code_version=code_version
    )
    return worker.pk


def know(worker_id: UUID, kinds: Collection[str]) -> bool:
    """Note what its child has reported to know; returns whether the row was there."""
    row = Worker.objects.filter(pk=worker_id)
    return bool(row.update(kinds=sorted(kinds), serving_since=Now(), heartbeat_at=Now()))


def heartbeat(worker_id: UUID, *, hand: AttemptRef | None, memory_bytes: int = 0, child_restarts: int = 0) -> None:
    """Say that it lives, and which attempt it has in hand."""
    was_silent = Q(heartbeat_at__lte=Now() - silent_after())
    Worker.objects.filter(pk=worker_id).update(
        # Nobody was served while it was silent.
        serving_since=Case(When(was_silent, then=Now()), default=F("serving_since")),
        heartbeat_at=Now(),
        task_id_in_hand=hand.task_id if hand else None,
        attempt_in_hand=hand.number if hand else None,
        memory_bytes=memory_bytes,
        child_restarts=child_restarts,
    )


def goodbye(worker_id: UUID) -> None:
    Worker.objects.filter(pk=worker_id).update(stopped_at=Now(), task_id_in_hand=None, attempt_in_hand=None)
