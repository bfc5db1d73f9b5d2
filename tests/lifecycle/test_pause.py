from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.exceptions import InvalidInput
from tasks_app.lifecycle.admission import admit, admit_all, give_back
from tasks_app.lifecycle.claim import claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.expiry import enforce_deadlines, expire
from tasks_app.lifecycle.pause import AlreadyPaused, pause, resume
from tasks_app.models import Outcome, QueueState, Status, Task, Worker
from tasks_app.signals import task_changed
from tests.lifecycle.test_submit import at_once
from tests.support.rows import make_task, make_user, make_worker, start

KINDS = ("test", "other")
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def worker_of_two_kinds(worker: Worker) -> Worker:
    Worker.objects.filter(pk=worker.pk).update(kinds=KINDS)
    return worker


def begun(hours: float, **line: str) -> None:
    """Let the pause have begun so long ago."""
    QueueState.objects.filter(**line).update(paused_at=Now() - timedelta(hours=hours))


def waits_started(worker: Worker, owner: Any = None, **fields: Any) -> Task:
    """A task that was started, and is pending again; all its times are ten hours ago."""
    claimed = start(make_task(owner, **fields), worker)
    end(claimed.ref, Ending(outcome=Outcome.HANDED_OVER))
    past = Task.objects.filter(pk=claimed.ref.task_id)
    past.update(started_at=F("started_at") - 10 * HOUR, available_at=F("available_at") - 10 * HOUR)
    return past.get()


def given_back(task: Task, column: str) -> float:
    """Hours."""
    before = getattr(task, column)
    task.refresh_from_db()
    gained: timedelta = getattr(task, column) - before
    return round(gained / HOUR, 2)


@pytest.mark.parametrize("line", [{"queue": "gpu"}, {"kind": "test"}])
def test_nothing_of_what_is_paused_is_admitted_until_it_goes_on(line: dict[str, str], user: Any) -> None:
    pause(**line, by_id=None, reason="model upgrade")
    make_task(user)
    make_task()
    assert (admit_all(), admit(user.pk)) == (0, 0)
    assert resume(**line)
    assert admit_all() == 2


def test_a_pause_says_by_whom_since_when_and_why(user: Any) -> None:
    pause(queue="gpu", by_id=user.pk, reason="model\nupgrade ")
    state = QueueState.objects.paused().get()
    assert (state.paused_by, state.reason) == (user, "model upgrade")
    assert resume(queue="gpu")
    state.refresh_from_db()
    assert (state.paused_at, state.paused_by, state.reason) == (None, None, "")


def test_other_queues_and_kinds_go_on(user: Any) -> None:
    make_worker("cpu", kinds=KINDS)
    pause(queue="gpu", by_id=None, reason="upgrade")
    cpu = make_task(user, queue="cpu")
    make_task(user)
    assert admit_all() == 1
    assert Task.objects.queued().get() == cpu
    resume(queue="gpu")
    assert pause(kind="test", by_id=None, reason="upgrade") == 1
    other = make_task(user, kind="other")
    assert admit_all() == 1
    assert Task.objects.queued().get() == other


def test_queued_rows_go_back_with_the_pause_and_free_their_users_slots(
    user: Any, django_capture_on_commit_callbacks: Any
) -> None:
    for _ in range(5):
        make_task(user)
    other = make_task(user, kind="other")
    admit_all()
    told: list[int] = []

    def hear(version: int, **_: Any) -> None:
        told.append(version)

    task_changed.connect(hear)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            assert pause(kind="test", by_id=None, reason="upgrade") == 5
    finally:
        task_changed.disconnect(hear)
    assert told == [3] * 5
    assert admit_all() == 1
    assert Task.objects.queued().get() == other


def test_a_row_that_was_admitted_in_the_race_is_not_claimed_and_is_given_back(user: Any, worker: Worker) -> None:
    make_task(user)
    pause(queue="gpu", by_id=None, reason="upgrade")
    Task.objects.update(status=Status.QUEUED)
    assert claim(worker.pk, queue="gpu", kinds=KINDS) is None
    assert give_back() == 1
    resume(queue="gpu")
    assert admit_all() == 1
    assert claim(worker.pk, queue="gpu", kinds=KINDS) is not None


def test_what_runs_goes_on_to_its_end(worker: Worker) -> None:
    claimed = start(make_task(), worker)
    assert pause(queue="gpu", by_id=None, reason="upgrade") == 0
    assert end(claimed.ref, Ending(outcome=Outcome.SUCCEEDED)) == Status.SUCCEEDED


def test_while_paused_no_task_fails_by_its_time(worker: Worker) -> None:
    started = waits_started(worker)
    Task.objects.filter(pk=started.pk).update(deadline_at=Now())
    make_task(expires_at=started.created_at)
    pause(queue="gpu", by_id=None, reason="upgrade")
    assert (expire(), enforce_deadlines()) == (0, 0)
    resume(queue="gpu")
    Task.objects.update(deadline_at=Now() - HOUR, expires_at=Now() - HOUR)
    assert (expire(), enforce_deadlines()) == (1, 1)


def test_started_tasks_get_the_length_of_the_pause_back_on_their_deadline(worker: Worker) -> None:
    waits = waits_started(worker)
    runs = start(make_task(kind="other"), worker).ref.task_id
    Task.objects.filter(pk=runs).update(started_at=Now() - 10 * HOUR)
    running = Task.objects.get(pk=runs)
    pause(queue="gpu", by_id=None, reason="upgrade")
    begun(2, queue="gpu")
    version = Task.objects.get(pk=waits.pk).version
    resume(queue="gpu")
    assert given_back(waits, "deadline_at") == 2
    assert given_back(running, "deadline_at") == 2
    assert waits.version == version + 1


