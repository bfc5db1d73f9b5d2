import json
from dataclasses import asdict
from typing import Any

import pytest

from tasks_app.api.schemas import TaskOut
from tasks_app.lifecycle.calls import CallPlan, close_call, open_call
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.retry import cost_of_scratch, retry
from tasks_app.models import AttemptRef, Task, Worker
from tasks_app.presentation import task_object, task_objects
from tests.support.rows import make_task

from .rows import begin, fail, make_document_task, save_answer, save_failure, succeed

# Queries for a page of tasks of every state, however many there are; PostgreSQL is also asked for the time.
MOST_QUERIES = 10


def call(ref: AttemptRef, key: str, *, tokens: tuple[int, int] | None, outcome: str = "answered") -> None:
    """A model call; without tokens it is never closed."""
    plan = CallPlan(content_key=key, endpoint="http://there/v1", model_name="m", step_index=0)
    opened = open_call(ref, plan)
    if tokens:
        close_call(ref, opened, outcome=outcome, answer={}, tokens=tokens)


def test_it_is_plain_json_and_as_the_api_describes_it(user: Any, worker: Worker) -> None:
    task = make_document_task(user, payload={"args": [], "kwargs": {"unit": "page"}})
    data = json.loads(json.dumps(task_object(task)))
    TaskOut.model_validate(data)
    assert data["document"] == {"id": str(task.document_id), "name": "report.pdf", "size": 1234}
    assert data["input"] == {"unit": "page"}
    assert data["url"] == f"/api/tasks/{task.pk}"
    assert data["created_at"].endswith("Z")


def test_its_owner_and_operators_errors_are_not_in_it(user: Any, worker: Worker) -> None:
    task = fail(begin(make_task(user), worker))
    assert "owner" not in task_object(task)
    assert "traceback" not in json.dumps(task_object(task))


def test_usage_sums_the_calls_of_the_task_alone(user: Any, worker: Worker) -> None:
    first = begin(make_task(user), worker)
    call(first, "a", tokens=(10, 3))
    call(first, "b", tokens=(20, 4))
    second = begin(make_task(user), worker)
    call(second, "c", tokens=(500, 500))
    Task.objects.filter(pk=first.task_id).update(reused_calls=5)
    usage = task_object(Task.objects.get(pk=first.task_id))["usage"]
    assert usage == {"calls": 2, "prompt_tokens": 30, "completion_tokens": 7, "reused": 5, "in_doubt": 0}


