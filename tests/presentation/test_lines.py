"""Who goes before whom, as the page says it, is who is claimed and admitted before whom."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from tasks_app.lifecycle.admission import admit, admit_all
from tasks_app.lifecycle.claim import claim
from tasks_app.models import Status, Task, Worker
from tasks_app.presentation import task_objects
from tasks_app.presentation.lines import MOST_AHEAD, line_of_owner, line_of_queue
from tests.support.rows import make_task, make_user, make_worker

KINDS = ("test",)


def in_place(places: dict[Any, int]) -> list[Any]:
    return sorted(places, key=lambda task_id: places[task_id])


def many(owner: Any, count: int, **fields: Any) -> None:
    """Copies of one pending task of theirs."""
    first = make_task(owner)
    values = {"owner": owner, "kind": first.kind, "queue": first.queue, "payload": first.payload, **fields}
    values |= {name: getattr(first, name) for name in ("max_attempts", "attempt_timeout", "deadline_after")}
    Task.objects.bulk_create(Task(**values, expires_at=Now() + timedelta(days=1)) for _ in range(count - 1))


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(4))
def test_the_line_of_a_queue_is_the_order_of_its_claims(seed: int) -> None:
    chance = random.Random(seed)
    owners = [make_user(name) for name in ("ada", "bob", "eve")]
    worker = make_worker("gpu", kinds=KINDS)
    for _ in range(20):
        task = make_task(chance.choice(owners), priority=chance.choice([0, 0, 5]))
        Task.objects.filter(pk=task.pk).update(operator_priority=chance.choice([0, 0, 0, 1]))
    admit_all()
    for _ in range(chance.randrange(4)):
        claim(worker.pk, queue="gpu", kinds=KINDS)
    expected = in_place(line_of_queue("gpu", KINDS).places)
    claimed = []
    while (one := claim(worker.pk, queue="gpu", kinds=KINDS)) is not None:
        claimed.append(one.ref.task_id)
    assert expected == claimed
    assert len(claimed) > 5


@pytest.mark.django_db
def test_the_line_of_a_user_is_the_order_of_admission(user: Any, worker: Worker, settings: Any) -> None:
    settings.LONGHAUL_ACTIVE_TASKS_PER_USER = 1
    tasks = [make_task(user, priority=priority) for priority in (0, 5, 0, -5, 5)]
    make_task(user, run_after=tasks[0].expires_at - timedelta(days=1))
    make_task(user, queue="cpu")
    service = Worker.objects.live_service()
    expected = in_place(line_of_owner(user.pk, service).places)
    admitted = []
    while admit(user.pk):
        task = Task.objects.queued().get()
        admitted.append(task.pk)
        Task.objects.filter(pk=task.pk).update(status=Status.CANCELLED, finished_at=Now())
    assert expected == admitted == [tasks[place].pk for place in (1, 4, 0, 2, 3)]


@pytest.mark.django_db
def test_of_more_than_a_thousand_waiting_tasks_a_page_looks_at_a_thousand(user: Any, worker: Worker) -> None:
    many(user, 1100)
    admit(user.pk)
    newest = list(Task.objects.owned_by(user.pk).order_by("-pk")[:50])
    oldest = list(Task.objects.owned_by(user.pk).order_by("pk")[:50])
    with CaptureQueriesContext(connection) as few:
        task_objects(oldest[:10])
    with CaptureQueriesContext(connection) as many_queries:
        waits = [one["waiting"] for one in task_objects(newest)]
    assert len(many_queries) <= len(few) <= 14
    assert {wait["ahead"] for wait in waits} == {MOST_AHEAD}
    assert {wait["text"] for wait in waits} == {"Waits for one of your 5 slots; more than 999 of your tasks go first."}
    assert [one["waiting"]["ahead"] for one in task_objects(oldest)][5:] == list(range(45))


@pytest.mark.django_db
def test_what_left_its_line_since_its_row_was_read_has_nobody_ahead(user: Any, worker: Worker) -> None:
    queued, *others = [make_task(user) for _ in range(6)]
    admit(user.pk)
    waits = others[-1]
    for task in (queued, waits):
        task.refresh_from_db()
    claim(worker.pk, queue="gpu", kinds=KINDS)
    Task.objects.filter(pk=waits.pk).update(status=Status.QUEUED)
    told = [one["waiting"] for one in task_objects([queued, waits])]
    assert [(one["ahead"], one["text"]) for one in told] == [
        (0, "Next in line."),
        (0, "Waits for one of your 5 slots."),
    ]
