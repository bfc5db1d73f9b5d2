import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connections
from django.db.models.functions import Now
from django.utils import timezone
from uuid_utils.compat import uuid7

from tasks_app.lifecycle import submit as submitting
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.expiry import expire
from tasks_app.lifecycle.submit import IdempotencyConflict, Order, submit
from tasks_app.models import Document, IdempotencyKey, Status, Task
from tests.support.rows import make_order, make_user


def at_once(times: int, call: Callable[[int], Any]) -> list[Any]:
    """Call from that many threads that start at the same moment."""
    gate = threading.Barrier(times)

    def one(number: int) -> Any:
        try:
            gate.wait()
            return call(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def test_a_submission_is_a_pending_row_with_its_limits(user: Any) -> None:
    task = submit(make_order(user)).task
    assert (task.status, task.attempt, task.owner) == (Status.PENDING, 0, user)
    assert task.created_at <= task.expires_at


def test_the_same_submission_again_is_the_first_task(user: Any) -> None:
    first = submit(make_order(user, fingerprint="f"))
    again = submit(make_order(user, fingerprint="f"))
    assert (first.created, again.created) == (True, False)
    assert again.task.pk == first.task.pk


def test_two_users_same_submission_are_two_tasks(user: Any, stranger: Any) -> None:
    one = submit(make_order(user, fingerprint="f")).task
    assert submit(make_order(stranger, fingerprint="f")).task.pk != one.pk


def test_after_its_end_the_same_submission_is_a_new_task(user: Any) -> None:
    first = submit(make_order(user, fingerprint="f")).task
    cancel(first.pk)
    assert submit(make_order(user, fingerprint="f")).created


def test_an_idempotency_key_means_the_same_task_whatever_became_of_it(user: Any) -> None:
    first = submit(make_order(user, idempotency_key="k", body_hash="b")).task
    cancel(first.pk)
    again = submit(make_order(user, idempotency_key="k", body_hash="b"))
    assert (again.created, again.task.pk) == (False, first.pk)


def test_a_used_key_with_another_body_is_refused(user: Any) -> None:
    submit(make_order(user, idempotency_key="k", body_hash="b"))
    with pytest.raises(IdempotencyConflict, match="already used"):
        submit(make_order(user, idempotency_key="k", body_hash="other"))


def test_a_key_is_forgotten_after_a_day(user: Any) -> None:
    first = submit(make_order(user, idempotency_key="k", body_hash="b")).task
    IdempotencyKey.objects.update(created_at=Now() - timedelta(hours=25))
    assert submit(make_order(user, idempotency_key="k", body_hash="other")).task.pk != first.pk


def test_a_task_for_later_expires_counted_from_its_time(user: Any) -> None:
    later = timezone.now() + timedelta(days=10)
    assert submit(make_order(user, run_after=later)).task.expires_at > later


@pytest.mark.django_db(transaction=True)
def test_an_error_that_is_no_twin_is_raised_and_not_tried_for_ever(user: Any) -> None:
    order = make_order(user, fingerprint="f")
    user.delete()
    with pytest.raises(IntegrityError):
        submit(order)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fields", [{"fingerprint": "f"}, {"idempotency_key": "k", "body_hash": "b"}])
def test_twenty_identical_submissions_at_once_are_one_task(fields: dict[str, Any]) -> None:
    user = make_user()
    submissions = at_once(20, lambda _: submit(make_order(user, **fields)))
    assert len({submission.task.pk for submission in submissions}) == 1
    assert [submission.created for submission in submissions].count(True) == 1
    assert Task.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_keys_at_once_are_twenty_tasks() -> None:
    user = make_user()
    at_once(20, lambda n: submit(make_order(user, idempotency_key=f"k{n}", body_hash="b", fingerprint="f")))
    assert Task.objects.count() == 20


def test_a_user_is_deleted_with_tasks_and_documents(user: Any) -> None:
    document = Document(owner=user, name="a", media_type="text/plain", size=1, sha256="s", file="a")
    submit(make_order(user, document=document))
    user.delete()
    assert not Task.objects.exists()
    assert not Document.objects.exists()


def test_a_document_that_was_rolled_back_with_its_task_is_written_with_the_next(
    user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A twin committed first, and ended before it was looked for."""
    write, tried = submitting._write, []

    def lose_once(order: Order) -> Task:
        task = write(order)
        tried.append(task)
        if len(tried) == 1:
            raise IntegrityError
        return task

    monkeypatch.setattr(submitting, "_write", lose_once)
    document = Document(pk=uuid7(), owner=user, name="a", media_type="text/plain", size=1, sha256="0", file="x")
    task = submit(make_order(user, document=document, fingerprint="f")).task
    assert Task.objects.get().document_id == task.document_id == Document.objects.get().pk


@pytest.mark.parametrize("past", ["1900-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00"])
def test_a_time_that_is_past_means_now(user: Any, past: str) -> None:
    task = submit(make_order(user, run_after=datetime.fromisoformat(past))).task
    task.refresh_from_db()
    assert task.available_at == task.created_at
    assert expire() == 0
