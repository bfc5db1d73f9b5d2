from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tasks_app.models import Task, Worker
from tests.presentation.rows import begin, fail
from tests.support.rows import make_task

from .clients import assert_problem


@pytest.fixture
def failed(user: Any, worker: Worker) -> Task:
    return fail(begin(make_task(user), worker), "It broke.")


def test_attempts_are_listed_with_their_ends(client: Client, failed: Task) -> None:
    answer = client.get(f"/api/tasks/{failed.pk}/attempts")
    assert answer.status_code == 200
    (only,) = answer.json()["items"]
    assert (only["number"], only["outcome"], only["text"]) == (1, "error", "It broke.")
    assert only["counts"] == {"as": "attempt", "number": 1, "of": 3}
    assert "traceback" not in only


def test_a_task_that_never_began_has_none(client: Client, user: Any) -> None:
    assert client.get(f"/api/tasks/{make_task(user).pk}/attempts").json() == {"items": []}


def test_nobody_else_can(client: Client, other: Client, nobody: Client, failed: Task) -> None:
    assert_problem(other.get(f"/api/tasks/{failed.pk}/attempts"), 404)
    assert_problem(nobody.get(f"/api/tasks/{failed.pk}/attempts"), 401)
    assert_problem(client.get(f"/api/tasks/{uuid4()}/attempts"), 404)
