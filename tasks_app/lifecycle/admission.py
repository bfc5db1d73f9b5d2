"""Admission: pending becomes queued when the time has come, the queue is served and the user has a free slot."""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from tasks_app.models import Allowance, Status, Task, Worker
from tasks_app.signals import emit, tasks_admitted

from .guard import changed

# Bounds the work of one look at tasks that belong to nobody and so have no slots.
OWNERLESS_AT_ONCE = 100


def admit(owner_id: int | None) -> int:
    """Admit what one user may have now; returns how many."""
    return _admit(owner_id, Worker.objects.live_queues())


def admit_all() -> int:
    """Admit for every user with a due task, user by user, each in a transaction of its own."""
    queues = Worker.objects.live_queues()
    if not queues:
        return 0
    due = Task.objects.admissible(queues).filter(owner=OuterRef("owner")).order_by()
    owners: list[int | None] = list(Allowance.objects.filter(Exists(due)).values_list("owner_id", flat=True))
    return sum(_admit(owner_id, queues) for owner_id in [None, *owners])


def _admit(owner_id: int | None, queues: Collection[str]) -> int:
    with transaction.atomic():
        free = OWNERLESS_AT_ONCE if owner_id is None else _free_slots(owner_id)
        best = Task.objects.admissible(queues).owned_by(owner_id).values_list("pk", flat=True)[: max(free, 0)]
        return sum(_enqueue(task_id) for task_id in list(best))


def _free_slots(owner_id: int) -> int:
    # The lock makes the count exact: whoever admits for this user waits here, and reads what we committed.
    allowance = Allowance.objects.select_for_update().get(owner_id=owner_id)
    return allowance.slots - Task.objects.owned_by(owner_id).holding_slots().count()


def _enqueue(task_id: UUID) -> int:
    if not Task.objects.pending().filter(pk=task_id).update(status=Status.QUEUED, version=F("version") + 1):
        return 0
    task = Task.objects.get(pk=task_id)
    changed(task)
    emit(tasks_admitted, queue=task.queue)
    return 1
