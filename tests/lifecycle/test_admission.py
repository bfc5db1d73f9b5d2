from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tasks_app.lifecycle import admission, workers
from tasks_app.lifecycle.admission import admit, admit_all, give_back
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.models import Allowance, Outcome, Status, Task, Worker
from tasks_app.signals import task_changed
from tests.lifecycle.test_submit import at_once
from tests.support.rows import make_task, make_user, make_worker, silence, start


def queued() -> int:
    return Task.objects.queued().count()


def test_at_most_five_of_a_user_are_admitted(user: Any, worker: Worker) -> None:
    for _ in range(7):
        make_task(user)
    admit(user.pk)
    assert (queued(), Task.objects.pending().count()) == (5, 2)


def test_an_allowance_of_its_own_counts_instead(user: Any, worker: Worker) -> None:
    for _ in range(4):
        make_task(user)
    Allowance.objects.filter(owner=user).update(active_tasks=2)
    admit(user.pk)
    assert queued() == 2


def test_one_end_frees_one_slot(user: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(6)]
    claim = start(tasks[0], worker)
    end(claim.ref, Ending(outcome=Outcome.SUCCEEDED))
    admit(user.pk)
    assert queued() == 5


def test_nothing_is_admitted_to_a_queue_without_a_worker(user: Any) -> None:
    make_task(user)
    assert admit_all() == 0


def test_a_silent_worker_serves_no_queue(user: Any, worker: Worker) -> None:
    make_task(user)
    silence(worker)
    assert admit_all() == 0


def test_a_worker_that_has_not_reported_what_it_knows_serves_nothing(user: Any) -> None:
    worker_id = workers.register(queues=["gpu"])
    make_task(user)
    assert admit_all() == 0
    workers.know(worker_id, ["test"])
    assert admit_all() == 1


def test_only_a_kind_that_a_worker_of_its_queue_knows_is_admitted(user: Any, worker: Worker) -> None:
    make_worker("cpu", kinds=("other",))
    known, unknown, elsewhere = make_task(user), make_task(user, kind="other"), make_task(user, queue="cpu")
    assert admit_all() == 1
    assert Task.objects.queued().get() == known
    make_worker("cpu", "gpu", kinds=("other", "test"))
    assert admit_all() == 2
    assert {*Task.objects.queued()} == {known, unknown, elsewhere}


def test_a_kind_that_lost_its_last_worker_gives_its_rows_back_and_their_slots(user: Any, worker: Worker) -> None:
    gone = make_worker("gpu", kinds=("other",))
    for _ in range(5):
        make_task(user, kind="other")
    known = make_task(user)
    admit(user.pk)
    assert known not in Task.objects.queued()
    workers.goodbye(gone.pk)
    assert give_back() == 5
    assert admit_all() == 1
    assert Task.objects.queued().get() == known
    assert give_back() == 0


def test_a_task_whose_time_has_not_come_waits(user: Any, worker: Worker) -> None:
    make_task(user, run_after=timezone.now() + timedelta(hours=1))
    make_task(user, run_after=timezone.now() - timedelta(hours=1))
    admit(user.pk)
    assert queued() == 1


def test_tasks_of_nobody_need_no_slot(worker: Worker) -> None:
    for _ in range(8):
        make_task()
    assert admit_all() == 8


def test_every_user_with_something_due_is_looked_at(user: Any, stranger: Any, worker: Worker) -> None:
    for _ in range(10):
        make_task(user)
    make_task(stranger)
    assert admit_all() == 6
    assert Task.objects.owned_by(stranger.pk).get().status == Status.QUEUED


def test_a_user_without_a_free_slot_is_not_even_looked_at(user: Any, worker: Worker) -> None:
    for _ in range(6):
        make_task(user)
    admit(user.pk)
    assert not Allowance.objects.with_free_slot().exists()
    Allowance.objects.update(active_tasks=6)
    assert Allowance.objects.with_free_slot().having_due({"gpu": {"test"}}).get().owner == user


def test_a_queue_that_lost_its_last_worker_gives_its_rows_back(user: Any, worker: Worker) -> None:
    make_worker("cpu")
    for _ in range(5):
        make_task(user)
    other = make_task(user, queue="cpu")
    admit(user.pk)
    assert give_back() == 0
    silence(worker)
    assert give_back() == 5
    assert admit_all() == 1
    assert Task.objects.queued().get() == other


def test_each_admitted_row_is_told_with_its_new_version(
    user: Any, worker: Worker, django_capture_on_commit_callbacks: Any
) -> None:
    tasks = [make_task(user) for _ in range(2)]
    told: list[tuple[Any, int]] = []

    def hear(task_id: Any, version: int, **_: Any) -> None:
        told.append((task_id, version))

    task_changed.connect(hear)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            admit(user.pk)
    finally:
        task_changed.disconnect(hear)
    changed = Task.objects.filter(pk__in=[task.pk for task in tasks])
    assert sorted(told) == [(task.pk, task.version) for task in changed.order_by("pk")]
    assert [version for _, version in told] == [2, 2]


def test_an_admission_asks_the_database_few_questions(
    user: Any, worker: Worker, django_assert_max_num_queries: Any
) -> None:
    for _ in range(5):
        make_task(user)
    # Who serves, savepoint, the user's row, slots held, the best rows, one UPDATE, the savepoint's end.
    with django_assert_max_num_queries(7):
        assert admit(user.pk) == 5
    with django_assert_max_num_queries(5):
        assert admit(user.pk) == 0


@pytest.mark.django_db(transaction=True)
def test_admissions_at_once_never_exceed_the_slots() -> None:
    user = make_user()
    make_worker("gpu")
    for _ in range(12):
        make_task(user)
    at_once(6, lambda _: admit(user.pk))
    assert queued() == 5


def test_of_tasks_of_nobody_only_so_many_stand_in_line_each_kind_for_itself(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "OWNERLESS_IN_LINE", 3)
    monkeypatch.setattr(admission, "OWNERLESS_AT_ONCE", 2)
    workers.know(worker.pk, ["test", "other"])
    tasks = [make_task() for _ in range(6)]
    assert [admit(None) for _ in range(3)] == [2, 2, 0]
    make_task(kind="other")
    assert admit(None) == 1
    assert Task.objects.queued().filter(kind="test").count() == 4
    Task.objects.filter(pk__in=[task.pk for task in tasks[:2]]).delete()
    assert admit(None) == 2
