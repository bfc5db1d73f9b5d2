from collections.abc import Callable
from typing import Any

import pytest
from django.db.models.functions import Now

from tasks_app.api.schemas import AttemptList
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Attempt, AttemptRef, Outcome, Task, Worker
from tasks_app.presentation import attempt_objects
from tasks_app.presentation.attempts import MOST_ATTEMPTS
from tests.support.rows import make_task

from .rows import begin, fail, save_answer, succeed

Again = Callable[..., AttemptRef]


@pytest.fixture
def again(user: Any, worker: Worker) -> Again:
    """Ends the task's attempt, if it has one in hand, and begins the next at once."""
    task = make_task(user)

    def end_and_begin(outcome: Outcome | None = None, **ending: Any) -> AttemptRef:
        if outcome:
            end(Task.objects.get(pk=task.pk).ref, Ending(outcome=outcome, **ending))
            Task.objects.filter(pk=task.pk).update(available_at=Now())
        return begin(Task.objects.get(pk=task.pk), worker)

    return end_and_begin


def objects(ref: AttemptRef) -> list[dict[str, Any]]:
    found = attempt_objects(Task.objects.get(pk=ref.task_id))
    AttemptList.model_validate({"items": found})
    return found


def test_each_says_how_it_ended_and_whether_it_counted(again: Again) -> None:
    again()
    again(Outcome.ERROR, text="It broke.", retry=True)
    again(Outcome.HANDED_OVER)
    again(Outcome.LOST, text="Its worker died.")
    again(Outcome.TIMEOUT)
    ref = again(Outcome.WAITING, text="The endpoint asks for a wait.")
    found = objects(ref)
    assert [one["number"] for one in found] == [1, 2, 3, 4, 5, 6]
    assert [one["outcome"] for one in found] == ["error", "handed_over", "lost", "timeout", "waiting", None]
    assert [one["counts"] for one in found] == [
        {"as": "attempt", "number": 1, "of": 3},
        None,
        {"as": "lost", "number": 1, "of": 3},
        {"as": "attempt", "number": 2, "of": 3},
        None,
        None,
    ]
    assert found[0]["text"] == "It broke."
    assert (found[4]["finished_at"] is None, found[5]["finished_at"]) == (False, None)


def test_a_timeout_after_new_steps_was_free(again: Again) -> None:
    save_answer(again(), 0, "one")
    assert objects(again(Outcome.TIMEOUT))[0]["counts"] is None


def test_what_lies_before_a_manual_retry_no_longer_counts(user: Any, worker: Worker) -> None:
    task = fail(begin(make_task(user), worker))
    retry(task.pk)
    ref = begin(Task.objects.get(pk=task.pk), worker)
    assert [one["counts"] for one in objects(ref)] == [None, None]
    assert objects(succeed(ref).ref)[1]["outcome"] == "succeeded"


def test_of_very_many_the_last_are_told_and_counted_with_those_before(again: Again) -> None:
    ref = again()
    Attempt.objects.filter(task_id=ref.task_id).delete()
    Attempt.objects.bulk_create(
        Attempt(task_id=ref.task_id, number=number, outcome="error", spent=number in (1, 60), finished_at=Now())
        for number in range(1, 61)
    )
    found = objects(ref)
    assert [one["number"] for one in found] == list(range(61 - MOST_ATTEMPTS, 61))
    assert found[-1]["counts"] == {"as": "attempt", "number": 2, "of": 3}


def test_a_task_that_never_began_has_none(user: Any) -> None:
    assert attempt_objects(make_task(user)) == []
