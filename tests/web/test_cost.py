"""What a task has cost, as its page says it, and what a start from scratch would cost."""

from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from tasks_app.models import ModelCall, Status, Task
from tasks_app.web import words
from tests.web.reading import visible
from tests.web.shelf import document_task


def with_calls(task: Task, answered: int, *, in_doubt: int = 0, tokens: int = 100) -> Task:
    answers = [("answered", tokens)] * answered + [("open", 0)] * in_doubt
    ModelCall.objects.bulk_create(
        ModelCall(
            task=task,
            owner=task.owner,
            attempt=1,
            endpoint="http://e",
            model_name="m",
            content_key=str(number),
            outcome=outcome,
            prompt_tokens=read,
            completion_tokens=read // 2,
            closed_at=Now() if read else None,
        )
        for number, (outcome, read) in enumerate(answers)
    )
    return task


def seen(client: Client, task: Task) -> list[str]:
    return visible(client.get(f"/tasks/{task.pk}/").text)


def test_what_was_reused_and_what_is_in_doubt_is_said_in_one_line(client: Client, user: Any) -> None:
    task = with_calls(document_task(user, status="succeeded", items=1, reused_calls=12), 3, in_doubt=2)
    line = "12 answers reused (not paid again) · 2 calls in doubt: perhaps paid, their answers were lost"
    assert line in seen(client, task)
    one = with_calls(document_task(user, status="succeeded", items=1, reused_calls=1), 3, in_doubt=1)
    line = "1 answer reused (not paid again) · 1 call in doubt: perhaps paid, its answer was lost"
    assert line in seen(client, one)


def test_where_there_is_neither_nothing_is_said(client: Client, user: Any) -> None:
    said = seen(client, with_calls(document_task(user, status="succeeded", items=1), 3))
    assert [text for text in said if "reused" in text or "in doubt" in text] == []


@pytest.mark.parametrize(
    ("calls", "fields", "text"),
    [
        (230, {}, "Everything is done and paid again: 230 model calls, about 35,000 tokens so far."),
        (1, {}, "Everything is done and paid again: 1 model call, about 150 tokens so far."),
        (0, {}, "Everything is done again."),
        (
            1,
            {"reused_calls": 2},
            "Everything is done and paid again: 3 model calls, about 150 tokens so far. "
            "2 of them were reused, and are paid this time.",
        ),
        (
            0,
            {"reused_calls": 1},
            "Everything is done and paid again: 1 model call. 1 of them was reused, and is paid this time.",
        ),
        (
            1,
            {"reused_calls": 2, "fresh": True},
            "Everything is done and paid again: 1 model call, about 150 tokens so far.",
        ),
        (
            1,
            {"items": 1},
            "The finished results are thrown away. Everything is done and paid again: 1 model call, "
            "about 150 tokens so far.",
        ),
    ],
    ids=str,
)
def test_from_scratch_says_what_it_costs(
    client: Client, user: Any, calls: int, fields: dict[str, Any], text: str
) -> None:
    assert text in seen(client, with_calls(document_task(user, status="cancelled", **fields), calls))


def test_a_task_that_cannot_be_retried_says_nothing_of_it(client: Client, user: Any) -> None:
    said = seen(client, with_calls(document_task(user, status=Status.RUNNING), 3))
    assert [text for text in said if "Everything is done" in text] == []


@pytest.mark.parametrize(
    ("count", "said"), [(0, 0), (9, 9), (99, 99), (143, 140), (145, 150), (61_234, 61_000), (999, 1000)]
)
def test_tokens_are_said_with_two_digits(count: int, said: int) -> None:
    assert words.about(count) == said
