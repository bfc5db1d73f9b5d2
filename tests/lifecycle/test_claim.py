from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from tasks_app.lifecycle.admission import admit, admit_all
from tasks_app.lifecycle.claim import claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.models import Attempt, Outcome, Status, Task, Worker
from tests.lifecycle.test_submit import at_once
from tests.support.rows import make_task, make_user, make_worker, start


def test_a_claim_makes_the_row_running_with_a_numbered_attempt(user: Any, worker: Worker) -> None:
    task = make_task(user)
    claimed = start(task, worker)
    task.refresh_from_db()
    assert (task.status, task.attempt, task.worker) == (Status.RUNNING, 1, worker)
    assert task.deadline_at is not None
    assert task.started_at is not None
    assert task.deadline_at - task.started_at == task.deadline_after
    assert claimed.limit_seconds == 300
    assert 1790 < claimed.deadline_seconds <= 1800
    worker.refresh_from_db()
    assert (worker.task_id_in_hand, worker.attempt_in_hand) == (task.pk, 1)
    assert Attempt.objects.get().number == 1


def test_nothing_is_claimed_of_another_queue_or_an_unknown_kind(user: Any, worker: Worker) -> None:
    make_task(user)
    admit(user.pk)
    assert claim(worker.pk, queue="cpu", kinds=["test"]) is None
    assert claim(worker.pk, queue="gpu", kinds=["other"]) is None
    assert claim(worker.pk, queue="gpu", kinds=[]) is None


def order_of_claims(worker: Worker) -> list[Any]:
    claims = []
    while claimed := claim(worker.pk, queue="gpu", kinds=["test"]):
        claims.append(claimed.ref.task_id)
    return claims


def test_the_operators_priority_goes_before_the_fewest_running(user: Any, stranger: Any, worker: Worker) -> None:
    running, own, urgent = make_task(user), make_task(stranger), make_task(user)
    start(running, worker)
    Task.objects.filter(pk=urgent.pk).update(operator_priority=1)
    admit_all()
    assert order_of_claims(worker) == [urgent.pk, own.pk]


def test_the_user_with_the_fewest_running_goes_first(user: Any, stranger: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(3)]
    other = make_task(stranger)
    admit(user.pk)
    admit(stranger.pk)
    assert order_of_claims(worker) == [tasks[0].pk, other.pk, tasks[1].pk, tasks[2].pk]


def test_a_user_who_floods_one_worker_does_not_keep_another_waiting(user: Any, stranger: Any, worker: Worker) -> None:
    for _ in range(20):
        make_task(user)
    admit_all()
    other = make_task(stranger)
    order = []
    for _ in range(7):
        admit_all()
        claimed = claim(worker.pk, queue="gpu", kinds=["test"])
        assert claimed is not None
        order.append(claimed.ref.task_id)
        end(claimed.ref, Ending(outcome=Outcome.SUCCEEDED))
    assert order.index(other.pk) == 5


def test_a_users_own_priority_orders_only_their_own(user: Any, worker: Worker) -> None:
    low, high = make_task(user, priority=-5), make_task(user, priority=5)
    admit_all()
    assert order_of_claims(worker) == [high.pk, low.pk]


def test_a_users_own_priority_overtakes_nobody_else(user: Any, stranger: Any, worker: Worker) -> None:
    first, other = make_task(user), make_task(stranger, priority=-100)
    admit_all()
    loud = [make_task(user, priority=100) for _ in range(2)]
    admit_all()
    assert order_of_claims(worker) == [other.pk, loud[0].pk, loud[1].pk, first.pk]


def test_tasks_of_nobody_are_ordered_by_their_priority_among_themselves(user: Any, worker: Worker) -> None:
    low, high = make_task(priority=-5), make_task(priority=5)
    own = make_task(user)
    admit_all()
    Task.objects.filter(pk=own.pk).update(queued_at=Now() - timedelta(minutes=1))
    assert order_of_claims(worker) == [own.pk, high.pk, low.pk]


@pytest.mark.django_db(transaction=True)
def test_claims_at_once_take_each_task_once() -> None:
    workers = [make_worker("gpu") for _ in range(6)]
    for number in range(4):
        make_task(make_user(f"user{number}"))
    admit_all()
    claims = at_once(6, lambda n: claim(workers[n].pk, queue="gpu", kinds=["test"]))
    taken = [claimed.ref.task_id for claimed in claims if claimed]
    assert len(taken) == len(set(taken))
    # On PostgreSQL a claimer that skipped every locked row finds nothing; what is left is taken next.
    taken += order_of_claims(workers[0])
    assert len(set(taken)) == len(taken) == 4
