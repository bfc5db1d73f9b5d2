"""Made-up tasks by the million, written by the database itself: to see how the product does with many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, models, transaction

from tasks_app.models import (
    Allowance,
    Attempt,
    CallOutcome,
    ErrorCode,
    ModelCall,
    Outcome,
    Status,
    StepResult,
    StepStatus,
    Task,
)

from .clock import database_now

# Rows of one transaction.
AT_ONCE = 50_000
# One in so many finished tasks has an attempt, and so many steps, each with its call.
WITH_PARTS, PARTS = 20, 3
FINISHED_OVER = timedelta(days=30)
WAITING_OVER = timedelta(hours=1)
LONGEST_SECONDS = 300

# Expressions below know a whole number n, and `made` in seconds since 1970.
SERIES = {
    "postgresql": "SELECT generate_series(%s::bigint, %s::bigint) AS n",
    "sqlite": "WITH RECURSIVE s(n) AS (SELECT %s UNION ALL SELECT n + 1 FROM s WHERE n < %s) SELECT n FROM s",
}
TIME = {"postgresql": "to_timestamp({})", "sqlite": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', {}, 'unixepoch')"}
# A UUIDv7: it begins with the time in milliseconds, so that the newest are found by their id.
UUID7 = {
    "postgresql": "(lpad(to_hex((made * 1000)::bigint), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid",
    "sqlite": "printf('%%012x7000a%%015x', CAST(made * 1000 AS INTEGER), n)",
}
KIND = "CASE WHEN n %% 4 = 0 THEN 'document.extract' ELSE 'document.generate' END"
QUEUE = "CASE WHEN n %% 4 = 0 THEN 'cpu' ELSE 'gpu' END"
FAILED = "n %% 100 BETWEEN 90 AND 96"
STATUS = f"""
CASE WHEN n %% 100 < 90 THEN '{Status.SUCCEEDED}' WHEN {FAILED} THEN '{Status.FAILED}' ELSE '{Status.CANCELLED}' END
"""
LASTED = f"(1 + n * 7919 %% {LONGEST_SECONDS})"


@dataclass(frozen=True, slots=True)
class Span:
    """Rows first ... last, one each `step` seconds before `until` (seconds since 1970), the first being the newest."""

    first: int
    last: int
    until: float
    step: float


def fill_finished(count: int, *, owner_ids: Sequence[int]) -> None:
    """Finished tasks of these users in turn, the last of them just now, the first a month ago."""
    _allow(owner_ids)
    for span in _spans(count, over=FINISHED_OVER):
        with transaction.atomic():
            _insert(_finished_task(), _finished_columns(owner_ids), span)
            for blank, columns in _parts(owner_ids):
                _insert(blank, columns, span, every=WITH_PARTS)


def fill_waiting(count: int, *, owner_id: int) -> None:
    """Pending tasks of one user, all due, submitted within the last hour."""
    _allow([owner_id])
    for span in _spans(count, over=WAITING_OVER):
        _insert(_task(), _task_columns([owner_id]) | {"expires_at": _time("made + 604800")}, span)


def analyze() -> None:
    """Let the planner know of the rows at once."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _allow(owner_ids: Sequence[int]) -> None:
    rows = [Allowance(owner_id=owner_id) for owner_id in owner_ids]
    Allowance.objects.bulk_create(rows, ignore_conflicts=True)


def _spans(count: int, *, over: timedelta) -> list[Span]:
    """The newest have had the time to end."""
    until, step = database_now().timestamp() - LONGEST_SECONDS - 2, over.total_seconds() / max(count, 1)
    return [Span(first, min(first + AT_ONCE, count) - 1, until, step) for first in range(0, count, AT_ONCE)]


def _task() -> Task:
    return Task(
        payload={"args": [], "kwargs": {}},
        max_attempts=settings.LONGHAUL_MAX_ATTEMPTS,
        attempt_timeout=timedelta(seconds=LONGEST_SECONDS),
        deadline_after=timedelta(seconds=settings.LONGHAUL_DEADLINE_SECONDS),
    )


