"""Admission: pending becomes queued when the time has come, the queue is served and the user has a free slot."""

import logging
import time
from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.db.models import F

from tasks_app.models import Allowance, Status, Task, Worker
from tasks_app.signals import emit, slot_freed, tasks_admitted

from .guard import changed

# Bound one look: of tasks that belong to nobody and so have no slots, of rows given back, and in time.
OWNERLESS_AT_ONCE = 100
GIVEN_BACK_AT_ONCE = 100
LOOK_SECONDS = 2.0

logger = logging.getLogger(__name__)


def admit(owner_id: int | None) -> int:
    """Admit what one user may have now; returns how many."""
    return _admit(owner_id, Worker.objects.live_queues())


def admit_all() -> int:
    """Admit for every user with a due task and a free slot, each in a transaction of its own, for two seconds at most.

    Who is not reached comes first in the next look: those before have no free slot or nothing due by then.
    """
    queues = Worker.objects.live_queues()
    if not queues:
        return 0
    until = time.monotonic() + LOOK_SECONDS
    admitted = _admit_safely(None, queues)
    for owner_id in Allowance.objects.with_free_slot().having_due(queues).values_list("pk", flat=True):
        if time.monotonic() > until:
            break
        admitted += _admit_safely(owner_id, queues)
    return admitted


def give_back() -> int:
    """Make queued rows pending again whose queue lost its last worker: they must not hold their users' slots."""
    stranded = Task.objects.queued().exclude(queue__in=Worker.objects.live_queues())
    return sum(_give_back_one(task_id) for task_id in stranded.values_list("pk", flat=True)[:GIVEN_BACK_AT_ONCE])


def _admit_safely(owner_id: int | None, queues: Collection[str]) -> int:
    try:
        return _admit(owner_id, queues, skip_locked=True)
    except Exception:
        logger.exception("could not admit for user %s", owner_id)
        return 0


def _admit(owner_id: int | None, queues: Collection[str], *, skip_locked: bool = False) -> int:
    """`skip_locked`: leave a user whose row somebody holds to the next look; a frozen writer must not freeze a tick."""
    with transaction.atomic():
        free = OWNERLESS_AT_ONCE if owner_id is None else _free_slots(owner_id, skip_locked=skip_locked)
        best = Task.objects.admissible(queues).owned_by(owner_id).values_list("pk", flat=True)[: max(free, 0)]
        return sum(_enqueue(task_id) for task_id in list(best))


def _free_slots(owner_id: int, *, skip_locked: bool) -> int:
    # The lock makes the count exact: whoever admits for this user waits here, and reads what we committed.
    allowance = Allowance.objects.select_for_update(skip_locked=skip_locked).filter(owner_id=owner_id).first()
    if allowance is None:
        return 0
    return allowance.slots - Task.objects.owned_by(owner_id).holding_slots().count()


def _enqueue(task_id: UUID) -> int:
    if not Task.objects.pending().filter(pk=task_id).update(status=Status.QUEUED, version=F("version") + 1):
        return 0
    task = Task.objects.get(pk=task_id)
    changed(task)
    emit(tasks_admitted, queue=task.queue)
    return 1


def _give_back_one(task_id: UUID) -> int:
    with transaction.atomic():
        task = Task.objects.queued().filter(pk=task_id).select_for_update(skip_locked=True, of=("self",)).first()
        if task is None:
            return 0
        Task.objects.queued().filter(pk=task_id).update(status=Status.PENDING, version=F("version") + 1)
        task.refresh_from_db(fields=["version"])
        changed(task)
        emit(slot_freed, owner_id=task.owner_id)
    return 1
