"""Why a task waits, as its page and the list say it."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.pause import pause
from tasks_app.models import Allowance, Task
from tests.support.rows import make_user, make_worker
from tests.web.reading import visible
from tests.web.shelf import document_task


@pytest.fixture
def task(user: Any) -> Task:
    return document_task(user, status="pending")


def said(client: Client, task: Task) -> list[str]:
    """By its page; the list says the same."""
    page, listed = visible(client.get(f"/tasks/{task.pk}/").text), visible(client.get("/").text)
    assert [text for text in page if text in listed and text != task.kind]
    return page


def test_a_pause_says_who_paused_it_and_why(client: Client, task: Task) -> None:
    pause(queue=task.queue, by_id=make_user("grace").pk, reason="model <b>upgrade</b>")
    page = said(client, task)
    assert "Queue paused by grace: model <b>upgrade</b>." in page
    assert "It is safe here and starts when the pause is over." in page


def test_no_worker_says_that_it_is_safe(client: Client, task: Task) -> None:
    page = said(client, task)
    assert f"No worker for {task.queue} is ready." in page
    assert "It is safe here and starts when a worker comes." in page


def test_who_waits_for_a_slot_is_told_how_many_go_first(client: Client, user: Any, settings: Any) -> None:
    settings.LONGHAUL_ACTIVE_TASKS_PER_USER = 1
    tasks = [document_task(user, status="pending", name=f"{number}.pdf") for number in range(3)]
    make_worker(tasks[0].queue, kinds=(tasks[0].kind,))
    Allowance.objects.create(owner=user)
    admit(user.pk)
    assert "Waits for your one slot." in said(client, tasks[1])
    assert "Waits for your one slot; 1 of your tasks goes first." in said(client, tasks[2])
    assert "It is safe here and will start when it is its turn." in said(client, tasks[2])
