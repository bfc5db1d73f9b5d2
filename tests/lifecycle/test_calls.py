"""Calls: which answers are used again, and what makes a call the same as another."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle.calls import CallPlan, close_call, open_call
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import retry
from tasks_app.models import AttemptRef, ModelCall, Outcome, Task, Worker
from tests.support.rows import make_task, start

PLAN = CallPlan(
    content_key=hashlib.sha256(b"page 1").hexdigest(), endpoint="http://there/v1", model_name="m", step_index=1
)
ANSWER = {"text": "R-0001", "finish_reason": "stop", "prompt_tokens": 7, "completion_tokens": 3}

type Begin = Callable[..., AttemptRef]


@pytest.fixture
def begin(worker: Worker) -> Begin:
    """A new task that runs."""

    def begin(owner: Any, **fields: Any) -> AttemptRef:
        task = make_task(owner, **fields)
        start(task, worker)
        task.refresh_from_db()
        return task.ref

    return begin


def ask(ref: AttemptRef, plan: CallPlan = PLAN, *, answer: dict[str, Any] | None = None) -> ModelCall:
    """The row of the call; where it was really sent, the endpoint gives `answer`."""
    call = open_call(ref, plan)
    if call.answer is None:
        close_call(ref, call, outcome="answered", answer=answer or ANSWER, tokens=(7, 3))
    return call


def reused(ref: AttemptRef) -> int:
    return Task.objects.get(pk=ref.task_id).reused_calls


def test_the_same_request_of_another_task_of_its_owner_is_not_sent_again(begin: Begin, user: Any) -> None:
    first = ask(begin(user))
    ref = begin(user)
    again = ask(ref)
    assert (again.pk, again.answer, reused(ref)) == (first.pk, ANSWER, 1)
    assert ModelCall.objects.count() == 1


def test_the_last_answer_is_the_one_that_is_used(begin: Begin, user: Any) -> None:
    ask(begin(user))
    newer = ask(begin(user, fresh=True))
    assert ask(begin(user)).pk == newer.pk


def test_another_request_is_sent(begin: Begin, user: Any) -> None:
    ask(begin(user))
    ask(begin(user), replace(PLAN, content_key="0" * 64))
    assert ModelCall.objects.count() == 2


def test_a_fresh_task_asks_anew_and_others_may_use_what_it_got(begin: Begin, user: Any) -> None:
    ask(begin(user))
    fresh = begin(user, fresh=True)
    ask(fresh)
    assert (ModelCall.objects.count(), reused(fresh)) == (2, 0)


def test_owners_know_nothing_of_each_other_and_nobody_is_no_owner(begin: Begin, user: Any, stranger: Any) -> None:
    for owner in (user, stranger, None, None):
        ask(begin(owner))
    assert ModelCall.objects.count() == 4


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": ANSWER | {"finish_reason": "length"}},
        {"superseded": True},
        {"closed_at": Now() - timedelta(hours=24, seconds=1)},
        {"outcome": "open", "closed_at": None, "answer": None},
        {"outcome": "server_error", "answer": None},
    ],
    ids=["cut off", "superseded", "old", "in doubt", "failed"],
)
def test_only_a_whole_and_recent_answer_is_used_again(begin: Begin, user: Any, changes: dict[str, Any]) -> None:
    ask(begin(user))
    ModelCall.objects.update(**changes)
    ref = begin(user)
    ask(ref)
    assert (ModelCall.objects.count(), reused(ref)) == (2, 0)


@pytest.mark.parametrize(("hours", "sent"), [(0, 2), (1, 2), (3, 1)])
def test_for_how_long_is_a_setting(begin: Begin, user: Any, settings: Any, hours: int, sent: int) -> None:
    settings.LONGHAUL_REUSE_ANSWERS_HOURS = hours
    ask(begin(user))
    ModelCall.objects.update(closed_at=Now() - timedelta(hours=2))
    ask(begin(user))
    assert ModelCall.objects.count() == sent


def test_a_cut_off_answer_behind_a_whole_one_does_not_hide_it(begin: Begin, user: Any) -> None:
    whole = ask(begin(user))
    ask(begin(user, fresh=True), answer=ANSWER | {"finish_reason": "length"})
    assert ask(begin(user)).pk == whole.pk


def test_after_a_crash_a_tasks_own_answer_is_used_however_it_finished(begin: Begin, user: Any, worker: Worker) -> None:
    ask(begin(user))
    ref = begin(user, fresh=True)
    mine = ask(ref, answer=ANSWER | {"finish_reason": "length"})
    again = after_crash(ref, worker)
    assert (ask(again).pk, reused(again)) == (mine.pk, 0)


def test_a_repeat_in_doubt_carries_the_same_key_and_one_after_an_error_another(
    begin: Begin, user: Any, worker: Worker
) -> None:
    ref = begin(user)
    in_doubt = open_call(ref, PLAN)
    ref = after_crash(ref, worker)
    repeat = open_call(ref, PLAN)
    assert (repeat.idempotency_key, repeat.pk == in_doubt.pk) == (in_doubt.idempotency_key, False)
    close_call(ref, repeat, outcome="server_error", tokens=(0, 0))
    assert open_call(ref, PLAN).idempotency_key != in_doubt.idempotency_key


def test_a_start_from_scratch_uses_neither_its_own_answers_nor_others(begin: Begin, user: Any, worker: Worker) -> None:
    ask(begin(user))
    ref = begin(user)
    ask(ref)
    end(ref, Ending(outcome=Outcome.ERROR, code="error"))
    retry(ref.task_id, from_scratch=True)
    again = attempt_after(ref, worker)
    ask(again)
    assert ModelCall.objects.count() == 2
    assert reused(again) == 1


def test_a_call_of_an_attempt_that_lost_its_task_is_not_opened(begin: Begin, user: Any) -> None:
    ask(begin(user))
    ref = begin(user)
    with pytest.raises(NotOwner):
        open_call(replace(ref, number=9), PLAN)
    assert reused(ref) == 0


def test_the_look_uses_its_indexes(begin: Begin, user: Any) -> None:
    ref = begin(user)
    with CaptureQueriesContext(connection) as captured:
        open_call(ref, PLAN)
    (look,) = [query["sql"] for query in captured if "UNION ALL" in query["sql"]]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A table that is nearly empty is read from end to end, whatever its indexes.
            cursor.execute("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{explain} {look}")
        plan = str(cursor.fetchall())
    assert "call_to_reuse" in plan
    assert "call_by_content" in plan or "call_task_id" in plan or "modelcall_task_id" in plan


def after_crash(ref: AttemptRef, worker: Worker) -> AttemptRef:
    end(ref, Ending(outcome=Outcome.LOST))
    return attempt_after(ref, worker)


def attempt_after(ref: AttemptRef, worker: Worker) -> AttemptRef:
    task = Task.objects.get(pk=ref.task_id)
    start(task, worker)
    task.refresh_from_db()
    return task.ref
