"""What the conformance tests share: a worker in this process, and what Django's signals told."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.dispatch import Signal

from tasks_app.kinds.perform import perform
from tasks_app.models import Task
from tasks_app.work.interruption import Interruption
from tests.support.rows import make_worker, start


def carry_out(result: Any) -> Any:
    """One attempt, as a worker makes it; returns the refreshed result."""
    row = Task.objects.get(pk=result.id)
    claimed = start(row, make_worker(row.queue))
    perform(claimed.ref, limit_seconds=60, interruption=Interruption())
    result.refresh()
    return result


@contextmanager
def listening(signal: Signal) -> Iterator[list[tuple[Any, Any]]]:
    """(sender, task_result) of each that is sent."""
    heard: list[tuple[Any, Any]] = []

    def hear(sender: Any, task_result: Any, **_: Any) -> None:
        heard.append((sender, task_result))

    signal.connect(hear)
    try:
        yield heard
    finally:
        signal.disconnect(hear)
