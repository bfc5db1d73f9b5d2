"""POST /api/tasks of somebody who has as many tasks waiting as there may be."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task

from .clients import assert_problem, submit, text_file


@pytest.fixture(autouse=True)
def _quota(settings: Any) -> None:
    settings.LONGHAUL_WAITING_TASKS_PER_USER = 1


def other_text() -> Any:
    return text_file(b"Another text, so that it is another task.")


def test_it_is_refused_with_the_time_to_wait(client: Client) -> None:
    assert submit(client).status_code == 202
    answer = submit(client, file=other_text())
    body = assert_problem(answer, 429, code="quota_exceeded")
    assert body["limit"] == 1
    assert 5 <= int(answer["Retry-After"]) <= 600
    assert "as many as you may have" in body["detail"]
    assert Task.objects.count() == 1


def test_the_same_submission_again_is_still_answered_with_the_first_id(client: Client) -> None:
    first = submit(client).json()["id"]
    again = submit(client)
    assert (again.status_code, again.json()["id"]) == (200, first)


def test_a_key_that_was_used_is_still_answered_with_its_task(client: Client) -> None:
    headers = {"Idempotency-Key": "once"}
    first = submit(client, headers=headers).json()["id"]
    again = submit(client, headers=headers)
    assert (again.status_code, again.json()["id"]) == (200, first)


def test_another_user_is_not_concerned(client: Client, other: Client) -> None:
    assert submit(client).status_code == 202
    assert submit(other).status_code == 202


def test_nothing_is_kept_of_what_was_refused(client: Client, files: Any) -> None:
    submit(client)
    stored = set(files.rglob("*"))
    assert submit(client, file=other_text()).status_code == 429
    assert set(files.rglob("*")) == stored
