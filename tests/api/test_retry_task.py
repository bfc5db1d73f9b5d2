from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tasks_app.models import Task, Worker
from tests.presentation.rows import begin, fail, save_answer, succeed
from tests.support.rows import make_task

from .clients import assert_problem, post_json, submit


@pytest.fixture
def failed(user: Any, worker: Worker) -> Task:
    ref = begin(make_task(user), worker, total=2)
    save_answer(ref, 0, "One.")
    return fail(ref)


@pytest.mark.parametrize("body", [None, b"", b"{}", {"from_scratch": False}])
def test_a_failed_task_begins_again_where_it_stopped(client: Client, failed: Task, body: Any) -> None:
    path = f"/api/tasks/{failed.pk}/retry"
    answer = client.post(path) if body is None else post_json(client, path, body)
    assert (answer.status_code, answer.json()) == (202, {"id": str(failed.pk), "status": "pending"})
    assert client.get(f"/api/tasks/{failed.pk}").json()["progress"]["done"] == 1


@pytest.mark.parametrize("as_form", [True, False])
def test_from_scratch_finished_parts_are_done_again(client: Client, failed: Task, as_form: bool) -> None:
    path = f"/api/tasks/{failed.pk}/retry"
    sent = {"from_scratch": True}
    answer = client.post(path, sent) if as_form else post_json(client, path, sent)
    assert answer.status_code == 202
    assert client.get(f"/api/tasks/{failed.pk}").json()["progress"]["done"] == 0


def test_a_task_that_succeeded_whole_is_409(client: Client, user: Any, worker: Worker) -> None:
    task = succeed(begin(make_task(user), worker))
    assert_problem(client.post(f"/api/tasks/{task.pk}/retry"), 409, code="wrong_state")


def test_an_active_twin_is_409_with_its_id(client: Client) -> None:
    first = submit(client)
    client.post(f"{first['Location']}/cancel")
    twin = submit(client)
    body = assert_problem(client.post(f"{first['Location']}/retry"), 409, code="twin_active")
    assert body["id"] == twin.json()["id"]


def test_nobody_else_can(client: Client, other: Client, nobody: Client, failed: Task) -> None:
    assert_problem(other.post(f"/api/tasks/{failed.pk}/retry"), 404)
    assert_problem(nobody.post(f"/api/tasks/{failed.pk}/retry"), 401)
    assert_problem(client.post(f"/api/tasks/{uuid4()}/retry"), 404)
    assert Task.objects.get().status == "failed"


def test_a_body_that_is_no_json_is_400(client: Client, failed: Task) -> None:
    assert_problem(post_json(client, f"/api/tasks/{failed.pk}/retry", b"{"), 400, code="malformed")


@pytest.mark.parametrize("body", [{"from_scratch": "soon"}, {"scratch": True}, []])
def test_a_wrong_body_is_422(client: Client, failed: Task, body: Any) -> None:
    assert assert_problem(post_json(client, f"/api/tasks/{failed.pk}/retry", body), 422)["errors"]
