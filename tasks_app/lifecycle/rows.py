"""Rows of tasks, read by plain statements."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection

from tasks_app.models import AttemptRef, Document, Task

from .guard import HELD, TASK, held_values

ALL = tuple(field.attname for field in Task._meta.concrete_fields)
READ = f"SELECT {', '.join(ALL)} FROM {TASK} WHERE {HELD}"  # noqa: S608
LOOK = f"SELECT cancel_requested_at IS NOT NULL FROM {TASK} WHERE {HELD}"  # noqa: S608
# Of a column: its place, and what turns the database's value into Python's.
type Reading = tuple[int, Callable[[Any], Any]]


def held_task(ref: AttemptRef) -> Task | None:
    """The whole row with its document, if that attempt owns it."""
    with connection.cursor() as cursor:
        cursor.execute(READ, held_values(ref))
        row = cursor.fetchone()
    if row is None:
        return None
    task = task_of(ALL, row)
    if task.document_id is not None:
        task.document = Document.objects.get(pk=task.document_id)
    return task


def is_stop_requested(ref: AttemptRef) -> bool | None:
    """None where the attempt no longer owns its task."""
    with connection.cursor() as cursor:
        cursor.execute(LOOK, held_values(ref))
        row = cursor.fetchone()
    return None if row is None else bool(row[0])


def task_of(names: tuple[str, ...], row: Sequence[Any]) -> Task:
    """The task of a row with these columns, in the order of the model; the others are loaded when asked for."""
    values = list(row)
    for place, read in _readings(connection.vendor, names):
        values[place] = read(values[place])
    return Task.from_db(connection.alias, names, values)


@lru_cache(maxsize=8)
def _readings(_vendor: str, names: tuple[str, ...]) -> list[Reading]:
    fields = {field.attname: field for field in Task._meta.concrete_fields}
    columns = [(place, fields[name].get_col(TASK)) for place, name in enumerate(names)]
    return [(place, reading) for place, column in columns if (reading := _reading(column)) is not None]


def _reading(column: Any) -> Callable[[Any], Any] | None:
    """As the ORM reads it; None where it takes what the database gives."""
    steps = [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
    if not steps:
        return None

    def read(value: Any) -> Any:
        for step in steps:
            value = step(value, column, connection)
        return value

    return read
