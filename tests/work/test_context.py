"""A kind's function against the real context and database, in this process."""

import threading
from collections import Counter
from functools import partial

import pytest

from tasks_app.exceptions import (
    AttemptTimeUp,
    CancelRequested,
    NotOwner,
    PermanentError,
    Postponed,
    RetryableError,
    StepFailed,
    StepInsideStep,
    Unavailable,
)
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Outcome, StepResult

from .conftest import Lab


def test_a_finished_step_is_not_executed_by_the_next_attempt(lab: Lab) -> None:
    assert lab.attempt().step("s", lab.work, 1) == {"answer": 1}
    lab.crash()
    assert lab.attempt().step("s", lab.work, 1) == {"answer": 1}
    assert lab.executed == {1: 1}


def test_a_changed_input_executes_that_step_only(lab: Lab) -> None:
    context = lab.attempt()
    context.step("a", lab.work, 1)
    context.step("b", lab.work, 2)
    lab.crash()
    context = lab.attempt()
    context.step("a", lab.work, 9)
    context.step("b", lab.work, 2)
    assert lab.executed == {1: 1, 2: 1, 9: 1}
    assert StepResult.objects.count() == 2


def test_what_is_bound_to_the_function_is_part_of_the_input(lab: Lab) -> None:
    def both(instruction: str, item: int) -> str:
        lab.executed[(instruction, item)] += 1
        return f"{instruction} {item}"

    lab.attempt().map("m", partial(both, "add"), [1])
    lab.crash()
    assert lab.attempt().map("m", partial(both, "double"), [1]) == ["double 1"]
    assert lab.executed == {("add", 1): 1, ("double", 1): 1}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_map_gives_its_results_in_order_and_counts_its_items(lab: Lab, concurrency: int) -> None:
    results = lab.attempt().map("m", lab.work, range(20), concurrency=concurrency)
    assert results == [{"answer": n} for n in range(20)]
    assert lab.progress() == (20, 20, 0)
    assert list(StepResult.objects.items().values_list("index", flat=True)) == list(range(20))


def test_items_really_are_side_by_side(lab: Lab) -> None:
    together = threading.Barrier(3, timeout=45)
    assert lab.attempt().map("m", lambda n: together.wait() >= 0, range(3), concurrency=3) == [True] * 3


def test_a_map_that_was_interrupted_goes_on_with_the_items_that_are_missing(lab: Lab) -> None:
    lab.fail[5] = [PermanentError("no")]
    with pytest.raises(PermanentError):
        lab.attempt().map("m", lab.work, range(8))
    lab.crash()
    lab.attempt().map("m", lab.work, range(8))
    assert lab.executed == Counter(dict.fromkeys(range(8), 1)) + Counter({5: 1})
    assert lab.progress() == (8, 8, 0)


def test_collecting_keeps_the_reason_of_a_failed_item_and_goes_on(lab: Lab) -> None:
    lab.fail[1] = [PermanentError("The answer was withheld.")]
    items = lab.attempt().map("m", lab.work, range(3), failures="collect")
    assert [item.error_text for item in items] == ["", "The answer was withheld.", ""]
    assert [item.value for item in items] == [{"answer": 0}, None, {"answer": 2}]
    assert lab.progress() == (2, 3, 1)


def test_a_failed_item_stays_failed_until_somebody_retries_by_hand(lab: Lab) -> None:
    lab.fail[1] = [PermanentError("no")]
    lab.attempt().map("m", lab.work, range(2), failures="collect")
    lab.crash()
    context = lab.attempt()
    assert context.map("m", lab.work, range(2), failures="collect")[1].failed
    end(context.ref, Ending(outcome=Outcome.SUCCEEDED, visited=context.visited))
    retry(lab.task.pk)
    assert not lab.attempt().map("m", lab.work, range(2), failures="collect")[1].failed
    assert lab.executed == {0: 1, 1: 2}
    assert lab.progress() == (2, 2, 0)


def test_an_error_that_may_pass_is_repeated_in_place(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError("busy"), RetryableError("busy")]
    assert lab.attempt().step("s", lab.work, "x") == {"answer": "x"}
    assert lab.executed == {"x": 3}
    assert StepResult.objects.get().tries == 3


def test_spent_tries_fail_the_step_with_the_last_reason(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError("busy")] * 5
    with pytest.raises(StepFailed, match=r"failed 3 times\. Last: busy"):
        lab.attempt().step("s", lab.work, "x")
    assert lab.executed == {"x": 3}


def test_a_wait_longer_than_the_attempt_ends_it_as_postponed(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError("quota", retry_after=3600)]
    with pytest.raises(Postponed) as postponed:
        lab.attempt().step("s", lab.work, "x")
    assert postponed.value.delay is not None
    assert postponed.value.delay >= 3600


def test_an_endpoint_that_is_down_postpones_even_where_failures_are_collected(lab: Lab) -> None:
    lab.fail[0] = [Unavailable("down")]
    with pytest.raises(Postponed, match="down"):
        lab.attempt().map("m", lab.work, range(3), failures="collect", concurrency=2)
    assert lab.progress()[2] == 0


def test_a_stop_is_heard_at_the_next_step(lab: Lab) -> None:
    context = lab.attempt()

    def work(item: int) -> int:
        lab.executed[item] += 1
        if item == 2:
            cancel(lab.task.pk)
        return item

    with pytest.raises(CancelRequested):
        context.map("m", work, range(10))
    assert sum(lab.executed.values()) == 3
    assert lab.progress()[0] == 3


def test_an_attempt_out_of_time_begins_nothing(lab: Lab) -> None:
    with pytest.raises(AttemptTimeUp):
        lab.attempt(limit_seconds=0).step("s", lab.work, 1)
    assert not lab.executed


def test_an_attempt_that_lost_its_task_saves_nothing(lab: Lab) -> None:
    context = lab.attempt()

    def work(item: int) -> int:
        lab.crash()
        return item

    with pytest.raises(NotOwner):
        context.step("s", work, 1)
    assert not StepResult.objects.exists()


def test_a_step_inside_a_step_is_an_error(lab: Lab) -> None:
    context = lab.attempt()
    with pytest.raises(StepInsideStep, match="cannot begin inside a step"):
        context.step("outer", lambda: context.step("inner", lab.work, 1))
