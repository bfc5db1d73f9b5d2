"""What the objects of a page of tasks need besides their rows: one query each for the whole page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from tasks_app.exceptions import Unavailable
from tasks_app.lifecycle.clock import database_now
from tasks_app.models import WAITING, Allowance, Attempt, ModelCall, Task, Worker
from tasks_app.models.call import IN_USE


@dataclass(frozen=True, slots=True)
class WaitingFacts:
    """Of the tasks that wait. `last`: their last attempt since a retry; `ahead`: of those queued, how many go before.

    `slots`: by owner, how many are held and how many there are. `service`: by queue, the kinds that its workers know.
    """

    now: datetime
    service: dict[str, set[str]]
    last: dict[UUID, Attempt]
    ahead: dict[UUID, int]
    slots: dict[int, tuple[int, int]]

    def slots_full(self, owner_id: int | None) -> int:
        """The number of the owner's slots when none is free, else 0."""
        held, slots = self.slots.get(owner_id, (0, 0)) if owner_id is not None else (0, 0)
        return slots if held >= slots else 0


@dataclass(frozen=True, slots=True)
class Facts:
    """`usage`: of all calls; `again`: of those whose answers count, which a start from scratch would pay once more."""

    spent: dict[UUID, int] = field(default_factory=dict)
    usage: dict[UUID, dict[str, int]] = field(default_factory=dict)
    again: dict[UUID, dict[str, int]] = field(default_factory=dict)
    in_doubt: dict[UUID, int] = field(default_factory=dict)
    waiting: WaitingFacts | None = None


def facts_of(tasks: Sequence[Task]) -> Facts:
    started = [task.pk for task in tasks if task.attempt]
    waiting = [task for task in tasks if task.status in WAITING]
    calls = ModelCall.objects.filter(task__in=started)
    sums = _sums(calls) if started else {}
    return Facts(
        spent=_count(Attempt.objects.filter(task__in=started).spent()) if started else {},
        usage={pk: _figures(row, "") for pk, row in sums.items()},
        again={pk: _figures(row, "again_") for pk, row in sums.items()},
        in_doubt=_count(calls.in_doubt()) if started else {},
        waiting=_waiting(waiting) if waiting else None,
    )


def _count(rows: QuerySet[Any]) -> dict[UUID, int]:
    return dict(rows.order_by().values("task_id").annotate(n=Count("*")).values_list("task_id", "n"))


def _sums(calls: QuerySet[ModelCall]) -> dict[UUID, dict[str, int]]:
    # A refused connection has its row, but nothing was sent by it.
    sent = ~Q(outcome=Unavailable.code)
    sums: Any = calls.order_by().values("task_id").annotate(**_columns("", sent), **_columns("again_", IN_USE))
    return {row["task_id"]: row for row in sums}


def _columns(prefix: str, which: Q) -> dict[str, Any]:
    return {
        f"{prefix}calls": Count("pk", filter=which),
        f"{prefix}prompt": Sum("prompt_tokens", filter=which, default=0),
        f"{prefix}completion": Sum("completion_tokens", filter=which, default=0),
    }


def _figures(row: dict[str, int], prefix: str) -> dict[str, int]:
    return {
        "calls": row[f"{prefix}calls"],
        "prompt_tokens": row[f"{prefix}prompt"],
        "completion_tokens": row[f"{prefix}completion"],
    }


def _waiting(tasks: Sequence[Task]) -> WaitingFacts:
    ids = [task.pk for task in tasks]
    last = Attempt.objects.filter(task__in=ids, number=F("task__attempt")).counted()
    return WaitingFacts(
        now=database_now(),
        service=Worker.objects.live_service(),
        last={attempt.task_id: attempt for attempt in last},
        # Not of pending tasks, of which a user may have thousands: each costs a count.
        ahead=dict(Task.objects.queued().filter(pk__in=ids).annotate(ahead=_ahead()).values_list("pk", "ahead")),
        slots=_slots({task.owner_id for task in tasks if task.owner_id is not None}),
    )


def _ahead() -> Coalesce:
    """About how many queued tasks of the same queue come first; the claim also weighs who has fewest running."""
    before = Q(operator_priority__gt=OuterRef("operator_priority"))
    before |= Q(operator_priority=OuterRef("operator_priority"), pk__lt=OuterRef("pk"))
    queued = Task.objects.queued().filter(before, queue=OuterRef("queue")).order_by().values("queue")
    return Coalesce(Subquery(queued.annotate(n=Count("*")).values("n"), output_field=IntegerField()), 0)


def _slots(owners: set[int]) -> dict[int, tuple[int, int]]:
    """For each owner with an allowance: slots held, and slots there are."""
    held = dict(
        Task.objects.filter(owner__in=owners)
        .holding_slots()
        .order_by()
        .values("owner_id")
        .annotate(n=Count("*"))
        .values_list("owner_id", "n")
    )
    return {one.owner_id: (held.get(one.owner_id, 0), one.slots) for one in Allowance.objects.filter(owner__in=owners)}
