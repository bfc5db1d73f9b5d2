"""A start from scratch: what it will cost, and that it pays for it."""

from typing import Any

import pytest

from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import Cost, cost_of_scratch, retry
from tasks_app.models import ModelCall, Outcome, Task, Worker
from tests.support.rows import make_task, start


@pytest.fixture
def failed(user: Any, worker: Worker) -> Task:
    task = make_task(user)
    start(task, worker)
    task.refresh_from_db()
    end(task.ref, Ending(outcome=Outcome.ERROR, code="error", text="no"))
    return task


def call(task: Task, outcome: str, **fields: Any) -> None:
    ModelCall.objects.create(
        owner=task.owner, task=task, attempt=1, endpoint="e", model_name="m", outcome=outcome, **fields
    )


def test_it_costs_what_was_answered_and_what_was_taken_over(failed: Task) -> None:
    call(failed, "answered", prompt_tokens=10, completion_tokens=2)
    call(failed, "answered", prompt_tokens=20, completion_tokens=3)
    call(failed, "answered", prompt_tokens=99, completion_tokens=99, superseded=True)
    call(failed, "server_error")
    call(failed, "open")
    assert cost_of_scratch(failed.pk) == Cost(calls=2, prompt_tokens=30, completion_tokens=5)
    Task.objects.update(reused_calls=4)
    assert cost_of_scratch(failed.pk) == Cost(calls=6, prompt_tokens=30, completion_tokens=5)


def test_after_it_only_what_came_since_would_be_lost(failed: Task) -> None:
    call(failed, "answered", prompt_tokens=10, completion_tokens=2)
    Task.objects.update(reused_calls=4)
    retry(failed.pk, from_scratch=True)
    assert cost_of_scratch(failed.pk) == Cost(calls=0, prompt_tokens=0, completion_tokens=0)


@pytest.mark.parametrize("fresh", [False, True])
def test_a_plain_retry_leaves_the_choice_as_it_was(failed: Task, fresh: bool) -> None:
    Task.objects.update(fresh=fresh)
    retry(failed.pk)
    failed.refresh_from_db()
    assert failed.fresh is fresh


def test_a_start_from_scratch_is_fresh(failed: Task) -> None:
    retry(failed.pk, from_scratch=True)
    failed.refresh_from_db()
    assert failed.fresh
