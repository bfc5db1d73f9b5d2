"""The django.tasks backend: `@task` functions of any Django application become tasks of Longhaul."""

from __future__ import annotations

import logging
from typing import Any, cast
from uuid import UUID

from django.dispatch import Signal, receiver
from django.tasks import Task as DjangoTask
from django.tasks import TaskResult, TaskResultStatus, task_backends
from django.tasks.backends.base import BaseTaskBackend
from django.tasks.base import TaskError
from django.tasks.exceptions import TaskResultDoesNotExist
from django.tasks.signals import log_task_finished, log_task_started, task_enqueued, task_finished, task_started

from tasks_app.conf import queue
from tasks_app.lifecycle.submit import submit
from tasks_app.models import FINAL, Attempt, Outcome, Status, Task
from tasks_app.signals import attempt_ended

from . import registry
from .ordering import as_stored, order_of
from .task import LonghaulTask

logger = logging.getLogger(__name__)

# Django's own log of both: ours says it with the attempt's number, and a result that nobody asks for costs two queries.
task_started.disconnect(log_task_started)
task_finished.disconnect(log_task_finished)

STATUS = {
    Status.PENDING: TaskResultStatus.READY,
    Status.QUEUED: TaskResultStatus.READY,
    Status.RUNNING: TaskResultStatus.RUNNING,
    Status.SUCCEEDED: TaskResultStatus.SUCCESSFUL,
    Status.FAILED: TaskResultStatus.FAILED,
    # Django knows no cancelled.
    Status.CANCELLED: TaskResultStatus.FAILED,
}
# What ended an attempt that no exception of the kind's own code ended.
RAISED = {
    Outcome.TIMEOUT: "tasks_app.exceptions.AttemptTimeUp",
    Outcome.DEADLINE: "tasks_app.exceptions.AttemptTimeUp",
    Outcome.MEMORY: "builtins.MemoryError",
    Outcome.LOST: "tasks_app.exceptions.LonghaulError",
    Outcome.CANCELLED: "tasks_app.exceptions.CancelRequested",
}


class LonghaulBackend(BaseTaskBackend):
    task_class = LonghaulTask
    supports_defer = True
    supports_async_task = True
    supports_get_result = True
    supports_priority = True

    def enqueue[**P, R](self, task: DjangoTask[P, R], args: Any, kwargs: Any) -> TaskResult[P, R]:
        """Commit a row without an owner: it takes nobody's slot.

        Inside a transaction the task is part of it: no worker sees it before the commit, and a rollback undoes it.
        Raises InvalidTask, TypeError where arguments are not JSON, ValueError where JSON or a database knows no such
        number or character.
        """
        self.validate_task(task)
        if not isinstance(task, LonghaulTask):
            raise TypeError(f"expected a task made by @task on this backend, got {task!r}")
        order = order_of(
            task,
            owner_id=None,
            args=as_stored(list(args)),
            values=as_stored(kwargs),
            priority=task.priority,
            run_after=task.run_after,
        )
        result: TaskResult[P, R] = self._result(submit(order).task, task, attempts=[])
        task_enqueued.send(type(self), task_result=result)
        return result

    def get_result(self, result_id: str) -> Any:
        """Raises TaskResultDoesNotExist, also for a kind that this process does not know."""
        try:
            row = Task.objects.get(pk=UUID(str(result_id)))
        except (Task.DoesNotExist, ValueError) as error:
            raise TaskResultDoesNotExist(result_id) from error
        kind = registry.find(row.kind)
        if kind is None:
            raise TaskResultDoesNotExist(result_id)
        return self.result_of(row, kind)

    def result_of(self, row: Task, kind: LonghaulTask) -> Any:
        return self._result(row, self._as_enqueued(kind, row), attempts=_attempts(row))

    def _as_enqueued(self, kind: LonghaulTask, row: Task) -> Any:
        """The kind with what `using()` had changed."""
        is_own_queue = queue(kind.queue_name).name == row.queue or row.queue not in self.queues
        # Both times are of one statement where nobody asked for a later one.
        is_deferred = row.available_at > row.created_at
        return kind.using(
            priority=row.priority,
            queue_name=None if is_own_queue else row.queue,
            run_after=row.available_at if is_deferred else None,
            backend=self.alias,
        )

    def _result(self, row: Task, task: LonghaulTask, *, attempts: list[Attempt]) -> Any:
        result: TaskResult[..., Any] = TaskResult(
            task=task,
            id=str(row.pk),
            status=STATUS[Status(row.status)],
            enqueued_at=row.created_at,
            started_at=row.started_at,
            finished_at=row.finished_at,
            last_attempted_at=row.claimed_at,
            args=row.payload.get("args", []),
            kwargs=row.payload.get("kwargs", {}),
            backend=self.alias,
            errors=[error for attempt in attempts if (error := _error(attempt))],
            # A worker's row goes before its tasks' do; the attempt still counts.
            worker_ids=[str(attempt.worker_id or "") for attempt in attempts],
        )
        if row.status == Status.SUCCEEDED:
            object.__setattr__(result, "_return_value", row.load())
        return result


def _attempts(row: Task) -> list[Attempt]:
    if row.status == Status.RUNNING and row.attempt == 1:
        return [Attempt(task=row, number=1, worker_id=row.worker_id)]
    return list(Attempt.objects.filter(task=row).order_by("number")) if row.attempt else []


def backend_of(kind: LonghaulTask) -> LonghaulBackend:
    return cast(LonghaulBackend, task_backends[kind.backend])


def _error(attempt: Attempt) -> TaskError | None:
    path = attempt.error_class or (RAISED.get(Outcome(attempt.outcome), "") if attempt.outcome else "")
    text = attempt.traceback or attempt.error_text
    return TaskError(exception_class_path=path, traceback=text) if path else None


def tell(signal: Signal, result: Any) -> None:
    """Send a signal of django.tasks. A receiver that fails is logged and changes nothing."""
    backend = type(task_backends[result.backend])
    for receiver_, answer in signal.send_robust(sender=backend, task_result=result):
        if isinstance(answer, Exception):
            logger.error("receiver %r failed for task %s", receiver_, result.id, exc_info=answer)


@receiver(attempt_ended)
def _tell_finished(*, task_id: UUID, status: str, **_: Any) -> None:
    """In whatever process the last attempt was ended: its own, its worker's, or the one that rescued it."""
    is_told = status in FINAL and task_finished.has_listeners()
    row = Task.objects.filter(pk=task_id).first() if is_told else None
    kind = registry.find(row.kind) if row else None
    if row and kind:
        tell(task_finished, backend_of(kind).result_of(row, kind))
