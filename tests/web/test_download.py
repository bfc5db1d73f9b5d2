import json
from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task
from tests.web.shelf import document_task


def fetch(client: Client, task: Task, query: str = "") -> Any:
    return client.get(f"/tasks/{task.pk}/result/{query}", follow=True)


def body(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


@pytest.mark.parametrize("form", ["md", "json", "jsonl"])
def test_a_result_comes_as_an_attachment_and_nothing_else(client: Client, user: Any, form: str) -> None:
    answer = fetch(client, document_task(user, status="succeeded", items=2), f"?format={form}")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="report-')
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer.headers["Cache-Control"]
    text = body(answer)
    assert text.index("answer 0") < text.index("answer 1")


def test_markdown_is_the_default(client: Client, user: Any) -> None:
    answer = fetch(client, document_task(user, status="succeeded", items=1))
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"


def test_a_part_of_it_can_be_had_while_it_is_worked_on(client: Client, user: Any) -> None:
    answer = fetch(client, document_task(user, status="running", items=2, total=9), "?format=json&partial=1")
    assert len(json.loads(body(answer))["items"]) == 2


@pytest.mark.parametrize(
    ("query", "items", "sentence"),
    [
        ("", 2, "It is not finished yet."),
        ("?partial=1", 0, "There is nothing to download yet"),
    ],
)
def test_what_cannot_be_had_yet_is_said_on_the_tasks_page(
    client: Client, user: Any, query: str, items: int, sentence: str
) -> None:
    task = document_task(user, status="running", items=items, total=9)
    answer = fetch(client, task, query)
    assert answer.redirect_chain == [(f"/tasks/{task.pk}/", 302)]
    assert sentence in answer.text


def test_another_format_does_not_exist(client: Client, user: Any) -> None:
    assert fetch(client, document_task(user, status="succeeded", items=1), "?format=html").status_code == 404


def test_a_stranger_finds_nothing(other: Client, user: Any) -> None:
    assert fetch(other, document_task(user, status="succeeded", items=1)).status_code == 404


def test_no_login_leads_to_the_login_page(nobody: Client, user: Any) -> None:
    task = document_task(user, status="succeeded", items=1)
    assert fetch(nobody, task).redirect_chain == [(f"/login/?next=/tasks/{task.pk}/result/", 302)]
