"""From pending to queued and back, by one plain statement for all rows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection

from tasks_app.models import Status, Task
from tasks_app.models.compiled import compiled
from tasks_app.models.states import HOLDS_SLOT
from tasks_app.models.task import TaskQuerySet

from .allowance import ANYBODY, for_owner, locked_limits
from .clock import now_sql
from .guard import TASK

HELD_SLOTS = f"""
SELECT COUNT(*) FROM {TASK} WHERE owner_id = %s AND status IN ({", ".join(f"'{status}'" for status in HOLDS_SLOT)})
"""  # noqa: S608
type Served = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Admitted:
    task_id: UUID
    queue: str
    version: int


@dataclass(frozen=True, slots=True)
class GivenBack:
    task_id: UUID
    owner_id: int | None
    version: int


def free_slots(owner_id: int, *, skip_locked: bool) -> int:
    """Inside a transaction. The lock makes it exact: whoever admits for this user waits here, and counts what we did.

    `skip_locked`: none where somebody holds it.
    """
    limits = locked_limits(owner_id, skip_locked=skip_locked)
    if limits is None:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(HELD_SLOTS, [owner_id])
        (held,) = cursor.fetchone()
    return int(limits.active - held)


def admit_rows(owner_id: int | None, service: Mapping[str, Collection[str]], *, most: int) -> list[Admitted]:
    """Admit the best of an owner's due rows. A row that somebody holds is left to the next look."""
    served = tuple((queue, tuple(sorted(kinds))) for queue, kinds in sorted(service.items()))
    try:
        due, values = compiled(_due, None if owner_id is None else ANYBODY, served)
    except EmptyResultSet:
        return []
    statement = f"""
        WITH due AS ({due} LIMIT %s {_skip_locked()})
        UPDATE {TASK} SET status = '{Status.QUEUED}', queued_at = {now_sql()}, version = version + 1
        WHERE status = '{Status.PENDING}' AND id IN (SELECT id FROM due) RETURNING id, queue, version
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [*for_owner(values, owner_id), most])
        return [Admitted(_uuid(task_id), queue, version) for task_id, queue, version in cursor.fetchall()]


def give_back_rows(queued: TaskQuerySet, *, most: int) -> list[GivenBack]:
    """Make these pending again. A row that somebody holds is left to the next look."""
    chosen, values = queued.order_by().values("id").query.get_compiler(connection=connection).as_sql()
    statement = f"""
        WITH chosen AS ({chosen} LIMIT %s {_skip_locked()})
        UPDATE {TASK} SET status = '{Status.PENDING}', version = version + 1
        WHERE status = '{Status.QUEUED}' AND id IN (SELECT id FROM chosen) RETURNING id, owner_id, version
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, most])
        return [GivenBack(_uuid(task_id), owner_id, version) for task_id, owner_id, version in cursor.fetchall()]


def _skip_locked() -> str:
    # Where it is materialised with its lock, what was locked is what is changed, and no more than that.
    return "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""


def _due(owner_id: int | None, served: Served) -> Any:
    return Task.objects.admissible(dict(served)).owned_by(owner_id).values("id")


def _uuid(value: Any) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
