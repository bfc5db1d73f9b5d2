"""Admission: pending becomes queued when its time has come, its user has a free slot, a worker knows its kind, and
nobody has paused its queue or its kind."""

import logging
import time
from collections import Counter

from django.db import transaction
from django.db.models import Count

from tasks_app.models import Allowance, Task, Worker
from tasks_app.models.worker import Service
from tasks_app.signals import emit, task_changed, tasks_admitted

from .admit_rows import admit_rows, free_slots, give_back_rows

# Bound one look: of tasks that belong to nobody and so have no slots, of rows given back, and in time.
OWNERLESS_AT_ONCE = 100
# Of nobody's tasks of a kind so many stand in line: each claim puts the whole line in order.
OWNERLESS_IN_LINE = 500
GIVEN_BACK_AT_ONCE = 1000
LOOK_SECONDS = 2.0

logger = logging.getLogger(__name__)


def admit(owner_id: int | None) -> int:
    """Admit what one user may have now; returns how many."""
    return _admit(owner_id, Worker.objects.live_service())


def admit_all() -> int:
    """Admit for every user with a due task and a free slot, each in a transaction of its own, for two seconds at most.

    Who is not reached comes first in the next look: those before have no free slot or nothing due by then.
    """
    service = Worker.objects.live_service()
    if not service:
        return 0
    until = time.monotonic() + LOOK_SECONDS
    admitted = _admit_safely(None, service)
    for owner_id in Allowance.objects.with_free_slot().having_due(service).values_list("pk", flat=True):
        if time.monotonic() > until:
            break
        admitted += _admit_safely(owner_id, service)
    return admitted


def give_back() -> int:
    """Make queued rows pending again whose kind lost its last worker or is paused: they must not hold users' slots.

    Those slots are for the admission that follows in the same tick.
    """
    stranded = Task.objects.stranded(Worker.objects.live_service())
    with transaction.atomic():
        given_back = give_back_rows(stranded, most=GIVEN_BACK_AT_ONCE)
        for row in given_back:
            emit(task_changed, task_id=row.task_id, owner_id=row.owner_id, version=row.version)
    return len(given_back)


def _admit_safely(owner_id: int | None, service: Service) -> int:
    try:
        return _admit(owner_id, service, skip_locked=True)
    except Exception:
        logger.exception("could not admit for user %s", owner_id)
        return 0


def _admit(owner_id: int | None, service: Service, *, skip_locked: bool = False) -> int:
    """`skip_locked`: leave a user whose row somebody holds to the next look; a frozen writer must not freeze a tick."""
    if owner_id is None:
        admitted = admit_rows(None, _with_room(service), most=OWNERLESS_AT_ONCE)
    else:
        with transaction.atomic():
            free = free_slots(owner_id, skip_locked=skip_locked)
            admitted = admit_rows(owner_id, service, most=free) if free > 0 else []
    for row in admitted:
        emit(task_changed, task_id=row.task_id, owner_id=owner_id, version=row.version)
    for queue, rows in Counter(row.queue for row in admitted).items():
        emit(tasks_admitted, queue=queue, rows=rows)
    return len(admitted)


def _with_room(service: Service) -> Service:
    """Without the kinds of which enough of nobody's tasks stand in line; each that ends lets more in.

    By kind, so that no worker is idle which knows only another one.
    """
    line = Task.objects.queued().owned_by(None).order_by()
    if not line[OWNERLESS_IN_LINE - 1 : OWNERLESS_IN_LINE].exists():
        return service
    there = line.values_list("queue", "kind").annotate(rows=Count("*"))
    full = {(queue, kind) for queue, kind, rows in there if rows >= OWNERLESS_IN_LINE}
    return {queue: {kind for kind in kinds if (queue, kind) not in full} for queue, kinds in service.items()}
