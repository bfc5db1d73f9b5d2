"""The tries of a step, as they are kept."""

from dataclasses import replace
from typing import Any

import pytest

from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle.tries import counted_tries, record_try
from tasks_app.models import AttemptRef, StepTries, Task, Worker
from tests.support.rows import make_task, start


@pytest.fixture
def ref(user: Any, worker: Worker) -> AttemptRef:
    task = make_task(user)
    start(task, worker)
    task.refresh_from_db()
    return task.ref


def test_the_last_number_stands_and_a_repeat_changes_nothing(ref: AttemptRef) -> None:
    record_try(ref, 4, key="k", tries=1)
    record_try(ref, 4, key="k", tries=2)
    record_try(ref, 4, key="k", tries=2)
    record_try(ref, 5, key="other", tries=1)
    assert counted_tries(ref.task_id) == {4: ("k", 2), 5: ("other", 1)}


def test_an_attempt_that_lost_its_task_records_nothing(ref: AttemptRef) -> None:
    with pytest.raises(NotOwner):
        record_try(replace(ref, number=2), 4, key="k", tries=1)
    assert not StepTries.objects.exists()


def test_what_was_tried_before_the_last_manual_retry_does_not_count(ref: AttemptRef) -> None:
    record_try(ref, 4, key="k", tries=2)
    Task.objects.update(attempts_floor=1)
    assert counted_tries(ref.task_id) == {}
