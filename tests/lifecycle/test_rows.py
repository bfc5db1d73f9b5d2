"""Rows that are read and written by plain statements are what the ORM would have made of them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.claim import claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.rows import held_task, is_stop_requested
from tasks_app.models import Attempt, AttemptRef, Document, Outcome, Task, Worker
from tests.support.rows import make_task, start


def columns(row: Task) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in Task._meta.concrete_fields}


def test_a_held_row_is_read_as_the_orm_reads_it(user: Any, worker: Worker) -> None:
    document = Document(owner=user, name="report.pdf", media_type="application/pdf", size=1, sha256="0" * 64)
    payload = {"args": [1, None], "kwargs": {"text": "ä"}}
    task = make_task(user, document=document, payload=payload, call_timeout=timedelta(seconds=7), secrets="sealed")
    ref = start(task, worker).ref
    found = held_task(ref)
    assert found is not None
    assert columns(found) == columns(Task.objects.get(pk=task.pk))
    assert found.document == document


def test_nothing_is_read_of_a_row_that_the_attempt_does_not_own(user: Any, worker: Worker) -> None:
    ref = start(make_task(user), worker).ref
    for other in (AttemptRef(ref.task_id, 2), AttemptRef(worker.pk, 1)):
        assert held_task(other) is None
        assert is_stop_requested(other) is None


def test_a_look_tells_whether_a_stop_was_requested(user: Any, worker: Worker) -> None:
    ref = start(make_task(user), worker).ref
    assert is_stop_requested(ref) is False
    cancel(ref.task_id)
    assert is_stop_requested(ref) is True


def test_a_claim_tells_what_the_row_says(user: Any, worker: Worker) -> None:
    task = make_task(user, attempt_timeout=timedelta(minutes=2), call_timeout=timedelta(seconds=7))
    claimed = start(task, worker)
    assert (claimed.kind, claimed.queue, claimed.ref) == (task.kind, task.queue, AttemptRef(task.pk, 1))
    assert (claimed.limit_seconds, claimed.call_seconds) == (120, 7)
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.finished_at, attempt.worker) == ("", None, worker)


@pytest.mark.django_db(transaction=True)
def test_a_claim_and_a_success_are_few_statements(user: Any, worker: Worker) -> None:
    make_task(user)
    make_task(user)
    admit(user.pk)
    ending = Ending(outcome=Outcome.SUCCEEDED)
    # The first compiles the statements.
    for _ in range(2):
        with CaptureQueriesContext(connection) as claiming:
            claimed = claim(worker.pk, queue="gpu", kinds=["test"])
        assert claimed is not None
        with CaptureQueriesContext(connection) as reading:
            held_task(claimed.ref)
        with CaptureQueriesContext(connection) as ending_it:
            end(claimed.ref, ending)
    # SQLite has no statement that writes three tables; BEGIN and COMMIT count.
    assert len(claiming) == (1 if connection.vendor == "postgresql" else 5)
    assert len(reading) == 1
    writes = [query["sql"] for query in ending_it if "UPDATE" in query["sql"] and "'succeeded'" in query["sql"]]
    assert len(writes) == (1 if connection.vendor == "postgresql" else 2)
