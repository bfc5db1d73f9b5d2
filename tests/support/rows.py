"""Rows for tests, as submission would make them."""

from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models.functions import Now

from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.claim import Claim, claim
from tasks_app.lifecycle.submit import Order, submit
from tasks_app.models import Task, Worker


def make_user(name: str = "ada", **fields: Any) -> Any:
    return get_user_model().objects.create_user(name, password="correct horse battery", **fields)


def make_worker(*queues: str, kinds: tuple[str, ...] = ("test",), **fields: Any) -> Worker:
    return Worker.objects.create(host="here", pid=1, queues=list(queues or ("gpu",)), kinds=list(kinds), **fields)


def make_order(owner: Any = None, **fields: Any) -> Order:
    values: dict[str, Any] = {
        "kind": "test",
        "queue": "gpu",
        "owner_id": owner.pk if owner else None,
        "payload": {"args": [], "kwargs": {}},
        "max_attempts": 3,
        "attempt_timeout": timedelta(seconds=300),
        "deadline": timedelta(seconds=1800),
    }
    return Order(**(values | fields))


def make_task(owner: Any = None, **fields: Any) -> Task:
    """A pending task."""
    return submit(make_order(owner, **fields)).task


def start(task: Task, worker: Worker) -> Claim:
    """Admit and claim this task, which must be the best of its queue, by a worker that knows its kind from now on."""
    known = Worker.objects.get(pk=worker.pk).kinds
    Worker.objects.filter(pk=worker.pk).update(kinds=sorted({*known, task.kind}))
    admit(task.owner_id)
    claimed = claim(worker.pk, queue=task.queue, kinds=[task.kind])
    assert claimed is not None
    assert claimed.ref.task_id == task.pk
    return claimed


def silence(worker: Worker, *, seconds: float = 60) -> None:
    """Make the worker's last heartbeat that old."""
    Worker.objects.filter(pk=worker.pk).update(heartbeat_at=Now() - timedelta(seconds=seconds))
