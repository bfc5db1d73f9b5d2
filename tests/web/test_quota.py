"""The page of somebody who has as many tasks waiting as there may be: it says so, and keeps what was filled in."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task
from tests.web.reading import visible
from tests.web.shelf import document_task
from tests.web.test_submit import submit


@pytest.fixture(autouse=True)
def _quota(settings: Any) -> None:
    settings.LONGHAUL_WAITING_TASKS_PER_USER = 1


def test_it_says_so_and_keeps_the_form(client: Client) -> None:
    submit(client)
    answer = submit(client, b"Another text.", preset="translate", language="German")
    assert answer.status_code == 429
    assert 5 <= int(answer["Retry-After"]) <= 600
    said = visible(answer.text)
    assert any("as many as you may have" in text for text in said)
    assert "Please choose the file again." in said
    assert 'value="German"' in answer.text
    assert Task.objects.count() == 1


def test_other_refusals_name_no_time(client: Client) -> None:
    assert "Retry-After" not in submit(client, preset="translate").headers


def test_the_whole_after_a_try_is_refused_in_words(client: Client, user: Any) -> None:
    tried = document_task(user, status="succeeded", items=2, total=2, kwargs={"preset": "summarise", "pages": "1-2"})
    submit(client)
    answer = client.post(f"/tasks/{tried.pk}/whole/", follow=True)
    assert answer.redirect_chain == [(f"/tasks/{tried.pk}/", 302)]
    assert "as many as you may have" in answer.text
