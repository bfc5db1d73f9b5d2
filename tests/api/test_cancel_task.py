from typing import Any
from uuid import uuid4

from django.test import Client

from tasks_app.models import Task, Worker
from tests.presentation.rows import begin, succeed
from tests.support.rows import make_task

from .clients import assert_problem


def test_a_waiting_task_is_cancelled_at_once(client: Client, user: Any) -> None:
    task = make_task(user)
    answer = client.post(f"/api/tasks/{task.pk}/cancel")
    assert (answer.status_code, answer.json()) == (202, {"id": str(task.pk), "status": "cancelled"})


def test_a_running_task_is_asked_to_stop_as_often_as_one_likes(client: Client, user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    for _ in range(2):
        answer = client.post(f"/api/tasks/{ref.task_id}/cancel")
        assert (answer.status_code, answer.json()["status"]) == (202, "running")
    assert client.get(f"/api/tasks/{ref.task_id}").json()["stopping"] is True


def test_a_finished_task_is_409(client: Client, user: Any, worker: Worker) -> None:
    task = succeed(begin(make_task(user), worker))
    body = assert_problem(client.post(f"/api/tasks/{task.pk}/cancel"), 409, code="wrong_state")
    assert "succeeded" in body["detail"]


def test_nobody_else_can(client: Client, other: Client, nobody: Client, user: Any) -> None:
    task = make_task(user)
    assert_problem(other.post(f"/api/tasks/{task.pk}/cancel"), 404)
    assert_problem(nobody.post(f"/api/tasks/{task.pk}/cancel"), 401)
    assert_problem(client.post(f"/api/tasks/{uuid4()}/cancel"), 404)
    assert Task.objects.get().status == "pending"
