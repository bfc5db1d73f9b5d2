"""What `AppConfig.ready` connects: the doorbell, admission, and the parts of the tick that tend tasks."""

from django.db.models import Count

from tasks_app.lifecycle import admission, expiry, rescue, unknown_kind
from tasks_app.models import Task, Worker
from tasks_app.signals import slot_freed, tasks_admitted

from . import tick
from .doorbell import ring, ring_up_to
from .registries import clear_registries

UNKNOWN_KIND_EVERY_SECONDS = 5
REGISTRIES_EVERY_SECONDS = 60


def connect() -> None:
    tasks_admitted.connect(on_tasks_admitted, dispatch_uid="processes.ring")
    slot_freed.connect(on_slot_freed, dispatch_uid="processes.admit")
    tick.register("expire", expiry.expire)
    tick.register("deadlines", expiry.enforce_deadlines)
    tick.register("rescue", rescue.rescue, needs_contact=True)
    tick.register(
        "unknown kinds",
        unknown_kind.fail_unknown_kinds,
        needs_contact=True,
        every_seconds=UNKNOWN_KIND_EVERY_SECONDS,
    )
    tick.register("give back", admission.give_back)
    tick.register("admit", admission.admit_all)
    tick.register("ring", ring_all)
    tick.register("registries", clear_registries, every_seconds=REGISTRIES_EVERY_SECONDS)


def on_tasks_admitted(*, queue: str, rows: int, **_: object) -> None:
    ring(queue, times=rows)


def on_slot_freed(*, owner_id: int | None, **_: object) -> None:
    # In a transaction of its own after the one that freed the slot. What it raises is logged by the signal, and a tick
    # admits later.
    admission.admit(owner_id)


def ring_all() -> None:
    """Ring every queue that has more claimable rows than doorbells."""
    served = Task.objects.queued().served(Worker.objects.live_service()).unpaused()
    for queue, rows in served.values_list("queue").annotate(rows=Count("*")):
        ring_up_to(queue, rows=rows)
