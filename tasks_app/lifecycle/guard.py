"""The guard that begins every write of an attempt.

Plain SQL, as it is half of what a step costs: the ORM takes longer to write the statement than the database
to execute it.
"""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from tasks_app.exceptions import NotOwner
from tasks_app.models import AttemptRef, Status, Task
from tasks_app.signals import emit, task_changed

TASK = Task._meta.db_table
# What `held_by` says. Its values: `held_values`.
HELD = f"id = %s AND status = '{Status.RUNNING}' AND attempt = %s"
# Values: items done and failed that are new, then `held_values`.
GUARD = f"""
UPDATE {TASK} SET version = version + 1, progress_done = progress_done + %s, failed_items = failed_items + %s
WHERE {HELD} RETURNING version, owner_id, reset_version, kind
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Held:
    """What the guard says of the row that it has locked. `version`: the new one."""

    version: int
    owner_id: int | None
    reset_version: int
    kind: str


def touch(ref: AttemptRef) -> Held:
    """Begin a write of an attempt, inside its transaction.

    It locks the row, so that versions follow commits. Raises NotOwner where the attempt no longer owns the task.
    """
    with connection.cursor() as cursor:
        cursor.execute(GUARD, [0, 0, *held_values(ref)])
        return told(ref, cursor.fetchone())


def held_values(ref: AttemptRef) -> list[Any]:
    return [Task._meta.pk.get_db_prep_value(ref.task_id, connection), ref.number]


def told(ref: AttemptRef, row: tuple[int, int | None, int, str] | None) -> Held:
    """Tell of the change that the guard answered with `row`. Raises NotOwner where it did not answer."""
    if row is None:
        raise NotOwner(str(ref))
    held = Held(*row)
    emit(task_changed, task_id=ref.task_id, owner_id=held.owner_id, version=held.version)
    return held


def changed(task: Task) -> None:
    """Tell of a change that was made to this row in the transaction in hand; `task` was read in it."""
    emit(task_changed, task_id=task.pk, owner_id=task.owner_id, version=task.version)
