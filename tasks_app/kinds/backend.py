"""The django.tasks backend: `@task` functions of any Django application become tasks of Longhaul."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.tasks import Task as DjangoTask
from django.tasks import TaskResult, TaskResultStatus
from django.tasks.backends.base import BaseTaskBackend
from django.tasks.base import TaskError
from django.tasks.exceptions import TaskResultDoesNotExist
from django.tasks.signals import task_enqueued

from tasks_app.lifecycle.submit import submit
from tasks_app.models import Attempt, Status, Task

from . import registry
from .ordering import order_of
from .task import LonghaulTask

STATUS = {
    Status.PENDING: TaskResultStatus.READY,
    Status.QUEUED: TaskResultStatus.READY,
    Status.RUNNING: TaskResultStatus.RUNNING,
    Status.SUCCEEDED: TaskResultStatus.SUCCESSFUL,
    Status.FAILED: TaskResultStatus.FAILED,
    # Django knows no cancelled.
    Status.CANCELLED: TaskResultStatus.FAILED,
}


class LonghaulBackend(BaseTaskBackend):
    task_class = LonghaulTask
    supports_defer = True
    supports_async_task = True
    supports_get_result = True
    supports_priority = True

    def enqueue[**P, R](self, task: DjangoTask[P, R], args: Any, kwargs: Any) -> TaskResult[P, R]:
        """Commit a row without an owner: it takes nobody's slot. Raises TypeError where arguments are not JSON."""
        self.validate_task(task)
        if not isinstance(task, LonghaulTask):
            raise TypeError(f"expected a task made by @task on this backend, got {task!r}")
        order = order_of(
            task, owner_id=None, args=args, values=kwargs, priority=task.priority, run_after=task.run_after
        )
        result: TaskResult[P, R] = self._result(submit(order).task, task, attempts=[])
        task_enqueued.send(type(self), task_result=result)
        return result

    def get_result(self, result_id: str) -> Any:
        """Raises TaskResultDoesNotExist."""
        try:
            row = Task.objects.get(pk=UUID(str(result_id)))
        except (Task.DoesNotExist, ValidationError, ValueError) as error:
            raise TaskResultDoesNotExist(result_id) from error
        kind = registry.find(row.kind)
        if kind is None:
            raise TaskResultDoesNotExist(result_id)
        return self._result(row, kind, attempts=list(Attempt.objects.filter(task=row).order_by("number")))

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
            errors=[
                TaskError(exception_class_path=attempt.error_class, traceback=attempt.traceback)
                for attempt in attempts
                if attempt.error_class
            ],
            worker_ids=[str(attempt.worker_id) for attempt in attempts],
        )
        if row.status == Status.SUCCEEDED:
            object.__setattr__(result, "_return_value", row.load())
        return result
