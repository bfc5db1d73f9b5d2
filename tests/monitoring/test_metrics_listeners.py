"""What each event of the product counts, before it is sent."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models.functions import Now

from tasks_app import signals
from tasks_app.endpoint import RateLimited
from tasks_app.exceptions import LonghaulError
from tasks_app.lifecycle.calls import CallPlan, close_call, open_call
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.expiry import expire
from tasks_app.lifecycle.rescue import rescue
from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.models import AttemptRef, FiringOutcome, Outcome, StepStatus, Task, Worker
from tasks_app.monitoring import counters, listeners
from tests.support.rows import make_task, silence, start

pytestmark = pytest.mark.django_db(transaction=True)

ANSWER = {"text": "R-0001", "finish_reason": "stop", "prompt_tokens": 7, "completion_tokens": 3}


@pytest.fixture(autouse=True)
def _anew(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.REDIS_URL = f"unix://{tmp_path}/away.sock"
    monkeypatch.setattr(counters, "FLUSH_SECONDS", 3600.0)
    # Of the kinds that rows of these tests name, one is known.
    monkeypatch.setattr(listeners, "_known_kinds", lambda: {"test"})
    counters.renew()
    yield
    counters.renew()


def counted(*, of: str = "") -> dict[str, float]:
    """What was counted since the last time, as `name kind,...` -> count; of a histogram: observations."""
    found: dict[str, float] = {}
    for name, labels, part, by in counters.hand_over():
        if part != "sum" and name.startswith(f"longhaul_{of}"):
            key = f"{name.removeprefix('longhaul_')} {','.join(labels)}".strip()
            found[key] = found.get(key, 0) + by
    return found


def seconds(name: str) -> float:
    told = counters.hand_over()
    return float(sum(by for series, _, part, by in told if series == f"longhaul_{name}" and part == "sum"))


def begin(worker: Worker, user: Any = None) -> AttemptRef:
    """An attempt of a new task; what that counted is forgotten."""
    ref = start(make_task(user), worker).ref
    counted()
    return ref


def test_the_road_of_a_task(worker: Worker) -> None:
    task = make_task()
    assert counted() == {"tasks_submitted test,gpu": 1}
    ref = start(task, worker).ref
    assert counted() == {"task_wait_seconds test,gpu": 1}
    end(ref, Ending(outcome=Outcome.SUCCEEDED))
    assert counted() == {"attempt_seconds test,succeeded": 1, "tasks_finished test,succeeded,": 1}


def test_wait_and_duration_are_those_of_the_rows(worker: Worker) -> None:
    task = make_task()
    Task.objects.filter(pk=task.pk).update(available_at=Now() - timedelta(minutes=5))
    ref = start(task, worker).ref
    assert seconds("task_wait_seconds") == pytest.approx(300, abs=20)
    Task.objects.filter(pk=task.pk).update(claimed_at=Now() - timedelta(minutes=2))
    end(ref, Ending(outcome=Outcome.SUCCEEDED))
    assert seconds("attempt_seconds") == pytest.approx(120, abs=20)
    ref = begin(worker)
    Task.objects.filter(pk=ref.task_id).update(claimed_at=Now() - timedelta(minutes=1))
    end(ref, Ending(outcome=Outcome.LOST))
    assert seconds("attempt_seconds") == pytest.approx(60, abs=20)


def test_an_attempt_that_is_to_be_repeated_ends_no_task(worker: Worker) -> None:
    end(begin(worker), Ending(outcome=Outcome.ERROR, code="server_error", text="It broke.", retry=True))
    assert counted() == {"attempt_seconds test,error": 1}


def test_a_failure_has_its_code(worker: Worker) -> None:
    end(begin(worker), Ending(outcome=Outcome.ERROR, code="invalid_input", text="No."))
    assert counted(of="tasks_finished") == {"tasks_finished test,failed,invalid_input": 1}


def test_what_a_dead_worker_had_in_hand_is_counted_by_who_rescues_it(worker: Worker) -> None:
    begin(worker)
    silence(worker)
    assert rescue() == 1
    assert counted(of="attempt") == {"attempt_seconds test,lost": 1}


def test_tasks_that_end_while_they_wait(user: Any) -> None:
    cancel(make_task(user).pk)
    Task.objects.filter(pk=make_task(user).pk).update(expires_at=Now())
    assert expire() == 1
    ends = {"tasks_finished test,cancelled,": 1, "tasks_finished test,failed,expired": 1}
    assert counted(of="tasks_finished") == ends


def test_to_ask_for_a_stop_ends_nothing_and_the_stop_does(worker: Worker) -> None:
    ref = begin(worker)
    cancel(ref.task_id)
    assert counted() == {}
    end(ref, Ending(outcome=Outcome.SUCCEEDED))
    assert counted() == {"attempt_seconds test,cancelled": 1, "tasks_finished test,cancelled,": 1}


def step(index: int, status: StepStatus) -> StepRecord:
    """An item that took three seconds."""
    code = "nonsense" if status == StepStatus.FAILED else ""
    return StepRecord(
        index=index, name="s", key=f"k{index}", is_item=True, status=status, error_code=code, duration_seconds=3
    )


def test_steps_by_their_status(worker: Worker) -> None:
    ref = begin(worker)
    for index, status in enumerate([StepStatus.SUCCEEDED, StepStatus.SUCCEEDED, StepStatus.FAILED]):
        save_step(ref, step(index, status))
    assert counted() == {"step_seconds test,succeeded": 2, "step_seconds test,failed": 1}


def test_a_failed_step_that_was_made_again_counts_again(worker: Worker) -> None:
    ref = begin(worker)
    for status in (StepStatus.FAILED, StepStatus.SUCCEEDED):
        save_step(ref, step(0, status))
    assert seconds("step_seconds") == 6


def call(ref: AttemptRef, page: int, *, outcome: str = "") -> None:
    row = open_call(ref, CallPlan(content_key=f"{page}", endpoint="http://there/v1", model_name="m", step_index=page))
    if outcome and row.answer is None:
        good = outcome == "answered"
        close_call(ref, row, outcome=outcome, answer=ANSWER if good else None, tokens=(7, 3) if good else (0, 0))


def test_calls_tokens_and_reuse(worker: Worker) -> None:
    ref = begin(worker)
    call(ref, 1, outcome="answered")
    call(ref, 1, outcome="answered")
    call(ref, 2, outcome=RateLimited.code)
    assert counted(of="model") == {
        "model_calls test,answered": 1,
        "model_calls test,rate_limited": 1,
        "model_tokens test,prompt": 7,
        "model_tokens test,completion": 3,
        "model_calls_reused test": 1,
    }


def test_an_answer_of_an_earlier_task_is_reuse_too(worker: Worker, user: Any) -> None:
    call(begin(worker, user), 1, outcome="answered")
    call(begin(worker, user), 1, outcome="answered")
    assert counted(of="model") == {"model_calls_reused test": 1}


def test_a_call_is_in_doubt_when_its_attempt_is_over(worker: Worker) -> None:
    ref = begin(worker)
    call(ref, 1, outcome="answered")
    call(ref, 2)
    call(ref, 3)
    assert "model_calls_in_doubt test" not in counted()
    end(ref, Ending(outcome=Outcome.LOST))
    assert counted(of="model") == {"model_calls_in_doubt test": 2}


class Odd(LonghaulError):
    code = "odd"


def test_labels_are_bounded(worker: Worker) -> None:
    make_task(kind="unheard.of")
    assert counted() == {"tasks_submitted other,gpu": 1}
    for outcome in (Odd.code, "made up at run time"):
        signals.emit(signals.call_closed, kind="test", outcome=outcome, prompt_tokens=0, completion_tokens=0)
    assert counted() == {"model_calls test,odd": 1, "model_calls test,other": 1}
    signals.emit(signals.attempt_began, kind="test", queue="nobody's", waited_seconds=1)
    assert counted() == {"task_wait_seconds test,other": 1}


def test_due_times_of_schedules_by_what_came_of_them_and_how_late() -> None:
    for outcome in (FiringOutcome.FIRED, FiringOutcome.MISSED):
        signals.emit(signals.schedule_fired, outcome=outcome.value, late_seconds=90.0)
    assert counted() == {
        "schedule_firings fired": 1,
        "schedule_firings missed": 1,
        "schedule_lateness_seconds": 1,
    }


def test_what_was_rolled_back_was_not(worker: Worker) -> None:
    with transaction.atomic():
        make_task()
        transaction.set_rollback(True)
    assert counted() == {}
