"""The usual end of an attempt: it succeeded, and nothing speaks against it.

What decides about an end stands in the guard's own WHERE, so that it is decided from the locked row here too. Where
anything speaks against it nothing was written, and `ends.end` looks closer.
"""

from typing import Any

from django.db import connection, transaction

from tasks_app.models import Attempt, AttemptRef, Outcome, Status, StepResult, Task
from tasks_app.signals import attempt_ended, emit, slot_freed, task_changed

from .clock import now_sql, seconds_since_sql
from .ending import Ending
from .guard import HELD, TASK, held_values

ATTEMPT = Attempt._meta.db_table
STEP = StepResult._meta.db_table
# The task's new version, its owner and kind, and how long the attempt took (s).
type Row = tuple[int, int | None, str, Any]
STORED = ("value", "value_file", "value_size", "value_sha256")


def succeed_as_usual(ref: AttemptRef, ending: Ending) -> bool:
    """Whether this was a success like any other, and is written."""
    write = _in_one_statement if connection.vendor == "postgresql" else _in_one_transaction
    row = write(ref, ending)
    if row is None:
        return False
    version, owner_id, kind, seconds = row
    emit(task_changed, task_id=ref.task_id, owner_id=owner_id, version=version)
    emit(slot_freed, owner_id=owner_id)
    ended = {"outcome": Outcome.SUCCEEDED.value, "status": Status.SUCCEEDED.value, "code": ""}
    emit(attempt_ended, task_id=ref.task_id, number=ref.number, kind=kind, seconds=float(seconds), **ended)
    return True


def _in_one_statement(ref: AttemptRef, ending: Ending) -> Row | None:
    closed = f"{_close()} AND EXISTS (SELECT 1 FROM ended)"  # noqa: S608
    whole = f"WITH ended AS ({_end()}), closed AS ({closed}) SELECT * FROM ended"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(whole, [*_end_values(ref, ending), *held_values(ref)])
        row: Row | None = cursor.fetchone()
    return row


def _in_one_transaction(ref: AttemptRef, ending: Ending) -> Row | None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_end(), _end_values(ref, ending))
        row: Row | None = cursor.fetchone()
        if row is not None:
            cursor.execute(_close(), held_values(ref))
    return row


def _end() -> str:
    """Without failed items, and without steps of an attempt before that this one did not visit."""
    now = now_sql()
    return f"""
        UPDATE {TASK} SET status = '{Status.SUCCEEDED}', version = version + 1, worker_id = NULL, finished_at = {now},
            secrets = '', error_code = '', error_text = '', progress_total = progress_done,
            {", ".join(f"{name} = %s" for name in STORED)}
        WHERE {HELD} AND cancel_requested_at IS NULL AND deadline_at > {now} AND failed_items = 0
            AND NOT EXISTS (SELECT 1 FROM {STEP} WHERE task_id = %s AND "index" >= %s AND NOT superseded)
        RETURNING version, owner_id, kind, {seconds_since_sql("claimed_at")} AS seconds
    """  # noqa: S608


def _end_values(ref: AttemptRef, ending: Ending) -> list[Any]:
    value = {"value": None, "value_file": "", "value_size": 0, "value_sha256": ""} | ending.value
    value["value"] = Task._meta.get_field("value").get_db_prep_save(value["value"], connection)
    held = held_values(ref)
    return [*(value[name] for name in STORED), *held, held[0], ending.visited]


def _close() -> str:
    outcome = f"outcome = '{Outcome.SUCCEEDED}', finished_at = {now_sql()}"
    return f"UPDATE {ATTEMPT} SET {outcome} WHERE task_id = %s AND number = %s"  # noqa: S608
