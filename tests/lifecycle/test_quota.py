from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.quota import QuotaExceeded
from tasks_app.lifecycle.retry import retry
from tasks_app.lifecycle.submit import submit
from tasks_app.models import Allowance, Document, Outcome, Task, Worker
from tests.lifecycle.test_submit import at_once
from tests.support.rows import make_order, make_task, make_user, start


@pytest.fixture(autouse=True)
def three_wait_at_most(settings: Any) -> None:
    settings.LONGHAUL_WAITING_TASKS_PER_USER = 3


def refused(owner: Any, **fields: Any) -> QuotaExceeded:
    with pytest.raises(QuotaExceeded) as caught:
        submit(make_order(owner, **fields))
    return caught.value


def test_one_more_than_may_wait_is_refused_and_leaves_nothing(user: Any) -> None:
    for _ in range(3):
        make_task(user)
    document = Document(owner=user, name="a.txt", size=1, sha256="0" * 64)
    error = refused(user, document=document)
    assert (error.code, error.limit) == ("quota_exceeded", 3)
    assert str(error) == (
        "3 of your tasks are waiting already, which is as many as you may have. "
        "Submit again in about 10 minutes, or cancel some that wait."
    )
    assert Task.objects.count() == 3
    assert not Document.objects.exists()


def test_what_is_queued_or_running_does_not_wait(user: Any, worker: Worker) -> None:
    for _ in range(3):
        make_task(user)
    admit(user.pk)
    for _ in range(3):
        make_task(user)
    refused(user)


def test_another_users_tasks_do_not_count(user: Any, stranger: Any) -> None:
    for _ in range(3):
        make_task(stranger)
    make_task(user)


def test_a_number_of_ones_own_counts_instead(user: Any) -> None:
    Allowance.objects.create(owner=user, waiting_tasks=1)
    make_task(user)
    assert str(refused(user)).startswith("1 of your tasks is waiting already")
    Allowance.objects.update(waiting_tasks=0)
    Task.objects.all().delete()
    refused(user)


def test_a_schedules_task_and_one_of_nobody_are_never_refused(user: Any) -> None:
    for _ in range(4):
        submit(make_order(user, limited=False))
        make_task()
    refused(user)


def test_the_same_submission_again_still_answers_the_first(user: Any) -> None:
    twin = submit(make_order(user, fingerprint="f")).task
    keyed = submit(make_order(user, idempotency_key="k", body_hash="b")).task
    make_task(user)
    assert submit(make_order(user, fingerprint="f")).task == twin
    assert submit(make_order(user, idempotency_key="k", body_hash="b")).task == keyed
    refused(user, fingerprint="g")


def test_a_retry_is_no_submission(user: Any, worker: Worker) -> None:
    claim = start(make_task(user), worker)
    end(claim.ref, Ending(outcome=Outcome.ERROR, text="no"))
    for _ in range(3):
        make_task(user)
    retry(claim.ref.task_id)
    assert Task.objects.pending().count() == 4


@pytest.mark.parametrize(("ended", "seconds"), [(0, 600), (1, 600), (4, 150), (60, 10), (200, 5)])
def test_the_wait_it_tells_is_the_pace_of_the_users_own_tasks(
    ended: int, seconds: int, user: Any, stranger: Any, settings: Any
) -> None:
    settings.LONGHAUL_WAITING_TASKS_PER_USER = 1000
    make_task(user)
    (row,) = Task.objects.all()
    finish(row, ended, owner=user, at=Now() - timedelta(minutes=5))
    finish(row, 500, owner=user, at=Now() - timedelta(minutes=11))
    finish(row, 500, owner=stranger, at=Now())
    settings.LONGHAUL_WAITING_TASKS_PER_USER = 1
    assert refused(user).retry_after_seconds == seconds


def finish(row: Task, times: int, *, owner: Any, at: Any) -> None:
    """So many tasks like `row` that were started and succeeded at that time."""
    many = [make_order(owner) for _ in range(times)]
    Task.objects.bulk_create(
        Task(
            owner=owner,
            kind=order.kind,
            queue=order.queue,
            max_attempts=3,
            attempt_timeout=order.attempt_timeout,
            deadline_after=order.deadline,
            expires_at=row.expires_at,
            status="succeeded",
            started_at=row.created_at,
            finished_at=at,
        )
        for order in many
    )


@pytest.mark.django_db(transaction=True)
def test_submissions_at_once_never_exceed_it() -> None:
    user = make_user()
    make_task(user)

    def one(_: int) -> bool:
        try:
            return submit(make_order(user)).created
        except QuotaExceeded:
            return False

    assert sum(at_once(8, one)) == 2
    assert Task.objects.pending().count() == 3


@pytest.mark.django_db(transaction=True)
def test_twins_at_once_for_the_last_place_are_one_task() -> None:
    user = make_user()
    make_task(user)
    make_task(user)
    submitted = at_once(6, lambda _: submit(make_order(user, fingerprint="f")))
    assert len({one.task.pk for one in submitted}) == 1
    assert sum(one.created for one in submitted) == 1
