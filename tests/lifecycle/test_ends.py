from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle.cancel import WrongState, cancel
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import retry
from tasks_app.lifecycle.steps import StepRecord, save_step, set_total
from tasks_app.models import Attempt, AttemptRef, Outcome, Status, StepResult, StepStatus, Task, Worker
from tests.support.rows import make_task, start


def step(index: int, status: StepStatus = StepStatus.SUCCEEDED, *, is_item: bool = True) -> StepRecord:
    code = "" if status == StepStatus.SUCCEEDED else "content_filter"
    return StepRecord(
        index=index, name="s", key=f"k{index}", is_item=is_item, status=status, error_code=code, error_text=code
    )


def attempt(task: Task, worker: Worker, ending: Ending) -> Task:
    """One more attempt with that ending, at once."""
    Task.objects.filter(pk=task.pk).update(available_at=Now())
    end(start(task, worker).ref, ending)
    task.refresh_from_db()
    return task


def test_success_keeps_the_value_and_frees_the_worker(user: Any, worker: Worker) -> None:
    task = attempt(make_task(user), worker, Ending(outcome=Outcome.SUCCEEDED, value={"value": [1], "value_size": 3}))
    assert (task.status, task.load(), task.worker, task.error_code) == (Status.SUCCEEDED, [1], None, "")
    assert task.finished_at is not None
    assert Attempt.objects.get().outcome == Outcome.SUCCEEDED


def test_an_error_that_may_pass_waits_and_spends_until_three_are_spent(user: Any, worker: Worker) -> None:
    task = make_task(user)
    ending = Ending(outcome=Outcome.ERROR, code="server_error", text="It broke.", retry=True)
    for _ in range(2):
        attempt(task, worker, ending)
        assert task.status == Status.PENDING
        assert task.available_at > task.created_at
    attempt(task, worker, ending)
    assert (task.status, task.error_code) == (Status.FAILED, "attempts_exhausted")
    assert "All 3 attempts were spent. Last: It broke." in task.error_text


@pytest.mark.parametrize(("code", "expected"), [("invalid_input", "invalid_input"), ("content_filter", "error")])
def test_an_error_that_cannot_pass_fails_at_once(user: Any, worker: Worker, code: str, expected: str) -> None:
    task = attempt(make_task(user), worker, Ending(outcome=Outcome.ERROR, code=code, text="No."))
    assert (task.status, task.error_code, task.error_text) == (Status.FAILED, expected, "No.")


def test_whatever_an_error_holds_its_end_can_be_written(user: Any, worker: Worker) -> None:
    ending = Ending(outcome=Outcome.ERROR, code="c" * 99, text="a\x00b", error_class="x" * 999, traceback="\ud800")
    task = attempt(make_task(user), worker, ending)
    assert (task.status, task.error_text) == (Status.FAILED, "a\ufffdb")


def test_a_timeout_right_before_the_deadline_is_the_deadlines(user: Any, worker: Worker) -> None:
    task = make_task(user, deadline=timedelta(seconds=100))
    claimed = start(task, worker)
    Task.objects.filter(pk=task.pk).update(deadline_at=Now() + timedelta(seconds=4))
    end(claimed.ref, Ending(outcome=Outcome.TIMEOUT, text="The attempt's time was up."))
    task.refresh_from_db()
    assert (task.status, task.error_code) == (Status.FAILED, "deadline_exceeded")


def test_a_timeout_after_new_steps_is_free_and_without_spends(user: Any, worker: Worker) -> None:
    task = make_task(user)
    claimed = start(task, worker)
    save_step(claimed.ref, step(0))
    end(claimed.ref, Ending(outcome=Outcome.TIMEOUT))
    attempt(task, worker, Ending(outcome=Outcome.TIMEOUT))
    assert list(Attempt.objects.order_by("number").values_list("spent", flat=True)) == [False, True]


def test_the_third_lost_attempt_fails_the_task(user: Any, worker: Worker) -> None:
    task = make_task(user)
    for _ in range(2):
        assert attempt(task, worker, Ending(outcome=Outcome.LOST, text="gone")).status == Status.PENDING
    attempt(task, worker, Ending(outcome=Outcome.LOST, text="gone"))
    assert (task.status, task.error_code) == (Status.FAILED, "interruptions_exhausted")
    assert "died 3 times" in task.error_text


@pytest.mark.parametrize("outcome", [Outcome.WAITING, Outcome.HANDED_OVER])
def test_waiting_and_handing_over_are_free(user: Any, worker: Worker, outcome: Outcome) -> None:
    task = make_task(user)
    for _ in range(5):
        attempt(task, worker, Ending(outcome=outcome, delay=timedelta(seconds=1)))
    assert task.status == Status.PENDING
    assert not Attempt.objects.filter(spent=True).exists()


def test_a_wait_beyond_the_deadline_fails_now(user: Any, worker: Worker) -> None:
    ending = Ending(outcome=Outcome.WAITING, text="Slow down.", delay=timedelta(hours=1))
    task = attempt(make_task(user), worker, ending)
    assert (task.status, task.error_code) == (Status.FAILED, "deadline_exceeded")
    assert "Slow down." in task.error_text


