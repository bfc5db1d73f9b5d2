"""A new step's row, guarded and counted, by two plain statements."""

from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from tasks_app.models import AttemptRef, StepResult

from .guard import GUARD, HELD, TASK, Held, held_values, told

if TYPE_CHECKING:
    from .steps import StepRecord

RECORDED = ("index", "name", "key", "is_item", "status", "tries", "duration_seconds", "error_code", "error_text")
STORED = ("value", "value_file", "value_size", "value_sha256")
COLUMNS = ", ".join(f'"{name}"' for name in (*RECORDED, *STORED))
VALUES = ", ".join(["%s"] * len((*RECORDED, *STORED)))
# From the row that the guard has locked: where both statements go in one message, this one must know the answer too.
INSERT = f"""
INSERT INTO {StepResult._meta.db_table} (task_id, version, attempt, superseded, {COLUMNS})
SELECT id, version, attempt, false, {VALUES} FROM {TASK} WHERE {HELD}
"""  # noqa: S608


def insert_step(ref: AttemptRef, record: "StepRecord", *, done: int, failed: int) -> Held:
    """Insert the step and add to the counters; returns what the guard says.

    Raises NotOwner, and IntegrityError where a row is already in its place: then nothing was changed.
    """
    guard, insert = [done, failed, *held_values(ref)], [*_values(record), *held_values(ref)]
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        # Several statements in one message are one transaction, at the price of one way to the server and back.
        with connection.cursor() as cursor:
            cursor.execute(f"{GUARD}; {INSERT}", [*guard, *insert])
            return told(ref, cursor.fetchone())
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(GUARD, guard)
        held = told(ref, cursor.fetchone())
        cursor.execute(INSERT, insert)
        return held


def _values(record: "StepRecord") -> list[Any]:
    stored = {"value": None, "value_file": "", "value_size": 0, "value_sha256": ""} | record.value
    stored["value"] = StepResult._meta.get_field("value").get_db_prep_save(stored["value"], connection)
    return [*(getattr(record, name) for name in RECORDED), *(stored[name] for name in STORED)]
