"""From scratch says what it costs, and asks."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.models import StepResult, Task
from tests.web.shelf import document_task
from tests.web.test_cost import with_calls

from .conftest import act


@pytest.fixture
def failed(user: Any) -> Task:
    return with_calls(document_task(user, name="<b>old</b>.pdf", status="cancelled", items=2), 2000)


def test_it_names_calls_and_tokens_and_changes_nothing_yet(operator: Client, user: Any, failed: Task) -> None:
    other = with_calls(document_task(user, status="cancelled"), 1)
    page = act(operator, "retry_from_scratch", failed, other).text
    assert "<strong>2,001 model calls and 300,150 tokens so far</strong>" in page
    assert "&lt;b&gt;old&lt;/b&gt;.pdf of ada (cancelled): 2,000 model calls and 300,000 tokens" in page
    assert "1 model call and 150 tokens" in page
    assert Task.objects.get(pk=failed.pk).status == "cancelled"


def test_a_yes_does_it(operator: Client, failed: Task) -> None:
    page = act(operator, "retry_from_scratch", failed, confirmed="yes").text
    assert "1 task is waiting again from scratch" in page
    assert Task.objects.get(pk=failed.pk).status == "pending"
    assert not StepResult.objects.filter(task=failed).current().exists()


def test_those_that_cannot_be_retried_are_left_out_of_the_sum(operator: Client, user: Any, failed: Task) -> None:
    running = with_calls(document_task(user, status="running"), 5)
    page = act(operator, "retry_from_scratch", failed, running).text
    assert "2,000 model calls" in page
    assert "Not to be retried, for their state does not allow it: 1 of those selected." in page
    assert "Yes, from scratch" not in act(operator, "retry_from_scratch", running).text


def test_who_may_only_look_cannot(looker: Client, failed: Task) -> None:
    act(looker, "retry_from_scratch", failed, confirmed="yes")
    assert Task.objects.get(pk=failed.pk).status == "cancelled"
