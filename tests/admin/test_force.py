"""A stop by force is for operators."""

from typing import Any

from django.test import Client

from tasks_app.models import Task, Worker
from tests.support.rows import make_task, start

from .conftest import act


def test_it_asks_what_runs_to_be_killed_and_cancels_what_waits(operator: Client, user: Any, worker: Worker) -> None:
    running, waiting = make_task(user), make_task(user)
    start(running, worker)
    assert "2 tasks are being stopped by force" in act(operator, "stop_by_force", running, waiting).text
    running.refresh_from_db()
    waiting.refresh_from_db()
    assert (running.cancel_is_forced, running.status, waiting.status) == (True, "running", "cancelled")


def test_it_says_when_the_program_is_killed(operator: Client, user: Any, settings: Any) -> None:
    make_task(user)
    grace = f"{settings.LONGHAUL_FORCED_STOP_GRACE_SECONDS:g} s"
    assert f"Stop by force: kill its program after {grace}" in act(operator, "").text


def test_a_task_that_was_asked_to_stop_before_can_still_be_forced(operator: Client, user: Any, worker: Worker) -> None:
    task = make_task(user)
    start(task, worker)
    act(operator, "cancel_tasks", task)
    act(operator, "stop_by_force", task)
    assert Task.objects.get(pk=task.pk).cancel_is_forced


def test_who_may_only_look_cannot(looker: Client, user: Any, worker: Worker) -> None:
    task = make_task(user)
    start(task, worker)
    page = act(looker, "stop_by_force", task)
    assert "Stop by force" not in page.text
    assert Task.objects.get(pk=task.pk).cancel_requested_at is None
