"""Django's documented contract of a task backend: results, errors, context, signals (topics/tasks, ref/tasks)."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.tasks import TaskResultStatus, default_task_backend
from django.tasks.exceptions import TaskResultDoesNotExist, TaskResultMismatch
from django.tasks.signals import task_finished, task_started
from django.utils import timezone

from tasks_app.kinds.backend import LonghaulBackend
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.models import Attempt, Outcome, Task, Worker
from tests.kinds.conformance import carry_out, listening
from tests.support import kinds, kinds_plain
from tests.support.rows import make_worker, start


def begin(result: Any) -> Any:
    row = Task.objects.get(pk=result.id)
    return start(row, make_worker(row.queue)).ref


def test_a_result_can_be_had_again_by_its_id_as_it_was(db: None) -> None:
    later = timezone.now() + timedelta(hours=1)
    changed = kinds_plain.add.using(priority=-7, queue_name="gpu", run_after=later)
    for one in (kinds_plain.add, changed):
        result = one.enqueue(1, b=2)
        assert one.get_result(result.id) == default_task_backend.get_result(result.id) == result
        assert async_to_sync(one.aget_result)(result.id) == result
        assert async_to_sync(default_task_backend.aget_result)(result.id) == result


@pytest.mark.parametrize("wrong", ["", "nonsense", "0199aaaa-1111-7222-8333-444455556666", "0" * 63])
def test_an_id_that_is_none_does_not_exist(db: None, wrong: str) -> None:
    with pytest.raises(TaskResultDoesNotExist):
        kinds_plain.add.get_result(wrong)
    with pytest.raises(TaskResultDoesNotExist):
        async_to_sync(default_task_backend.aget_result)(wrong)


def test_a_result_of_another_task_is_a_mismatch(db: None) -> None:
    result = kinds_plain.add.enqueue(1, 2)
    for asked in (kinds_plain.echo.get_result, async_to_sync(kinds_plain.echo.aget_result)):
        with pytest.raises(TaskResultMismatch, match=r"kinds_plain\.add"):
            asked(result.id)


def test_a_result_stays_as_it_was_until_it_is_refreshed(transactional_db: None) -> None:
    result: Any = kinds_plain.add.enqueue(1, 2)
    ref = begin(result)
    assert result.status == TaskResultStatus.READY
    result.refresh()
    assert (result.status, result.is_finished, result.attempts) == (TaskResultStatus.RUNNING, False, 1)
    assert result.started_at == result.last_attempted_at is not None
    end(ref, Ending(outcome=Outcome.SUCCEEDED, value={"value": 3}, visited=0))
    assert result.status == TaskResultStatus.RUNNING
    async_to_sync(result.arefresh)()
    assert (result.status, result.is_finished, result.return_value) == (TaskResultStatus.SUCCESSFUL, True, 3)
    assert result.finished_at is not None
    assert len(result.worker_ids) == 1


def test_the_value_is_what_the_function_returned(transactional_db: None) -> None:
    assert carry_out(kinds_plain.add.enqueue([1], b=[2])).return_value == [1, 2]
    assert carry_out(kinds_plain.add_slowly.enqueue(1, b=2)).return_value == 3
    assert carry_out(kinds_plain.nothing.enqueue()).return_value is None


def test_there_is_no_value_before_the_end_and_after_a_failure(transactional_db: None) -> None:
    result = kinds_plain.divide.enqueue(1, 0)
    with pytest.raises(ValueError, match="not finished yet"):
        _ = result.return_value
    carry_out(result)
    with pytest.raises(ValueError, match="failed"):
        _ = result.return_value


def test_a_failure_keeps_its_exception_and_traceback(transactional_db: None) -> None:
    result = carry_out(kinds_plain.divide.enqueue(1, 0))
    assert (result.status, result.is_finished, result.attempts) == (TaskResultStatus.FAILED, True, 1)
    (error,) = result.errors
    assert error.exception_class is ZeroDivisionError
    assert error.traceback.startswith("Traceback (most recent call last)")
    assert "in divide" in error.traceback


def test_a_value_that_is_not_json_is_a_failure(transactional_db: None) -> None:
    result = carry_out(kinds_plain.unstorable.enqueue())
    assert (result.status, len(result.errors)) == (TaskResultStatus.FAILED, 1)
    assert "JSON" in result.errors[0].traceback


@pytest.mark.parametrize(
    "outcome", [Outcome.LOST, Outcome.TIMEOUT, Outcome.MEMORY, Outcome.DEADLINE, Outcome.CANCELLED], ids=str
)
def test_what_no_code_of_the_task_raised_has_its_error_too(db: None, outcome: Outcome) -> None:
    result = kinds_plain.nothing.enqueue()
    ref = begin(result)
    end(ref, Ending(outcome=outcome, code="code", text="What happened."))
    Attempt.objects.of(ref).update(outcome=outcome)
    result.refresh()
    (error,) = result.errors
    assert issubclass(error.exception_class, BaseException)
    assert error.traceback == "What happened."


def test_a_task_that_is_tried_again_is_ready_meanwhile_and_counts_its_attempts(db: None) -> None:
    result = kinds_plain.nothing.enqueue()
    ref = begin(result)
    end(
        ref,
        Ending(
            outcome=Outcome.ERROR,
            code="e",
            text="It broke.",
            retry=True,
            delay=timedelta(),
            error_class="builtins.OSError",
        ),
    )
    result.refresh()
    assert (result.status, result.attempts) == (TaskResultStatus.READY, 1)
    assert [error.exception_class for error in result.errors] == [OSError]
    begin(result)
    result.refresh()
    assert (result.status, result.attempts, len(result.worker_ids)) == (TaskResultStatus.RUNNING, 2, 2)


def test_an_attempt_counts_after_its_workers_row_is_gone(transactional_db: None) -> None:
    result = carry_out(kinds_plain.nothing.enqueue())
    Worker.objects.all().delete()
    result.refresh()
    assert result.attempts == 1


def test_a_cancelled_task_has_failed(db: None) -> None:
    result = kinds_plain.nothing.enqueue()
    cancel(uuid.UUID(result.id))
    result.refresh()
    assert (result.status, result.is_finished, result.attempts) == (TaskResultStatus.FAILED, True, 0)


def test_a_queue_that_is_no_longer_served_does_not_hide_a_result(db: None, settings: Any) -> None:
    result = kinds_plain.add.using(queue_name="gpu").enqueue(1, 2)
    settings.TASKS = {"default": {**settings.TASKS["default"], "QUEUES": ["cpu", "default"]}}
    assert default_task_backend.get_result(result.id).status == TaskResultStatus.READY


def test_the_context_tells_attempt_and_result(transactional_db: None) -> None:
    result = carry_out(kinds_plain.told.enqueue(word="hello"))
    assert result.return_value == ["hello", 1, result.id, "RUNNING", 1, {"word": "hello"}]


def test_start_and_finish_are_told_with_the_backend_as_sender(transactional_db: None) -> None:
    result = kinds_plain.add.enqueue(1, 2)
    with listening(task_started) as started, listening(task_finished) as finished:
        carry_out(result)
    ((sender, begun),) = started
    assert (sender, begun.id, begun.status, begun.attempts) == (LonghaulBackend, result.id, "RUNNING", 1)
    assert finished == [(LonghaulBackend, result)]


def test_a_failure_is_told_once_and_a_retry_is_no_end(transactional_db: None) -> None:
    with listening(task_finished) as finished:
        carry_out(kinds_plain.divide.enqueue(1, 0))
        ref = begin(kinds_plain.nothing.enqueue())
        end(ref, Ending(outcome=Outcome.ERROR, code="e", text="It broke.", retry=True))
    assert [told.status for _, told in finished] == [TaskResultStatus.FAILED]


def test_a_listener_that_fails_changes_nothing(transactional_db: None) -> None:
    def broken(**_: Any) -> None:
        raise RuntimeError("a listener's own trouble")

    task_started.connect(broken)
    task_finished.connect(broken)
    try:
        assert carry_out(kinds_plain.add.enqueue(1, 2)).return_value == 3
    finally:
        task_started.disconnect(broken)
        task_finished.disconnect(broken)


def test_a_kind_of_ours_is_a_task_of_djangos(transactional_db: None) -> None:
    result = carry_out(kinds.broken.enqueue())
    assert kinds.broken.get_result(result.id) == result
