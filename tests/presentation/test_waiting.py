from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tasks_app.lifecycle.admission import admit, admit_all
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Outcome, Task, Worker
from tasks_app.presentation import task_object
from tests.support.rows import make_task, silence

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


def test_a_sixth_task_waits_for_one_of_its_users_five_slots(user: Any, worker: Worker) -> None:
    tasks = [make_task(user) for _ in range(6)]
    admit(user.pk)
    found = waiting(tasks[5])
    assert (found["reason"], found["text"]) == ("slot", "Waits for one of your 5 slots.")
    assert waiting(tasks[4])["reason"] == "queue"


def test_a_queued_task_counts_those_ahead_of_it_in_its_own_queue(user: Any, stranger: Any, worker: Worker) -> None:
    first, second = make_task(user), make_task(stranger)
    third = make_task(user)
    Worker.objects.filter(pk=worker.pk).update(queues=["gpu", "cpu"])
    make_task(user, queue="cpu")
    admit_all()
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
