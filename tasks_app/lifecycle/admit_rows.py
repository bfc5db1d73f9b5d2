"""From pending to queued, by one plain statement for all rows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection

from tasks_app.models import Allowance, Status, Task
from tasks_app.models.compiled import compiled
from tasks_app.models.states import HOLDS_SLOT

from .clock import now_sql
from .guard import TASK

# Stands for the owner in a statement that serves all of them.
ANYBODY = -1
HELD_SLOTS = f"""
SELECT COUNT(*) FROM {TASK} WHERE owner_id = %s AND status IN ({", ".join(f"'{status}'" for status in HOLDS_SLOT)})
"""  # noqa: S608
type Served = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Admitted:
    task_id: UUID
    queue: str
    version: int


def free_slots(owner_id: int, *, skip_locked: bool) -> int:
    """Inside a transaction. The lock makes it exact: whoever admits for this user waits here, and counts what we did.

    `skip_locked`: none where somebody holds it.
    """
    lock = ""
    if connection.features.has_select_for_update:
        lock = f"FOR UPDATE {'SKIP LOCKED' if skip_locked else ''}"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT active_tasks FROM {Allowance._meta.db_table} WHERE owner_id = %s {lock}", [owner_id])  # noqa: S608
        row = cursor.fetchone()
        if row is None:
            return 0
        cursor.execute(HELD_SLOTS, [owner_id])
        (held,) = cursor.fetchone()
    return int(Allowance(active_tasks=row[0]).slots - held)


def admit_rows(owner_id: int | None, service: Mapping[str, Collection[str]], *, most: int) -> list[Admitted]:
    """Admit the best of an owner's due rows. A row that somebody holds is left to the next look."""
    served = tuple((queue, tuple(sorted(kinds))) for queue, kinds in sorted(service.items()))
    try:
        due, values = compiled(_due, None if owner_id is None else ANYBODY, served)
    except EmptyResultSet:
        return []
    # Materialised with its lock, so that what was locked is what is changed, and no more than that.
    lock = "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    statement = f"""
        WITH due AS ({due} LIMIT %s {lock})
        UPDATE {TASK} SET status = '{Status.QUEUED}', queued_at = {now_sql()}, version = version + 1
        WHERE status = '{Status.PENDING}' AND id IN (SELECT id FROM due) RETURNING id, queue, version
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [*(owner_id if value == ANYBODY else value for value in values), most])
        return [Admitted(_uuid(task_id), queue, version) for task_id, queue, version in cursor.fetchall()]


def _due(owner_id: int | None, served: Served) -> Any:
    return Task.objects.admissible(dict(served)).owned_by(owner_id).values("id")


def _uuid(value: Any) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
