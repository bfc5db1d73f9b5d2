"""A task that overruns says so while it is watched, although its row does not change."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from playwright.sync_api import expect

from tasks_app.models import Attempt, Task, Worker
from tests.support.browser import Visitor
from tests.web.shelf import document_task

pytestmark = pytest.mark.django_db


@transaction.atomic
def held_task(visitor: Visitor, **fields: Any) -> Task:
    """Running on a worker that the site's own programs take for alive, and leave alone.

    In one transaction: a worker whose row does not name the task yet would have it taken away.
    """
    worker = Worker.objects.create(host="elsewhere", pid=1, queues=[], heartbeat_at=Now() + timedelta(hours=1))
    task = document_task(
        get_user_model().objects.get(username=visitor.name), status="running", claimed_at=Now(), worker=worker, **fields
    )
    Worker.objects.filter(pk=worker.pk).update(task_id_in_hand=task.pk, attempt_in_hand=task.attempt)
    Attempt.objects.create(task=task, number=1)
    return task


def test_an_attempt_past_its_limit_is_told_and_then_no_more(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    task = held_task(ada, attempt_timeout=timedelta(seconds=2))
    ada.page.goto(f"{ada.base}/tasks/{task.pk}/")
    note = ada.page.locator("[data-slot=overrun]")
    expect(note).to_have_text("Over its time limit of 2 s: this attempt is being stopped.")
    Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=Now(), worker=None, version=F("version") + 1)
    expect(note).to_be_hidden()
    assert ada.trouble.seen == []


def test_a_second_attempt_appears_in_the_list_while_it_is_watched(visit: Callable[..., Visitor]) -> None:
    ada = visit()
    task = held_task(ada)
    ada.page.goto(f"{ada.base}/tasks/{task.pk}/")
    attempts = ada.page.locator("#attempts")
    expect(attempts).to_be_hidden()
    with transaction.atomic():
        Attempt.objects.filter(task=task).update(outcome="handed_over", finished_at=Now())
        Attempt.objects.create(task=task, number=2)
        Worker.objects.filter(task_id_in_hand=task.pk).update(attempt_in_hand=2)
        Task.objects.filter(pk=task.pk).update(attempt=2, version=F("version") + 1)
    attempts.get_by_text("Attempts (2)").click()
    rows = attempts.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("its worker was updated, goes on")
    expect(rows.nth(1)).to_contain_text("at work")
    Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=Now(), worker=None, version=F("version") + 1)
