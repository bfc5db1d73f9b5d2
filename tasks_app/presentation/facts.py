"""What the objects of a page of tasks need besides their rows: one query each for the whole page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from tasks_app.exceptions import Unavailable
from tasks_app.models import WAITING, Attempt, ModelCall, Task
from tasks_app.models.call import IN_USE

from .waiting_facts import WaitingFacts, waiting_facts


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
        waiting=waiting_facts(waiting) if waiting else None,
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
