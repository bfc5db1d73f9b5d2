from collections.abc import Sequence
from typing import Any

from django.db.models import prefetch_related_objects

from tasks_app.models import Status, Task

from .facts import Facts, facts_of
from .progress import percent
from .sizes import message, small_input
from .times import iso
from .waiting import waiting_object

NO_CALLS = {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}


def task_object(task: Task) -> dict[str, Any]:
    return task_objects([task])[0]


def task_objects(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """The tasks as API, WebSocket and page show them, in their order; the number of queries does not grow with them.

    `url` is the API's address of the task; the page makes its own from `id`.
    """
    prefetch_related_objects(tasks, "document")
    facts = facts_of(tasks)
    return [_object(task, facts) for task in tasks]


def _object(task: Task, facts: Facts) -> dict[str, Any]:
    return {
        "id": str(task.pk),
        "url": f"/api/tasks/{task.pk}",
        "kind": task.kind,
        "queue": task.queue,
        "status": task.status,
        "stopping": _is_running(task) and task.cancel_requested_at is not None,
        "cancel_requested_at": iso(task.cancel_requested_at),
        "fresh": task.fresh,
        "input": small_input(task.kwargs),
        "document": _document(task),
        "progress": _progress(task),
        "failed_items": task.failed_items,
        "attempts": facts.spent.get(task.pk, 0),
        "max_attempts": task.max_attempts,
        "attempt_number": task.attempt,
        "attempt_started_at": iso(task.claimed_at) if _is_running(task) else None,
        "attempt_timeout_seconds": task.attempt_timeout.total_seconds(),
        "created_at": iso(task.created_at),
        "started_at": iso(task.started_at),
        "finished_at": iso(task.finished_at),
        "deadline_at": iso(task.deadline_at),
        "error": {"code": task.error_code, "message": message(task.error_text)} if task.error_code else None,
        "waiting": _waiting(task, facts),
        "usage": _usage(task, facts),
        "scratch": _scratch(task, facts),
        "can": _can(task),
        "version": task.version,
        "reset_version": task.reset_version,
    }


def _document(task: Task) -> dict[str, Any] | None:
    document = task.document
    return {"id": str(document.pk), "name": document.name, "size": document.size} if document else None


def _progress(task: Task) -> dict[str, Any]:
    return {
        "done": task.progress_done,
        "total": task.progress_total,
        "message": task.progress_message,
        "percent": percent(task.progress_done, task.progress_total, task.status),
    }


def _is_running(task: Task) -> bool:
    return task.status == Status.RUNNING


def _usage(task: Task, facts: Facts) -> dict[str, int]:
    in_doubt = facts.in_doubt.get(task.pk, 0)
    return {**facts.usage.get(task.pk, NO_CALLS), "reused": task.reused_calls, "in_doubt": in_doubt}


def _scratch(task: Task, facts: Facts) -> dict[str, int] | None:
    """As `lifecycle.retry.cost_of_scratch`, for many tasks at once."""
    if not task.can_be_retried:
        return None
    paid = facts.again.get(task.pk, NO_CALLS)
    return {**paid, "calls": paid["calls"] + task.reused_now}


def _waiting(task: Task, facts: Facts) -> dict[str, Any] | None:
    if facts.waiting is None or task.status not in (Status.PENDING, Status.QUEUED):
        return None
    return waiting_object(task, facts.waiting)


def _can(task: Task) -> dict[str, bool]:
    return {
        "cancel": not task.is_final and task.cancel_requested_at is None,
        "retry": task.can_be_retried,
        "download": task.status == Status.SUCCEEDED or task.progress_done > 0,
    }