def test_a_requested_stop_wins_over_any_outcome_that_comes_later(user: Any, worker: Worker) -> None:
    task = make_task(user)
    claimed = start(task, worker)
    assert cancel(task.pk) == Status.RUNNING
    end(claimed.ref, Ending(outcome=Outcome.SUCCEEDED))
    task.refresh_from_db()
    assert (task.status, Attempt.objects.get().outcome) == (Status.CANCELLED, Outcome.CANCELLED)


def test_a_success_that_committed_first_stands(user: Any, worker: Worker) -> None:
    task = attempt(make_task(user), worker, Ending(outcome=Outcome.SUCCEEDED))
    with pytest.raises(WrongState, match="succeeded"):
        cancel(task.pk)


def test_past_the_deadline_even_a_success_fails(user: Any, worker: Worker) -> None:
    task = make_task(user)
    claimed = start(task, worker)
    Task.objects.update(deadline_at=Now() - timedelta(seconds=1))
    end(claimed.ref, Ending(outcome=Outcome.SUCCEEDED))
    task.refresh_from_db()
    assert (task.status, task.error_code) == (Status.FAILED, "deadline_exceeded")


def test_an_attempt_that_lost_its_task_writes_nothing(user: Any, worker: Worker) -> None:
    task = make_task(user)
    old = start(task, worker).ref
    end(old, Ending(outcome=Outcome.LOST))
    new = start(task, worker).ref
    with pytest.raises(NotOwner):
        end(old, Ending(outcome=Outcome.SUCCEEDED))
    with pytest.raises(NotOwner):
        save_step(old, step(0))
    task.refresh_from_db()
    assert (task.status, task.ref) == (Status.RUNNING, new)
    assert not StepResult.objects.exists()


def test_failed_items_beside_succeeded_ones_let_the_task_succeed(user: Any, worker: Worker) -> None:
    task = make_task(user)
    ref = start(task, worker).ref
    save_step(ref, step(0))
    save_step(ref, step(1, StepStatus.FAILED))
    end(ref, Ending(outcome=Outcome.SUCCEEDED, visited=2))
    task.refresh_from_db()
    assert (task.status, task.progress_done, task.failed_items) == (Status.SUCCEEDED, 1, 1)


def test_a_task_none_of_whose_items_succeeded_failed(user: Any, worker: Worker) -> None:
    task = make_task(user)
    ref = start(task, worker).ref
    save_step(ref, step(0, StepStatus.FAILED))
    end(ref, Ending(outcome=Outcome.SUCCEEDED, visited=1))
    task.refresh_from_db()
    assert (task.status, task.error_code) == (Status.FAILED, "error")
    assert "content_filter" in task.error_text


def test_steps_that_the_succeeding_attempt_did_not_visit_no_longer_count(user: Any, worker: Worker) -> None:
    task = make_task(user)
    ref = start(task, worker).ref
    for index in range(3):
        save_step(ref, step(index))
    end(ref, Ending(outcome=Outcome.SUCCEEDED, visited=2))
    assert list(StepResult.objects.items().values_list("index", flat=True)) == [0, 1]
    task.refresh_from_db()
    assert (task.progress_done, task.progress_total) == (2, 2)
    assert task.reset_version == task.version, "who watches is given a snapshot without them"


def test_a_retried_task_keeps_its_steps_and_starts_counting_anew(user: Any, worker: Worker) -> None:
    task = make_task(user)
    save_step(start(task, worker).ref, step(0))
    end(AttemptRef(task.pk, 1), Ending(outcome=Outcome.ERROR, code="error", text="No."))
    retry(task.pk)
    task.refresh_from_db()
    assert (task.status, task.error_code, task.started_at, task.attempt) == (Status.PENDING, "", None, 1)
    assert start(task, worker).ref.number == 2
    assert Attempt.objects.filter(task=task).spent().count() == 0
    assert StepResult.objects.items().count() == 1


def test_from_scratch_supersedes_the_steps_and_empties_the_bar(user: Any, worker: Worker) -> None:
    task = make_task(user)
    save_step(start(task, worker).ref, step(0))
    end(AttemptRef(task.pk, 1), Ending(outcome=Outcome.ERROR, code="error", text="No."))
    retry(task.pk, from_scratch=True)
    task.refresh_from_db()
    assert (task.progress_done, task.reset_version) == (0, task.version)
    assert not StepResult.objects.items().exists()


def test_only_finished_tasks_can_be_retried(user: Any, worker: Worker) -> None:
    with pytest.raises(WrongState, match="pending"):
        retry(make_task(user).pk)


def test_the_total_of_a_success_is_what_there_is(user: Any, worker: Worker) -> None:
    ref = start(make_task(user), worker).ref
    set_total(ref, 48)
    save_step(ref, step(0))
    save_step(ref, step(1, StepStatus.FAILED))
    end(ref, Ending(outcome=Outcome.SUCCEEDED, visited=2))
    task = Task.objects.get(pk=ref.task_id)
    assert (task.progress_done, task.failed_items, task.progress_total) == (1, 1, 2)
