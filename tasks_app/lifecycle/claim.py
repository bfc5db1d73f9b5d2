"""Claim: take the best queued task of a queue for one attempt, exclusively.

One statement, compiled once: the ORM takes longer to write the statements of a claim than the database to execute them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now
from django.db.models.sql import UpdateQuery

from tasks_app.models import Attempt, AttemptRef, Status, Task, Worker
from tasks_app.signals import attempt_began, emit

from .clock import database_now, now_sql
from .guard import changed
from .line import best
from .rows import ALL, task_of

# Of the claimed row: what a claim tells, and what hangs on it.
TOLD = {
    *("id", "owner_id", "version", "attempt", "worker_id", "kind", "queue"),
    *("attempt_timeout", "call_timeout", "deadline_at", "available_at"),
}
NAMES = tuple(name for name in ALL if name in TOLD)
ATTEMPT = f"""
INSERT INTO {Attempt._meta.db_table}
(task_id, number, worker_id, outcome, spent, error_code, error_text, error_class, traceback)
"""
EMPTY = "'', false, '', '', '', ''"
WORKER = Worker._meta.db_table


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt to make. `limit_seconds`: the attempt's; `deadline_seconds`: what the whole task has left.

    `call_seconds`: of one model call.
    """

    ref: AttemptRef
    kind: str
    queue: str
    limit_seconds: float
    deadline_seconds: float
    call_seconds: float


def claim(worker_id: UUID, *, queue: str, kinds: Collection[str]) -> Claim | None:
    """Make the queue's best row running, with its Attempt and the worker's heartbeat, in one transaction."""
    if not kinds:
        return None
    statement, values = _best_to_running(connection.vendor, worker_id, queue, tuple(sorted(kinds)))
    take = _in_one_statement if connection.vendor == "postgresql" else _in_one_transaction
    row = take(statement, values)
    return None if row is None else _told(*row)


@lru_cache(maxsize=16)
def _best_to_running(_vendor: str, worker_id: UUID, queue: str, kinds: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    """The guarded UPDATE of the best row, with its values.

    Hazard: compiled once for a worker, so that nothing in it may depend on the moment but through the database.
    """
    query: Any = Task.objects.queued().filter(pk=best(queue, kinds)).query.chain(klass=UpdateQuery)
    query.add_update_values(_started(worker_id))
    with transaction.atomic():
        statement, values = query.get_compiler(connection=connection).as_sql()
    return f"{statement} RETURNING {', '.join(NAMES)}", values


def _started(worker_id: UUID) -> dict[str, Any]:
    return {
        "status": Status.RUNNING,
        "attempt": F("attempt") + 1,
        "version": F("version") + 1,
        "worker_id": worker_id,
        "claimed_at": Now(),
        "started_at": Coalesce("started_at", Now()),
        "deadline_at": Coalesce("deadline_at", Now() + F("deadline_after")),
    }


def _in_one_statement(statement: str, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any] | None:
    """The row and the database's clock."""
    whole = f"""
        WITH started AS ({statement}),
        made AS ({ATTEMPT} SELECT id, attempt, worker_id, {EMPTY} FROM started),
        beat AS (
            UPDATE {WORKER} SET task_id_in_hand = started.id, attempt_in_hand = attempt, heartbeat_at = {now_sql()}
            FROM started WHERE {WORKER}.id = started.worker_id
        )
        SELECT clock_timestamp(), {", ".join(NAMES)} FROM started
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(whole, values)
        row = cursor.fetchone()
    return None if row is None else (row[1:], row[0])


def _in_one_transaction(statement: str, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any] | None:
    """The same, where a statement cannot write three tables."""
    beat = f"UPDATE {WORKER} SET task_id_in_hand = %s, attempt_in_hand = %s, heartbeat_at = {now_sql()} WHERE id = %s"  # noqa: S608
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
        if row is None:
            return None
        hand = [row[NAMES.index(name)] for name in ("id", "attempt", "worker_id")]
        cursor.execute(f"{ATTEMPT} VALUES (%s, %s, %s, {EMPTY})", hand)
        cursor.execute(beat, hand)
    return row, database_now()


def _told(row: tuple[Any, ...], now: Any) -> Claim:
    task = task_of(NAMES, row)
    changed(task)
    if task.deadline_at is None:
        raise AssertionError("a started task has a deadline")
    left = (task.deadline_at - now).total_seconds()
    waited = (now - task.available_at).total_seconds()
    emit(attempt_began, kind=task.kind, queue=task.queue, waited_seconds=waited)
    return Claim(
        task.ref, task.kind, task.queue, task.attempt_timeout.total_seconds(), left, task.call_limit.total_seconds()
    )