def test_what_a_start_from_scratch_pays_again_are_the_answers_that_count(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    call(ref, "a", tokens=(10, 3))
    call(ref, "b", tokens=(0, 0), outcome="server_error")
    call(ref, "c", tokens=None)
    assert task_object(Task.objects.get(pk=ref.task_id))["scratch"] is None
    failed = fail(ref)
    assert task_object(failed)["scratch"] == {"calls": 1, "prompt_tokens": 10, "completion_tokens": 3}
    failed.reused_calls = 4
    failed.save()
    assert task_object(failed)["scratch"] == asdict(cost_of_scratch(failed.pk))
    assert task_object(failed)["scratch"]["calls"] == 5
    retry(ref.task_id, from_scratch=True)
    again = fail(begin(Task.objects.get(pk=ref.task_id), worker))
    assert task_object(again)["scratch"] == {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    assert task_object(again)["scratch"] == asdict(cost_of_scratch(again.pk))
    assert task_object(again)["usage"]["calls"] == 3


def test_only_a_running_task_has_an_attempt_in_hand(user: Any, worker: Worker) -> None:
    waiting = task_object(make_task(user))
    assert (waiting["attempt_number"], waiting["attempt_started_at"]) == (0, None)
    ref = begin(Task.objects.get(pk=waiting["id"]), worker)
    running = task_object(Task.objects.get(pk=ref.task_id))
    assert (running["attempt_number"], running["attempt_timeout_seconds"]) == (1, 300)
    assert running["attempt_started_at"] == running["started_at"]
    assert task_object(fail(ref))["attempt_started_at"] is None


def test_a_connection_that_was_refused_is_no_call(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    call(ref, "a", tokens=(0, 0), outcome="endpoint_unavailable")
    assert task_object(Task.objects.get(pk=ref.task_id))["usage"]["calls"] == 0
    call(ref, "a", tokens=(10, 3))
    assert task_object(Task.objects.get(pk=ref.task_id))["usage"]["calls"] == 1


def test_a_call_in_flight_is_in_doubt_only_when_its_attempt_is_over(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    call(ref, "a", tokens=None)
    assert task_object(Task.objects.get(pk=ref.task_id))["usage"]["in_doubt"] == 0
    assert task_object(fail(ref))["usage"]["in_doubt"] == 1


def test_attempts_are_those_spent_since_the_last_manual_retry(user: Any, worker: Worker) -> None:
    task = fail(begin(make_task(user), worker))
    assert task_object(task)["attempts"] == 1
    retry(task.pk)
    assert task_object(Task.objects.get(pk=task.pk))["attempts"] == 0


def test_a_failed_task_says_why(user: Any, worker: Worker) -> None:
    data = task_object(fail(begin(make_task(user), worker), "The endpoint said no."))
    assert data["error"] == {"code": "error", "message": "The endpoint said no."}
    assert data["can"] == {"cancel": False, "retry": True, "download": False}
    assert data["waiting"] is None


def test_a_running_task_that_was_asked_to_stop_is_stopping(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker)
    before = task_object(Task.objects.get(pk=ref.task_id))
    assert (before["stopping"], before["can"]["cancel"], before["cancel_requested_at"]) == (False, True, None)
    cancel(ref.task_id)
    after = task_object(Task.objects.get(pk=ref.task_id))
    assert (after["stopping"], after["can"]["cancel"], after["status"]) == (True, False, "running")
    assert after["cancel_requested_at"].endswith("Z")


def test_what_is_done_can_be_downloaded_while_it_runs(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker, total=3)
    save_answer(ref, 0, "one")
    save_failure(ref, 1, "no")
    data = task_object(Task.objects.get(pk=ref.task_id))
    assert data["progress"] == {"done": 1, "total": 3, "message": "", "percent": 33}
    assert data["failed_items"] == 1
    assert data["can"]["download"] is True


def test_failed_parts_alone_are_nothing_to_download(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker, total=3)
    save_failure(ref, 0, "no")
    assert task_object(Task.objects.get(pk=ref.task_id))["can"]["download"] is False


def test_a_task_that_succeeded_with_failed_parts_can_be_retried(user: Any, worker: Worker) -> None:
    ref = begin(make_task(user), worker, total=2)
    save_answer(ref, 0, "one")
    save_failure(ref, 1, "no")
    data = task_object(succeed(ref, "# merged"))
    assert data["can"] == {"cancel": False, "retry": True, "download": True}
    assert data["progress"]["percent"] == 100


def test_a_frame_stays_below_64_kb_whatever_the_input_and_error_are(user: Any, worker: Worker) -> None:
    bad = "\x01" * 20_000 + "\N{GRINNING FACE}" * 20_000
    task = make_document_task(user, "\N{GRINNING FACE}" * 200, payload={"args": [], "kwargs": {"instruction": bad}})
    data = task_object(fail(begin(task, worker), bad))
    assert len(json.dumps(data)) < 60_000
    assert data["input"]["instruction"].startswith("\x01")
    Task.objects.filter(pk=task.pk).update(payload={"kwargs": {str(n): bad for n in range(100)}})
    assert task_object(Task.objects.get(pk=task.pk))["input"] == {}


def test_a_page_of_tasks_costs_the_same_number_of_queries(
    user: Any, worker: Worker, django_assert_max_num_queries: Any
) -> None:
    for number in range(4):
        ref = begin(make_document_task(user), worker)
        call(ref, str(number), tokens=(1, 1))
        fail(ref) if number % 2 else succeed(ref)
    for _ in range(20):
        make_document_task(user)
    tasks = list(Task.objects.owned_by(user.pk))
    with django_assert_max_num_queries(MOST_QUERIES):
        assert len(task_objects(tasks)) == 24
    with django_assert_max_num_queries(MOST_QUERIES):
        task_objects(tasks[:1])


@pytest.mark.django_db
def test_no_tasks_are_no_objects() -> None:
    assert task_objects([]) == []
