from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tasks_app.api.schemas import StepPage
from tasks_app.models import AttemptRef, Worker
from tests.presentation.rows import begin, save_answer, save_failure, save_value, succeed
from tests.support.rows import make_task

from .clients import assert_problem


@pytest.fixture
def ref(user: Any, worker: Worker) -> AttemptRef:
    ref = begin(make_task(user), worker, total=4)
    for index in (4, 2, 1):
        save_answer(ref, index, f"text {index}")
    save_failure(ref, 3, "no")
    save_value(ref, 0, [], is_item=False, name="split")
    return ref


def test_steps_come_in_order_as_described(client: Client, ref: AttemptRef) -> None:
    answer = client.get(f"/api/tasks/{ref.task_id}/steps")
    assert [step["index"] for step in answer.json()["items"]] == [0, 1, 2, 3, 4]
    assert answer.json()["next"] is None
    StepPage.model_validate(answer.json())


def test_pages_go_on_after_an_index(client: Client, ref: AttemptRef) -> None:
    path = f"/api/tasks/{ref.task_id}/steps"
    first = client.get(path, {"limit": 2}).json()
    assert ([step["index"] for step in first["items"]], first["next"]) == ([0, 1], 1)
    rest = client.get(path, {"limit": 3, "after": first["next"]}).json()
    assert ([step["index"] for step in rest["items"]], rest["next"]) == ([2, 3, 4], None)


def test_superseded_steps_are_left_out(client: Client, ref: AttemptRef) -> None:
    succeed(ref, visited=2)
    found = client.get(f"/api/tasks/{ref.task_id}/steps").json()["items"]
    assert [step["index"] for step in found] == [0, 1]


def test_they_are_their_owners_alone(other: Client, nobody: Client, client: Client, ref: AttemptRef) -> None:
    assert_problem(other.get(f"/api/tasks/{ref.task_id}/steps"), 404)
    assert_problem(nobody.get(f"/api/tasks/{ref.task_id}/steps"), 401)
    assert_problem(client.get(f"/api/tasks/{uuid4()}/steps"), 404)


@pytest.mark.parametrize("query", [{"after": -1}, {"after": 2**40}, {"after": "x"}, {"limit": 0}, {"limit": 201}])
def test_a_wrong_parameter_is_named(client: Client, ref: AttemptRef, query: Any) -> None:
    body = assert_problem(client.get(f"/api/tasks/{ref.task_id}/steps", query), 422)
    assert list(body["errors"]) == list(query)
