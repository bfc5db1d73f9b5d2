from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task
from tests.web.shelf import document

from .clients import assert_problem, post_json, submit


@pytest.mark.parametrize(("sent", "kept"), [(None, False), ("false", False), ("true", True)])
def test_a_form_may_ask_for_fresh_answers(client: Client, sent: str | None, kept: bool) -> None:
    assert submit(client, fresh=sent).status_code == 202
    assert Task.objects.get().fresh is kept


@pytest.mark.parametrize("fresh", [True, False])
def test_so_may_json_and_the_task_says_it(client: Client, user: Any, fresh: bool) -> None:
    body = {
        "kind": "document.generate",
        "document": str(document(user).pk),
        "input": {"preset": "summarise"},
        "fresh": fresh,
    }
    answer = post_json(client, "/api/tasks", body)
    assert answer.status_code == 202, answer.content
    assert client.get(answer["Location"]).json()["fresh"] is fresh


def test_what_is_neither_yes_nor_no_is_422(client: Client) -> None:
    assert "fresh" in assert_problem(submit(client, fresh="soon"), 422)["errors"]
    assert not Task.objects.exists()
