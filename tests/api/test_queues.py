"""GET /api/queues: how far behind each queue is, for whoever may sign in."""

from datetime import datetime
from typing import Any

from django.db.models.functions import Now
from django.test import Client

from tasks_app.lifecycle.pause import pause
from tasks_app.models import Task, Worker
from tests.support.rows import make_task, make_user

from .clients import assert_problem


def queues(client: Client) -> dict[str, Any]:
    answer = client.get("/api/queues")
    assert answer.status_code == 200
    return {one["name"]: one for one in answer.json()["items"]}


def test_every_queue_is_told_of_in_the_order_of_the_settings(client: Client, settings: Any) -> None:
    assert list(queues(client)) == list(settings.TASK_QUEUES)


def test_an_empty_queue_is_drained(client: Client, worker: Worker) -> None:
    assert queues(client)["gpu"] == {
        "name": "gpu",
        "depth": 0,
        "running": 0,
        "workers": 1,
        "completed_last_10min": 0,
        "estimated_drain_minutes": 0,
        "paused": None,
    }


def test_work_that_nobody_finishes_has_no_drain_time(client: Client, stranger: Any, worker: Worker) -> None:
    make_task(stranger)
    found = queues(client)["gpu"]
    assert (found["depth"], found["estimated_drain_minutes"]) == (1, None)


def test_the_drain_time_is_the_depth_at_the_rate_of_the_last_ten_minutes(
    client: Client, user: Any, worker: Worker
) -> None:
    done = [make_task(user) for _ in range(4)]
    Task.objects.filter(pk__in=[task.pk for task in done]).update(
        status="succeeded", started_at=Now(), finished_at=Now()
    )
    make_task(user)
    make_task(user)
    found = queues(client)["gpu"]
    assert (found["depth"], found["completed_last_10min"], found["estimated_drain_minutes"]) == (2, 4, 5)


def test_a_pause_is_told_with_who_why_and_since_when(client: Client) -> None:
    pause(queue="cpu", by_id=make_user("grace").pk, reason="model upgrade")
    paused = queues(client)["cpu"]["paused"]
    assert (paused["by"], paused["reason"]) == ("grace", "model upgrade")
    assert datetime.fromisoformat(paused["since"]).tzinfo is not None
    assert queues(client)["gpu"]["paused"] is None


def test_who_is_not_signed_in_is_told_nothing(nobody: Client) -> None:
    assert_problem(nobody.get("/api/queues"), 401)


def test_it_is_only_read(client: Client) -> None:
    assert_problem(client.post("/api/queues"), 405)
