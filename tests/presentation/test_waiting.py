from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db.models.functions import Now

from tasks_app.lifecycle import workers
from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.pause import pause, resume
from tasks_app.lifecycle.retry import retry
from tasks_app.models import GroupAllowance, Outcome, Task, Worker
from tasks_app.presentation import task_object
from tasks_app.presentation.times import clock
from tests.support.rows import make_task, make_user, make_worker, silence

from .rows import begin, fail, succeed


def waiting(task: Task) -> Any:
    return task_object(Task.objects.get(pk=task.pk))["waiting"]


def test_a_task_of_a_queue_without_workers_says_so(user: Any) -> None:
    found = waiting(make_task(user))
    assert found == {
        "reason": "no_worker",
        "text": "No worker for gpu is ready.",
        "ahead": None,
        "eta_seconds": None,
    }


@pytest.mark.parametrize(("seconds", "span"), [(600, "10 minutes"), (30, "a minute")])
def test_a_task_of_a_kind_that_no_worker_knows_says_so(
    user: Any, worker: Worker, settings: Any, seconds: int, span: str
) -> None:
    settings.LONGHAUL_UNKNOWN_KIND_SECONDS = seconds
    found = waiting(make_task(user, kind="document.gone"))
    text = f"No running worker knows this kind of task (document.gone). It fails when none comes for {span}."
    assert (found["reason"], found["text"]) == ("unknown_kind", text)


def test_another_queues_worker_that_knows_the_kind_does_not_help(user: Any, worker: Worker) -> None:
    Worker.objects.filter(pk=worker.pk).update(kinds=["other"])
    Worker.objects.create(host="here", pid=2, queues=["cpu"], kinds=["test"])
    assert waiting(make_task(user))["reason"] == "unknown_kind"


def test_a_silent_worker_is_none(user: Any, worker: Worker) -> None:
    silence(worker)
    assert waiting(make_task(user))["reason"] == "no_worker"


def test_no_worker_says_since_when(user: Any, worker: Worker) -> None:
    make_worker("cpu")
    silence(worker, seconds=600)
    silence(make_worker("gpu"), seconds=60)
    heard_at = max(Worker.objects.filter(queues=["gpu"]).values_list("heartbeat_at", flat=True))
    found = waiting(make_task(user))
    assert (found["reason"], found["ahead"], found["eta_seconds"]) == ("no_worker", None, None)
    assert found["text"] == f"No worker for gpu since {clock(heard_at, now=datetime.now(UTC))}."


def test_a_worker_that_said_goodbye_is_gone_since_then(user: Any, worker: Worker) -> None:
    workers.goodbye(worker.pk)
    worker.refresh_from_db()
    assert worker.stopped_at is not None
    assert clock(worker.stopped_at, now=datetime.now(UTC)) in waiting(make_task(user))["text"]


def test_a_sixth_task_waits_for_one_of_its_users_five_slots(user: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(8)]
    admit(user.pk)
    assert waiting(tasks[4])["reason"] == "queue"
    waits = [waiting(task) for task in tasks[5:]]
    assert {wait["reason"] for wait in waits} == {"slot"}
    assert [wait["ahead"] for wait in waits] == [0, 1, 2]
    assert [wait["text"] for wait in waits] == [
        "Waits for one of your 5 slots.",
        "Waits for one of your 5 slots; 1 of your tasks goes first.",
        "Waits for one of your 5 slots; 2 of your tasks go first.",
    ]


@pytest.mark.parametrize(
    ("slots", "text"),
    [
        (1, "Waits for your one slot."),
        (2, "Waits for one of your 2 slots."),
        (0, "You may have no task at work. Ask an operator for a slot."),
    ],
)
def test_the_slots_are_those_of_the_users_group(user: Any, worker: Worker, slots: int, text: str) -> None:
    group = Group.objects.create(name="guests")
    GroupAllowance.objects.create(group=group, active_tasks=slots)
    user.groups.add(group)
    tasks = [make_task(user) for _ in range(slots + 1)]
    admit(user.pk)
    found = waiting(tasks[-1])
    assert (found["reason"], found["text"]) == ("slot", text)


def test_a_free_slot_is_not_waited_for(user: Any, worker: Worker) -> None:
    make_task(user)
    admit(user.pk)
    assert waiting(make_task(user))["text"] == "Waits to be put in line."


def test_a_paused_queue_says_who_paused_it_and_why(user: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(6)]
    make_task(user, queue="cpu")
    admit(user.pk)
    boss = make_user("grace")
    pause(queue="gpu", by_id=boss.pk, reason="model upgrade")
    text = "Queue paused by grace: model upgrade."
    for task in tasks:
        assert waiting(task) == {"reason": "paused", "text": text, "ahead": None, "eta_seconds": None}
    resume(queue="gpu")
    assert waiting(tasks[0])["reason"] == "queue"


def test_a_paused_kind_says_so_and_another_kind_does_not(user: Any, worker: Worker) -> None:
    Worker.objects.filter(pk=worker.pk).update(kinds=["test", "other"])
    pause(kind="test", by_id=None, reason="it costs too much.")
    assert waiting(make_task(user))["text"] == "This kind of task is paused: it costs too much."
    assert waiting(make_task(user, kind="other"))["reason"] == "queue"


def test_a_pause_goes_before_every_other_reason(user: Any) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    pause(queue="gpu", by_id=None, reason="model upgrade")
    assert [waiting(make_task(user, run_after=at))["reason"] for at in (None, later)] == ["paused", "paused"]


