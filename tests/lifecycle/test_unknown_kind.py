"""A task whose kind is gone fails; an outage fails nobody."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.lifecycle import unknown_kind, workers
from tasks_app.lifecycle.admission import admit_all
from tasks_app.lifecycle.retry import retry
from tasks_app.lifecycle.unknown_kind import fail_unknown_kinds
from tasks_app.models import Status, Task, Worker
from tests.support.rows import make_task, make_worker, silence, start


def ago(minutes: float) -> Any:
    return Now() - timedelta(minutes=minutes)


def served(*queues: str, kinds: tuple[str, ...] = ("other",), since: float = 60, until: float | None = None) -> Worker:
    """A worker that came and went so many minutes ago."""
    times = {"started_at": ago(since), "serving_since": ago(since)}
    if until is not None:
        times |= {"heartbeat_at": ago(until), "stopped_at": ago(until)}
    return make_worker(*queues, kinds=kinds, **times)


def waits(owner: Any = None, *, minutes: float = 60, **fields: Any) -> Task:
    """A pending task that is due for so long."""
    task = make_task(owner, **fields)
    Task.objects.filter(pk=task.pk).update(created_at=ago(minutes), available_at=ago(minutes))
    return task


def test_it_fails_when_its_queue_was_served_for_ten_minutes_by_others_alone(user: Any) -> None:
    task = waits(user, kind="reports.old")
    served("gpu")
    assert fail_unknown_kinds() == 1
    task.refresh_from_db()
    assert (task.status, task.error_code) == (Status.FAILED, "unknown_kind")
    assert "“gpu” has known the kind “reports.old” for 10 minutes" in task.error_text
    assert "can be retried once a worker knows it again" in task.error_text


def test_a_kind_that_is_known_a_task_that_came_later_and_one_that_is_not_due_wait(user: Any) -> None:
    served("gpu")
    served("gpu", kinds=("known",))
    waits(user, kind="known")
    waits(user, minutes=9)
    Task.objects.filter(pk=waits(user).pk).update(available_at=ago(9))
    Task.objects.filter(pk=waits(user).pk).update(created_at=ago(9))
    assert fail_unknown_kinds() == 0


def test_a_worker_of_another_queue_does_not_count(user: Any) -> None:
    waits(user)
    served("cpu", kinds=("test",))
    assert fail_unknown_kinds() == 0
    served("gpu")
    assert fail_unknown_kinds() == 1


@pytest.mark.django_db
def test_nobody_fails_while_all_workers_are_away_and_the_time_begins_anew_with_the_first() -> None:
    waits(minutes=600)
    served("gpu", since=300, until=120)
    assert fail_unknown_kinds() == 0
    back = served("gpu", since=9)
    assert fail_unknown_kinds() == 0
    Worker.objects.filter(pk=back.pk).update(started_at=ago(11), serving_since=ago(11))
    assert fail_unknown_kinds() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("gap_minutes", "failed"), [(0.3, 1), (2, 0)])
def test_a_restart_is_no_outage(gap_minutes: float, failed: int) -> None:
    waits()
    served("gpu", since=30, until=5)
    served("gpu", since=5 - gap_minutes)
    assert fail_unknown_kinds() == failed


@pytest.mark.django_db
def test_who_knew_it_counts_for_ten_minutes_after_its_end() -> None:
    waits()
    served("gpu")
    knew = served("gpu", kinds=("test",), until=9)
    assert fail_unknown_kinds() == 0
    Worker.objects.filter(pk=knew.pk).update(heartbeat_at=ago(11), stopped_at=ago(11))
    assert fail_unknown_kinds() == 1


@pytest.mark.django_db
def test_a_worker_that_forgot_it_counts_as_one_that_knew_it_until_then() -> None:
    waits()
    served("gpu")
    forgetful = served("gpu", kinds=("test", "other"))
    workers.know(forgetful.pk, ["other"])
    assert fail_unknown_kinds() == 0
    Worker.objects.filter(pk=forgetful.pk).update(serving_since=ago(11))
    assert fail_unknown_kinds() == 1


@pytest.mark.django_db
def test_a_worker_that_was_silent_served_nobody_meanwhile() -> None:
    waits()
    worker = served("gpu")
    silence(worker, seconds=300)
    assert fail_unknown_kinds() == 0
    workers.heartbeat(worker.pk, hand=None)
    assert fail_unknown_kinds() == 0
    workers.heartbeat(worker.pk, hand=None)
    Worker.objects.filter(pk=worker.pk).update(serving_since=F("started_at"))
    assert fail_unknown_kinds() == 1


@pytest.mark.django_db
def test_a_worker_whose_child_never_came_up_serves_nobody() -> None:
    waits()
    served("gpu", kinds=())
    assert fail_unknown_kinds() == 0


@pytest.mark.django_db
def test_a_short_limit_begins_with_the_worker_too(settings: Any) -> None:
    settings.LONGHAUL_UNKNOWN_KIND_SECONDS = 2
    waits()
    assert fail_unknown_kinds() == 0
    worker = served("gpu", since=0)
    assert fail_unknown_kinds() == 0
    Worker.objects.filter(pk=worker.pk).update(started_at=ago(0.1), serving_since=ago(0.1))
    assert fail_unknown_kinds() == 1


def test_a_started_task_between_two_attempts_fails_and_a_running_one_does_not(user: Any) -> None:
    knew = served("gpu", kinds=("test",), until=20)
    Worker.objects.filter(pk=knew.pk).update(stopped_at=None, heartbeat_at=Now())
    started, running = make_task(user), make_task(user)
    start(started, knew)
    start(running, knew)
    Task.objects.filter(pk=started.pk).update(status=Status.PENDING, worker=None)
    Task.objects.update(created_at=ago(60), available_at=ago(60))
    Worker.objects.filter(pk=knew.pk).update(stopped_at=ago(20), heartbeat_at=ago(20))
    served("gpu")
    assert fail_unknown_kinds() == 1
    assert Task.objects.running().get() == running
    assert Task.objects.finished().get() == started


def test_once_the_kind_is_back_a_retry_begins_it_again(user: Any) -> None:
    task = waits(user)
    served("gpu")
    assert fail_unknown_kinds() == 1
    retry(task.pk)
    # It has ten minutes again, for a worker that knows it to come.
    assert fail_unknown_kinds() == 0
    assert admit_all() == 0
    make_worker("gpu")
    assert admit_all() == 1


@pytest.mark.django_db
def test_one_look_is_bounded_over_all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown_kind, "AT_ONCE", 3)
    served("gpu")
    for kind in ("one", "two"):
        for _ in range(2):
            waits(kind=kind)
    assert [fail_unknown_kinds() for _ in range(3)] == [3, 1, 0]