@pytest.mark.parametrize("lines", [[{"queue": "gpu"}], [{"kind": "test"}], [{"queue": "gpu"}, {"kind": "test"}]])
def test_what_ends_during_a_pause_is_judged_by_the_deadline_that_it_will_have(
    worker: Worker, lines: list[dict[str, str]]
) -> None:
    ref = start(make_task(deadline=HOUR), worker).ref
    for line in lines:
        pause(**line, by_id=None, reason="model upgrade")
        begun(2, **line)
    Task.objects.update(started_at=Now() - 2.5 * HOUR, deadline_at=Now() - 1.5 * HOUR)
    # Of its hour it had half when the pause began, which is more than it is to wait.
    again = Ending(outcome=Outcome.ERROR, code="error", text="It failed.", retry=True, delay=timedelta(minutes=10))
    assert end(ref, again) == Status.PENDING
    for line in lines:
        resume(**line)
    task = Task.objects.get()
    assert task.deadline_at is not None
    assert abs(task.deadline_at - task.available_at - timedelta(minutes=20)) < timedelta(minutes=1)


def test_a_wait_beyond_the_deadline_of_after_the_pause_fails_now(worker: Worker) -> None:
    ref = start(make_task(deadline=HOUR), worker).ref
    pause(queue="gpu", by_id=None, reason="model upgrade")
    again = Ending(outcome=Outcome.ERROR, code="error", text="It failed.", retry=True, delay=1.5 * HOUR)
    assert end(ref, again) == Status.FAILED


def test_tasks_that_never_started_get_back_on_their_expiry_what_they_lost() -> None:
    old, late, future = make_task(), make_task(), make_task()
    now = old.created_at
    for task, available_at in ((old, now - 10 * HOUR), (late, now - HOUR), (future, now + HOUR)):
        Task.objects.filter(pk=task.pk).update(available_at=available_at)
    pause(queue="gpu", by_id=None, reason="upgrade")
    begun(3, queue="gpu")
    for task in (old, late, future):
        task.refresh_from_db()
    resume(queue="gpu")
    assert [given_back(task, "expires_at") for task in (old, late, future)] == [3, 1, 0]
    assert old.version == 1


def test_other_tasks_get_nothing(worker: Worker) -> None:
    other = waits_started(worker, kind="other")
    elsewhere = make_task(queue="cpu", kind="other")
    pause(kind="test", by_id=None, reason="upgrade")
    begun(3)
    resume(kind="test")
    assert given_back(other, "deadline_at") == given_back(elsewhere, "expires_at") == 0


@pytest.mark.parametrize(("queue_since", "kind_since"), [(3.0, 2.0), (2.0, 3.0), (3.0, 3.0)])
@pytest.mark.parametrize("first", ["queue", "kind"])
def test_time_that_two_pauses_took_at_once_is_given_back_once(
    queue_since: float, kind_since: float, first: str, worker: Worker
) -> None:
    both, one = waits_started(worker), waits_started(worker, kind="other")
    pause(queue="gpu", by_id=None, reason="upgrade")
    pause(kind="test", by_id=None, reason="broken")
    begun(queue_since, queue="gpu")
    begun(kind_since, kind="test")
    lines = [{"queue": "gpu"}, {"kind": "test"}]
    for line in lines if first == "queue" else lines[::-1]:
        resume(**line)
        assert not Task.objects.filter(deadline_at__lte=Now() - HOUR).exists()
    assert given_back(both, "deadline_at") == 3
    assert given_back(one, "deadline_at") == queue_since


def test_the_first_pause_stands_with_its_reason(user: Any) -> None:
    pause(queue="gpu", by_id=user.pk, reason="upgrade")
    with pytest.raises(AlreadyPaused, match=r"^The queue gpu is already paused, by ada since .* UTC: upgrade$"):
        pause(queue="gpu", by_id=None, reason="mine")
    assert QueueState.objects.get().reason == "upgrade"


def test_what_is_not_paused_cannot_go_on() -> None:
    assert not resume(queue="gpu")
    pause(queue="gpu", by_id=None, reason="upgrade")
    assert resume(queue="gpu")
    assert not resume(queue="gpu")


@pytest.mark.parametrize(
    ("line", "reason"),
    [({}, "why"), ({"queue": "gpu", "kind": "test"}, "why"), ({"queue": "gpu"}, " \n"), ({"queue": "gpu"}, "x" * 201)],
)
def test_a_pause_needs_one_line_and_a_reason(line: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidInput):
        pause(**line, by_id=None, reason=reason)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_pause_at_once_one_is_told_so() -> None:
    def one(number: int) -> bool:
        try:
            pause(queue="gpu", by_id=None, reason=f"{number}")
        except AlreadyPaused:
            return False
        return True

    assert sum(at_once(4, one)) == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_that_resume_at_once_one_gives_the_time_back() -> None:
    worker = make_worker("gpu", kinds=KINDS)
    waits = waits_started(worker, make_user("carl"))
    pause(queue="gpu", by_id=None, reason="upgrade")
    pause(kind="test", by_id=None, reason="broken")
    begun(2)
    lines = [{"queue": "gpu"}, {"kind": "test"}] * 2
    assert sum(at_once(4, lambda number: resume(**lines[number]))) == 2
    assert given_back(waits, "deadline_at") == 2
