"""Submission: one transaction writes the row, its document and its idempotency key."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from tasks_app.exceptions import LonghaulError
from tasks_app.models import Allowance, Document, IdempotencyKey, Task
from tasks_app.signals import emit, slot_freed, task_submitted

from .clock import database_now
from .guard import changed
from .quota import QuotaExceeded, take_place

# A twin that is found neither before nor after the write, as often as this, is none.
LOOKS = 5


class IdempotencyConflict(LonghaulError):
    """The key was used for another submission (422)."""

    code = "idempotency_conflict"

    def __init__(self, key: str) -> None:
        super().__init__(f"The Idempotency-Key {key!r} was already used for a submission with other content.")
        self.key = key


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a submission asks for. `fingerprint`: empty, or unique among one owner's active tasks.

    `call_timeout`: of one model call, None: the setting's. `fresh`: no answer of an earlier task is used again.
    `document`: one that is not saved yet is written along. `secrets`: encrypted. `limited`: its owner's quota applies.
    `run_after`: not before; one that is past means now.
    """

    kind: str
    queue: str
    owner_id: int | None
    payload: dict[str, Any]
    max_attempts: int
    attempt_timeout: timedelta
    deadline: timedelta
    call_timeout: timedelta | None = None
    document: Document | None = None
    secrets: str = ""
    fingerprint: str = ""
    fresh: bool = False
    priority: int = 0
    run_after: datetime | None = None
    expires_at: datetime | None = None
    idempotency_key: str = ""
    body_hash: str = field(default="")
    limited: bool = True


@dataclass(frozen=True, slots=True)
class Submission:
    task: Task
    created: bool


def submit(order: Order) -> Submission:
    """Commit the task, or find the one that this submission already made. Raises IdempotencyConflict, QuotaExceeded.

    The unique constraints decide, so any number of identical submissions at once make one task.
    """
    is_new = order.document is not None and order.document.is_new
    for look in range(LOOKS):
        if earlier := find_earlier(order):
            return Submission(earlier, created=False)
        try:
            with transaction.atomic():
                return Submission(_write(order), created=True)
        except QuotaExceeded:
            # The twin itself may have taken the last place meanwhile.
            if earlier := find_earlier(order):
                return Submission(earlier, created=False)
            raise
        except IntegrityError:
            if order.document is not None and is_new:
                # Rolled back with the rest, of which Django's object knows nothing.
                order.document._state.adding = True
            # Lost the race to a twin, unless nothing is found now: then it ended meanwhile, and the next turn wins.
            if look == LOOKS - 1 or not (order.fingerprint or order.idempotency_key):
                raise
    raise AssertionError("the last look returned or raised")


def find_earlier(order: Order) -> Task | None:
    """The task that an identical submission made, still active or under the same idempotency key."""
    if order.idempotency_key:
        return _by_key(order)
    if not order.fingerprint:
        return None
    return Task.objects.owned_by(order.owner_id).active().filter(fingerprint=order.fingerprint).first()


def _by_key(order: Order) -> Task | None:
    remembered = (
        IdempotencyKey.objects.filter(owner_id=order.owner_id, key=order.idempotency_key, created_at__gt=_forgotten())
        .select_related("task")
        .first()
    )
    if remembered is None:
        return None
    if remembered.body_hash != order.body_hash:
        raise IdempotencyConflict(order.idempotency_key)
    return remembered.task


def _forgotten() -> Any:
    return Now() - timedelta(hours=settings.LONGHAUL_IDEMPOTENCY_KEY_HOURS)


def _write(order: Order) -> Task:
    if order.owner_id is not None:
        _take_place(order, order.owner_id)
    if order.document is not None and order.document.is_new:
        order.document.save(force_insert=True)
    due = _due(order.run_after)
    task = Task.objects.create(
        owner_id=order.owner_id,
        kind=order.kind,
        queue=order.queue,
        payload=order.payload,
        document=order.document,
        secrets=order.secrets,
        fingerprint="" if order.idempotency_key else order.fingerprint,
        priority=order.priority,
        max_attempts=order.max_attempts,
        attempt_timeout=order.attempt_timeout,
        deadline_after=order.deadline,
        call_timeout=order.call_timeout,
        fresh=order.fresh,
        available_at=due,
        expires_at=order.expires_at or due + timedelta(seconds=settings.LONGHAUL_EXPIRY_SECONDS),
    )
    if order.idempotency_key and order.owner_id is not None:
        _remember(order, order.owner_id, task)
    changed(task)
    emit(task_submitted, kind=order.kind, queue=order.queue)
    emit(slot_freed, owner_id=order.owner_id)
    return task


def _due(run_after: datetime | None) -> Any:
    """A time that is past means now: else the task would at once be expired, or the oldest that waits."""
    return Now() if run_after is None or run_after <= database_now() else run_after


def _take_place(order: Order, owner_id: int) -> None:
    if order.limited:
        take_place(owner_id)
    else:
        # Admission needs the row to lock.
        Allowance.objects.get_or_create(owner_id=owner_id)


def _remember(order: Order, owner_id: int, task: Task) -> None:
    same_key = IdempotencyKey.objects.filter(owner_id=owner_id, key=order.idempotency_key)
    same_key.filter(created_at__lte=_forgotten()).delete()
    IdempotencyKey.objects.create(owner_id=owner_id, key=order.idempotency_key, body_hash=order.body_hash, task=task)
