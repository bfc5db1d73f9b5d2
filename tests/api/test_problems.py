from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from tasks_app.api import tasks

from .clients import assert_problem, post_json

ADDRESSES = ["", "nothing", "tasks/", "tasks/x", "tasks/x/y/z", "queues/", "docs/", "tasks\u00e9", "<b>"]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "patch"])
def test_every_address_that_is_nothing_answers_a_problem(nobody: Client, address: str, method: str) -> None:
    client = Client(enforce_csrf_checks=True)
    assert_problem(getattr(client, method)(f"/api/{address}"), 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("put", "/api/tasks", "GET, POST"),
        ("delete", "/api/tasks/019f2c1e-7a40-7c11-9a52-3f0d5a7c2b91", "GET"),
        ("get", "/api/tasks/019f2c1e-7a40-7c11-9a52-3f0d5a7c2b91/cancel", "POST"),
    ],
)
def test_a_method_that_is_not_possible_names_those_that_are(
    client: Client, method: str, path: str, allowed: str
) -> None:
    answer = getattr(client, method)(path)
    assert allowed in assert_problem(answer, 405)["detail"]
    assert answer["Allow"] == allowed


@pytest.mark.parametrize(
    ("error", "status"), [(RuntimeError("secret of the house"), 500), (OperationalError("secret of the house"), 503)]
)
def test_an_error_of_ours_tells_nothing_but_that_it_was_logged(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: Any, error: Exception, status: int
) -> None:
    def broken(*_args: Any, **_options: Any) -> Any:
        raise error

    monkeypatch.setattr(tasks, "take_in", broken)
    answer = post_json(client, "/api/tasks", {"kind": "document.generate"})
    assert_problem(answer, status)
    assert "secret" not in answer.content.decode()
    assert "secret of the house" in caplog.text


def test_markup_in_a_request_comes_back_as_json_only(client: Client) -> None:
    answer = client.get("/api/tasks", {"status": "<script>alert(1)</script>"})
    assert_problem(answer, 422)
    assert answer["X-Content-Type-Options"] == "nosniff"