def ended(owner: Any, *, seconds_ago: float, queue: str = "gpu") -> None:
    """A task that was started, and succeeded so long ago."""
    at = Now() - timedelta(seconds=seconds_ago)
    task = make_task(owner, queue=queue)
    Task.objects.filter(pk=task.pk).update(status="succeeded", started_at=at, finished_at=at)


def in_line_since(task: Task, *, seconds: float) -> None:
    then = Now() - timedelta(seconds=seconds)
    Task.objects.filter(pk=task.pk).update(queued_at=then, available_at=then)


def test_a_line_that_moved_tells_a_range_of_time(user: Any, stranger: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(3)]
    admit(user.pk)
    in_line_since(tasks[0], seconds=500)
    assert [waiting(task)["eta_seconds"] for task in tasks] == [None, None, None]
    for minute in range(1, 8):
        ended(stranger, seconds_ago=60 * minute)
    found = [waiting(task) for task in tasks]
    assert found[0]["text"] == "Next in line. Starts within about 4 minutes."
    assert found[2]["text"] == "2 tasks ahead of it. Starts in about 1 to 9 minutes."
    assert (found[0]["eta_seconds"], found[2]["eta_seconds"]) == (240, 540)


def test_ends_of_another_queue_or_before_anybody_stood_in_line_tell_nothing(
    user: Any, stranger: Any, worker: Worker
) -> None:
    task = make_task(user)
    admit(user.pk)
    for minute in range(1, 8):
        ended(stranger, seconds_ago=60 * minute)
        ended(stranger, seconds_ago=1 + minute / 10, queue="cpu")
    assert waiting(task)["eta_seconds"] is None
    assert waiting(task)["text"] == "Next in line."


def test_for_a_slot_the_pace_is_that_of_the_users_own_tasks(user: Any, stranger: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(8)]
    admit(user.pk)
    in_line_since(tasks[5], seconds=500)
    for minute in range(1, 8):
        ended(stranger, seconds_ago=minute)
    assert waiting(tasks[7])["eta_seconds"] is None
    for minute in range(1, 8):
        ended(user, seconds_ago=60 * minute)
    found = waiting(tasks[7])
    assert (found["ahead"], found["eta_seconds"]) == (2, 1080)
    assert found["text"].endswith("2 of your tasks go first. Starts in about 1 to 18 minutes.")


def test_a_queued_task_counts_those_ahead_of_it_in_its_own_queue(user: Any, stranger: Any, worker: Worker) -> None:
    first, second = make_task(user), make_task(stranger)
    third = make_task(user)
    Worker.objects.filter(pk=worker.pk).update(queues=["gpu", "cpu"])
    make_task(user, queue="cpu")
    # Of one tick nobody knows who is first.
    admit(user.pk)
    admit(stranger.pk)
    assert [waiting(task)["ahead"] for task in (first, second, third)] == [0, 1, 2]
    assert waiting(first)["text"] == "Next in line."
    assert waiting(second)["text"] == "1 task ahead of it."
    assert waiting(third)["text"] == "2 tasks ahead of it."


def test_a_task_that_could_be_admitted_has_no_place_yet(user: Any, worker: Worker) -> None:
    found = waiting(make_task(user))
    assert (found["reason"], found["ahead"], found["text"]) == ("queue", None, "Waits to be put in line.")


def test_an_operators_priority_goes_ahead(user: Any, worker: Worker) -> None:
    first, second = make_task(user), make_task(user)
    admit(user.pk)
    Task.objects.filter(pk=second.pk).update(operator_priority=1)
    assert (waiting(first)["ahead"], waiting(second)["ahead"]) == (1, 0)


def test_a_task_for_later_names_its_time(user: Any, worker: Worker) -> None:
    later = datetime.now(UTC) + timedelta(days=2)
    found = waiting(make_task(user, run_after=later))
    assert (found["reason"], found["text"]) == ("not_yet", f"Starts at {later:%Y-%m-%d %H:%M:%S} UTC or later.")


def test_a_retry_names_its_time_and_the_last_attempts_error(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    task = fail(ref, "The model endpoint\ncould not answer.", retry=True, delay=timedelta(seconds=60))
    found = waiting(task)
    assert found["reason"] == "retry"
    assert found["text"].endswith("UTC: The model endpoint could not answer.")
    assert f"{task.available_at:%H:%M:%S}" in found["text"]


@pytest.mark.parametrize(
    ("code", "text", "shown"),
    [
        ("endpoint_unavailable", "Connection refused.", "The model endpoint cannot be reached. Tries again at "),
        ("rate_limited", "The endpoint asks us to slow down.", "The endpoint asks us to slow down. Tries again at "),
    ],
)
def test_a_wait_for_the_endpoint_says_what_is_the_matter(
    user: Any, worker: Worker, code: str, text: str, shown: str
) -> None:
    ref = begin(make_task(user), worker)
    end(ref, Ending(outcome=Outcome.WAITING, code=code, text=text, delay=timedelta(seconds=60)))
    found = waiting(Task.objects.get(pk=ref.task_id))
    assert found["reason"] == "endpoint"
    assert found["text"].startswith(shown)


def test_after_a_manual_retry_the_old_error_is_not_told_again(user: Any, worker: Worker) -> None:
    task = fail(begin(make_task(user), worker), "Old trouble.")
    retry(task.pk)
    assert waiting(task)["reason"] == "queue"


def test_running_and_finished_tasks_wait_for_nothing(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    assert waiting(Task.objects.get(pk=ref.task_id)) is None
    assert waiting(succeed(ref)) is None
