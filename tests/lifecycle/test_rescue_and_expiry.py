from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from tasks_app.lifecycle import workers
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.expiry import enforce_deadlines, expire
from tasks_app.lifecycle.rescue import rescue
from tasks_app.models import Attempt, AttemptRef, Outcome, Status, Task, Worker
from tests.support.rows import make_task, silence, start


def test_the_task_of_a_silent_worker_is_rescued(user: Any, worker: Worker) -> None:
    task = make_task(user)
    start(task, worker)
    assert rescue() == 0
    silence(worker, seconds=31)
    assert rescue() == 1
    task.refresh_from_db()
    assert (task.status, Attempt.objects.get().outcome) == (Status.PENDING, Outcome.LOST)


def test_a_worker_just_quiet_keeps_its_task(user: Any, worker: Worker) -> None:
    start(make_task(user), worker)
    silence(worker, seconds=25)
    assert rescue() == 0


def test_the_task_of_a_worker_that_is_gone_or_was_deleted_is_rescued(user: Any, worker: Worker) -> None:
    start(make_task(user), worker)
    workers.goodbye(worker.pk)
    assert rescue() == 1
    Task.objects.update(available_at=Now())
    again = Worker.objects.create(host="h", pid=2, queues=["gpu"])
    start(Task.objects.get(), again)
    again.delete()
    assert rescue() == 1


def test_one_row_that_cannot_be_ended_does_not_keep_the_others_from_it(
    user: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [make_task(user) for _ in range(3)]
    for task in tasks:
        start(task, worker)
    silence(worker)

    def broken(ref: AttemptRef, ending: Ending) -> Status:
        if ref.task_id == tasks[0].pk:
            raise RuntimeError("this row is broken")
        return end(ref, ending)

    monkeypatch.setattr("tasks_app.lifecycle.rescue.end", broken)
    assert rescue() == 2


@pytest.mark.parametrize("hand", [None, "other"])
def test_a_later_heartbeat_that_names_another_task_gives_it_up(user: Any, worker: Worker, hand: str | None) -> None:
    task = make_task(user)
    start(task, worker)
    Task.objects.update(claimed_at=Now() - timedelta(seconds=10))
    workers.heartbeat(worker.pk, hand=AttemptRef(task.pk, 1))
    assert rescue() == 0
    workers.heartbeat(worker.pk, hand=AttemptRef(task.pk, 7) if hand else None)
    assert rescue() == 1


def test_only_tasks_that_never_started_expire(user: Any, worker: Worker) -> None:
    started, fresh = make_task(user), make_task(user)
    start(started, worker)
    Task.objects.update(expires_at=Now() - timedelta(seconds=1))
    assert expire() == 1
    fresh.refresh_from_db()
    assert (fresh.status, fresh.error_code) == (Status.FAILED, "expired")


def test_a_waiting_task_fails_at_its_deadline(user: Any, worker: Worker) -> None:
    task = make_task(user)
    start(task, worker)
    Task.objects.update(status=Status.PENDING, deadline_at=Now() - timedelta(seconds=1))
    assert enforce_deadlines() == 1
    task.refresh_from_db()
    assert (task.status, task.error_code) == (Status.FAILED, "deadline_exceeded")
