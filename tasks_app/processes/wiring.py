"""What `AppConfig.ready` connects: the doorbell, admission, and the parts of the tick that tend tasks."""

from django.db.models import Count

from tasks_app.lifecycle import admission, expiry, rescue
from tasks_app.models import Task, Worker
from tasks_app.signals import slot_freed, tasks_admitted

from . import tick
from .doorbell import ring, ring_up_to


def connect() -> None:
    tasks_admitted.connect(on_tasks_admitted, dispatch_uid="processes.ring")
    slot_freed.connect(on_slot_freed, dispatch_uid="processes.admit")
    tick.register("expire", expiry.expire)
    tick.register("deadlines", expiry.enforce_deadlines)
    tick.register("rescue", rescue.rescue, needs_contact=True)
    tick.register("give back", admission.give_back)
    tick.register("admit", admission.admit_all)
    tick.register("ring", ring_all)


def on_tasks_admitted(*, queue: str, **_: object) -> None:
    ring(queue)


def on_slot_freed(*, owner_id: int | None, **_: object) -> None:
    # In a transaction of its own after the one that freed the slot. What it raises is logged by the signal, and a tick
    # admits later.
    admission.admit(owner_id)


def ring_all() -> None:
    """Ring every served queue that has more claimable rows than doorbells."""
    served = Task.objects.queued().filter(queue__in=Worker.objects.live_queues())
    for queue, rows in served.values_list("queue").annotate(rows=Count("*")):
        ring_up_to(queue, rows=rows)
