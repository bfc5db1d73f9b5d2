"""A task's life as its worker writes it, for sockets to watch."""

from typing import Any

from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.steps import StepRecord, save_step, set_total
from tasks_app.models import AttemptRef, Outcome, StepStatus, Task
from tests.support.rows import make_task, make_worker, start


def started(owner: Any) -> AttemptRef:
    return start(make_task(owner), make_worker()).ref


def item(ref: AttemptRef, index: int, *, text: str = "an answer") -> int:
    return save_step(
        ref,
        StepRecord(
            index=index,
            name="generate",
            key=f"{index:064}",
            is_item=True,
            status=StepStatus.SUCCEEDED,
            value={"value": {"text": text}, "value_size": len(text) + 12},
        ),
    )


def items(ref: AttemptRef, indexes: range) -> None:
    for index in indexes:
        item(ref, index)


def succeed(ref: AttemptRef, *, visited: int) -> None:
    end(ref, Ending(outcome=Outcome.SUCCEEDED, visited=visited))


def total(ref: AttemptRef, number: int) -> None:
    set_total(ref, number)


def row(ref: AttemptRef) -> Task:
    return Task.objects.get(pk=ref.task_id)
