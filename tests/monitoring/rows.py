"""Rows of queues at work, without the processes that would make them."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models.functions import Now

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import QueueSample, Status, Task
from tasks_app.monitoring.samples import QueueFigures, figures
from tests.support.rows import make_task

SECOND = timedelta(seconds=1)


def of(queue: str) -> QueueFigures:
    """Figures of that queue."""
    return next(one for one in figures() if one.name == queue)


def make_due(count: int = 1, *, seconds: float = 0, queue: str = "gpu", kind: str = "test") -> list[Task]:
    """Pending tasks of nobody, due since so long."""
    tasks = [make_task(queue=queue, kind=kind) for _ in range(count)]
    since = Now() - timedelta(seconds=seconds)
    Task.objects.filter(pk__in=[task.pk for task in tasks]).update(available_at=since, created_at=since)
    return tasks


def make_done(count: int = 1, *, minutes: float = 1, queue: str = "gpu", started: bool = True) -> list[Task]:
    """Tasks that ended so long ago."""
    tasks = [make_task(queue=queue) for _ in range(count)]
    then = Now() - timedelta(minutes=minutes)
    Task.objects.filter(pk__in=[task.pk for task in tasks]).update(
        status=Status.SUCCEEDED if started else Status.CANCELLED,
        started_at=then if started else None,
        finished_at=then,
        created_at=then,
    )
    return tasks


def make_history(
    shapes: Sequence[dict[str, Any]], *, until: datetime | None = None, every: timedelta = SECOND, queue: str = "gpu"
) -> None:
    """A sample for each of the shapes, oldest first, the last one now. What a shape does not say is zero."""
    last = (until or database_now()).replace(microsecond=0)
    QueueSample.objects.bulk_create(
        _sample(queue, last - every * number, shape) for number, shape in enumerate(reversed(shapes))
    )


def _sample(queue: str, at: datetime, shape: dict[str, Any]) -> QueueSample:
    nothing = dict.fromkeys(("depth", "running", "workers", "arrivals", "completions", "oldest_seconds"), 0)
    return QueueSample(queue=queue, at=at, **nothing | {"drain_minutes": 0.0} | shape)


def closing(work: Callable[[], Any]) -> Any:
    """What `work` returns; its thread's connection is closed."""
    try:
        return work()
    finally:
        connection.close()
