from typing import Any

import pytest
from django.test import Client

from tasks_app.api.schemas import TaskPage
from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Task, Worker
from tests.presentation.rows import begin, fail, make_document_task
from tests.support.rows import make_task

from .clients import assert_problem


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


def test_newest_first_and_as_described(client: Client, user: Any) -> None:
    tasks = [make_document_task(user) for _ in range(3)]
    answer = client.get("/api/tasks")
    assert ids(answer) == [str(task.pk) for task in reversed(tasks)]
    assert answer.json()["next"] is None
    assert "no-store" in answer["Cache-Control"]
    TaskPage.model_validate(answer.json())


def test_nobody_sees_anothers_tasks(other: Client, nobody: Client, user: Any) -> None:
    make_task(user)
    make_task(None)
    assert ids(other.get("/api/tasks")) == []
    assert_problem(nobody.get("/api/tasks"), 401)


def test_pages_stay_in_step_while_tasks_are_added(client: Client, user: Any) -> None:
    tasks = [make_task(user) for _ in range(7)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = client.get("/api/tasks", {"limit": 3} | ({"cursor": cursor} if cursor else {}))
        seen += ids(answer)
        cursor = answer.json()["next"]
        make_task(user)
    assert seen == [str(task.pk) for task in reversed(tasks)]


def test_a_full_last_page_has_no_next(client: Client, user: Any) -> None:
    for _ in range(2):
        make_task(user)
    assert client.get("/api/tasks", {"limit": 2}).json()["next"] is None


def test_filters_by_status_and_kind_go_together(client: Client, user: Any) -> None:
    first, second = make_task(user, kind="one"), make_task(user, kind="one")
    make_task(user, kind="two")
    cancel(second.pk)
    assert ids(client.get("/api/tasks", {"kind": "one"})) == [str(second.pk), str(first.pk)]
    assert ids(client.get("/api/tasks", {"kind": "one", "status": "cancelled"})) == [str(second.pk)]
    assert ids(client.get("/api/tasks", {"kind": "\x00"})) == []


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"status": "lost"}, "status", "'pending', 'queued'"),
        ({"limit": 0}, "limit", "greater than or equal to 1"),
        ({"limit": 201}, "limit", "200"),
        ({"cursor": "xyz"}, "cursor", "UUID"),
        ({"page": 2}, "page", "Unknown field"),
    ],
)
def test_a_wrong_parameter_is_named(client: Client, query: Any, field: str, words: str) -> None:
    body = assert_problem(client.get("/api/tasks", query), 422, code="invalid_request")
    assert list(body["errors"]) == [field]
    assert words in body["errors"][field][0]


def test_the_number_of_queries_does_not_grow_with_the_page(
    client: Client, user: Any, worker: Worker, django_assert_max_num_queries: Any
) -> None:
    for _ in range(5):
        fail(begin(make_document_task(user), worker))
    for _ in range(45):
        make_document_task(user)
    with django_assert_max_num_queries(12):
        assert len(ids(client.get("/api/tasks"))) == 50
    assert Task.objects.count() == 50
