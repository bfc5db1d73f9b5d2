"""The calls of a task, and its tries in vain."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.models import ModelCall, StepTries, Task
from tests.support.rows import make_task
from tests.web.shelf import document_task
from tests.web.test_cost import with_calls

CALLS = reverse("admin:tasks_app_modelcall_changelist")


def page_of(operator: Client, task: Task) -> str:
    return operator.get(reverse("admin:tasks_app_task_change", args=[task.pk])).text


@pytest.fixture
def task(user: Any) -> Task:
    task = with_calls(document_task(user, status="failed", error_code="error", error_text="x"), 3, in_doubt=1)
    ModelCall.objects.filter(task=task).update(answer={"text": "the answer itself"}, idempotency_key="0123456789abcdef")
    return task


def test_a_tasks_page_leads_to_its_calls_alone(operator: Client, user: Any, task: Task) -> None:
    with_calls(document_task(user, status="running"), 7)
    address = f"{CALLS}?task__id__exact={task.pk}"
    assert f'<a href="{address}">4 calls, 1 in doubt</a>' in page_of(operator, task)
    listed = operator.get(address).context["cl"]
    assert listed.result_count == 4


def test_their_list_marks_doubt_and_shows_no_answer(operator: Client, task: Task) -> None:
    page = operator.get(CALLS).text
    assert page.count('<td class="field-how">in doubt</td>') == 1
    assert "0123456789ab…" in page
    assert page.count("100 in, 50 out") == 3
    assert "the answer itself" not in page


def test_a_call_in_flight_is_not_in_doubt(operator: Client, user: Any) -> None:
    with_calls(document_task(user, status="running"), 0, in_doubt=1)
    assert "in flight" in operator.get(CALLS).text


def test_those_in_doubt_can_be_chosen(operator: Client, task: Task) -> None:
    assert operator.get(f"{CALLS}?in_doubt=1").context["cl"].result_count == 1


def test_a_task_without_calls_says_so(operator: Client, user: Any) -> None:
    task = make_task(user)
    assert '<div class="readonly">none</div>' in page_of(operator, task)
    assert "tried in vain" not in page_of(operator, task).lower()


def test_tries_in_vain_are_shown_where_there_are_any(operator: Client, task: Task) -> None:
    StepTries.objects.create(task=task, index=4, key="k", tries=2, attempt=1)
    assert "tried in vain" in page_of(operator, task).lower()


@pytest.mark.parametrize("name", ["cancel_is_forced", "fresh", "call_timeout", "reused_calls"])
def test_a_tasks_page_shows_what_it_was_asked_and_used(operator: Client, task: Task, name: str) -> None:
    assert f"field-{name}" in page_of(operator, task)
