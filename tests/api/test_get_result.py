import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import AttemptRef, Worker
from tests.presentation.rows import begin, fail, make_document_task, save_answer, succeed

from .clients import assert_problem


@pytest.fixture
def ref(user: Any, worker: Worker) -> AttemptRef:
    return begin(make_document_task(user), worker, total=2)


def path(ref: AttemptRef) -> str:
    return f"/api/tasks/{ref.task_id}/result"


def body(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


@pytest.mark.parametrize(
    ("query", "media_type", "ending"),
    [
        ({}, "text/markdown; charset=utf-8", ".md"),
        ({"format": "md"}, "text/markdown; charset=utf-8", ".md"),
        ({"format": "json"}, "application/json", ".json"),
        ({"format": "jsonl"}, "application/jsonl", ".jsonl"),
    ],
)
def test_each_format_is_an_attachment(
    client: Client, ref: AttemptRef, query: Any, media_type: str, ending: str
) -> None:
    save_answer(ref, 0, "Grüße 🙂")
    succeed(ref, "# Grüße 🙂")
    answer = client.get(path(ref), query)
    assert "Grüße 🙂" in body(answer)
    assert answer["Content-Type"] == media_type
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert answer["Content-Disposition"].endswith(f'{ending}"')
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]


def test_an_unfinished_task_is_409_unless_a_part_will_do(client: Client, ref: AttemptRef) -> None:
    save_answer(ref, 0, "One.")
    assert "partial=1" in assert_problem(client.get(path(ref)), 409, code="not_finished")["detail"]
    assert body(client.get(path(ref), {"partial": 1})).startswith("> Partial result: 1 of 2 parts.")
    data = json.loads(body(client.get(path(ref), {"partial": "true", "format": "json"})))
    assert (data["partial"], data["status"]) == (True, "running")


def test_nothing_yet_is_404(client: Client, ref: AttemptRef) -> None:
    assert_problem(client.get(path(ref), {"partial": 1}), 404, code="no_result")


def test_what_a_failed_or_stopped_task_had_done_is_given_without_asking(
    client: Client, user: Any, worker: Worker, ref: AttemptRef
) -> None:
    save_answer(ref, 0, "One.")
    fail(ref)
    assert "One." in body(client.get(path(ref)))
    second = begin(make_document_task(user), worker, total=2)
    save_answer(second, 0, "Two.")
    cancel(second.task_id)
    succeed(second)
    assert "Two." in body(client.get(path(second)))


def test_it_is_its_owners_alone(client: Client, other: Client, nobody: Client, ref: AttemptRef) -> None:
    save_answer(ref, 0, "secret")
    succeed(ref, "secret")
    assert_problem(other.get(path(ref)), 404)
    assert_problem(other.get(path(ref), {"partial": 1}), 404)
    assert_problem(nobody.get(path(ref)), 401)
    assert_problem(client.get(f"/api/tasks/{uuid4()}/result"), 404)


@pytest.mark.parametrize("query", [{"format": "html"}, {"partial": "perhaps"}, {"download": 1}])
def test_a_wrong_parameter_is_named(client: Client, ref: AttemptRef, query: Any) -> None:
    assert list(assert_problem(client.get(path(ref), query), 422)["errors"]) == list(query)