def _finished_task() -> Task:
    task = _task()
    task.attempt, task.value = 1, "Filled in."
    task.progress_done = task.progress_total = PARTS
    return task


def _task_columns(owner_ids: Sequence[int]) -> dict[str, str]:
    names = ("created_at", "available_at", "expires_at")
    return {
        "id": UUID7[connection.vendor],
        "owner_id": _in_turn(owner_ids),
        "kind": KIND,
        "queue": QUEUE,
        **dict.fromkeys(names, _time("made")),
    }


def _finished_columns(owner_ids: Sequence[int]) -> dict[str, str]:
    started = dict.fromkeys(("queued_at", "claimed_at", "started_at"), _time("made + 1"))
    return _task_columns(owner_ids) | {
        "status": STATUS,
        "error_code": f"CASE WHEN {FAILED} THEN '{ErrorCode.ERROR}' ELSE '' END",
        "finished_at": _time(f"made + 1 + {LASTED}"),
        **started,
    }


def _parts(owner_ids: Sequence[int]) -> list[tuple[models.Model, dict[str, str]]]:
    """What hangs on a finished task."""
    task_id, start, end = UUID7[connection.vendor], _time("made + 1"), _time(f"made + 1 + {LASTED}")
    found: list[tuple[models.Model, dict[str, str]]] = [
        (
            Attempt(number=1, outcome=Outcome.SUCCEEDED),
            {"task_id": task_id, "started_at": start, "finished_at": end},
        )
    ]
    for index in range(PARTS):
        step = StepResult(
            index=index,
            name="generate",
            key=f"{index:064}",
            is_item=True,
            status=StepStatus.SUCCEEDED,
            attempt=1,
            version=2 + index,
            value="Filled in.",
            duration_seconds=1,
        )
        call = ModelCall(
            step_index=index,
            attempt=1,
            endpoint="http://localhost/v1",
            model_name="filled",
            outcome=CallOutcome.ANSWERED,
            content_key=f"{index:064}",
            idempotency_key=f"{index:064}",
            prompt_tokens=100,
            completion_tokens=20,
            answer={"text": "Filled in.", "finish_reason": "stop"},
        )
        found.append((step, {"task_id": task_id, "created_at": end}))
        found.append((call, {"task_id": task_id, "owner_id": _in_turn(owner_ids), "sent_at": start, "closed_at": end}))
    return found


def _in_turn(owner_ids: Sequence[int]) -> str:
    whens = " ".join(f"WHEN {place} THEN {int(owner_id)}" for place, owner_id in enumerate(owner_ids))
    return f"CASE n / {WITH_PARTS} %% {len(owner_ids)} {whens} END"


def _time(seconds: str) -> str:
    return TIME[connection.vendor].format(seconds)


def _insert(blank: models.Model, computed: Mapping[str, str], span: Span, *, every: int = 1) -> None:
    """A row for each number of the span that `every` divides: a blank one's columns, but for those computed."""
    columns: dict[str, str] = {}
    values: list[Any] = []
    for field in blank._meta.concrete_fields:
        name = str(field.column)
        if name in computed:
            columns[name] = computed[name]
        elif not field.has_db_default() and not isinstance(field, models.AutoField):
            columns[name] = "%s"
            values.append(field.get_db_prep_save(getattr(blank, field.attname), connection))
    names = ", ".join(connection.ops.quote_name(name) for name in columns)
    statement = f"""
        INSERT INTO {blank._meta.db_table} ({names}) SELECT {", ".join(columns.values())}
        FROM (SELECT n, %s - (n + 1) * %s AS made FROM ({SERIES[connection.vendor]}) AS numbers) AS made_up
        WHERE n %% %s = 0
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, span.until, span.step, span.first, span.last, every])
