"""A secret is kept until its task ends, whichever way it ends."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.db.models.functions import Now

from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.expiry import enforce_deadlines, expire
from tasks_app.models import Outcome, Status, Task, Worker
from tests.support.rows import make_task, make_user, make_worker, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker() -> Worker:
    return make_worker("gpu")


@pytest.fixture
def task() -> Task:
    return make_task(make_user(), secrets="sealed")


def secrets(task: Task) -> str:
    task.refresh_from_db()
    return task.secrets


@pytest.mark.parametrize("outcome", [Outcome.SUCCEEDED, Outcome.ERROR])
def test_it_is_gone_with_the_end_of_the_last_attempt(task: Task, worker: Worker, outcome: Outcome) -> None:
    end(start(task, worker).ref, Ending(outcome=outcome, code="x"))
    assert secrets(task) == ""
    assert task.is_final


@pytest.mark.parametrize("outcome", [Outcome.LOST, Outcome.WAITING, Outcome.HANDED_OVER])
def test_the_next_attempt_still_has_it(task: Task, worker: Worker, outcome: Outcome) -> None:
    end(start(task, worker).ref, Ending(outcome=outcome))
    assert secrets(task) == "sealed"
    assert task.status == Status.PENDING


def test_a_task_that_is_cancelled_while_it_waits_drops_it(task: Task) -> None:
    cancel(task.pk)
    assert secrets(task) == ""


def test_a_running_task_that_was_asked_to_stop_has_it_until_it_stops(task: Task, worker: Worker) -> None:
    ref = start(task, worker).ref
    cancel(task.pk)
    assert secrets(task) == "sealed"
    end(ref, Ending(outcome=Outcome.SUCCEEDED))
    assert secrets(task) == ""


@pytest.mark.parametrize("fields", [{"expires_at": Now() - timedelta(1)}, {"deadline_at": Now() - timedelta(1)}])
def test_a_task_that_waited_too_long_drops_it(task: Task, fields: dict[str, Any]) -> None:
    Task.objects.filter(pk=task.pk).update(**fields)
    assert expire() + enforce_deadlines() == 1
    assert secrets(task) == ""


def test_the_database_itself_refuses_a_finished_task_with_a_secret(task: Task) -> None:
    with pytest.raises(IntegrityError):
        Task.objects.filter(pk=task.pk).update(status=Status.CANCELLED, finished_at=Now())
