"""The tries of a step count over its life, whatever ends its attempts."""

import time
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.endpoint import FailsForEveryone
from tasks_app.exceptions import (
    AttemptTimeUp,
    HandOver,
    InvalidInput,
    PermanentError,
    Postponed,
    RetryableError,
    StepFailed,
    Unavailable,
)
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Outcome, StepResult, StepTries
from tasks_app.work.context import Context

from .conftest import Lab

BUSY = "busy"


class Slow(Exception):
    """A library's own error, which may pass."""


def leave(lab: Lab, *, with_error: BaseException) -> None:
    """An attempt that ends with that error, in its step or while it waits for the next try."""
    context = lab.attempt()
    with pytest.raises(type(with_error)):
        context.step("s", lab.work, "x")
    end(context.ref, Ending(outcome=Outcome.HANDED_OVER))


def test_an_attempt_goes_on_counting_where_the_one_before_it_stopped(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY), HandOver(), RetryableError(BUSY), RetryableError("still busy")]
    leave(lab, with_error=HandOver())
    with pytest.raises(StepFailed, match=r"Step “s” failed 3 times\. Last: still busy"):
        lab.attempt().step("s", lab.work, "x")
    assert lab.executed == {"x": 4}, "three tries, and one that was interrupted"


def test_a_result_holds_the_tries_of_its_whole_life(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY), HandOver(), RetryableError(BUSY)]
    leave(lab, with_error=HandOver())
    assert lab.attempt().step("s", lab.work, "x") == {"answer": "x"}
    assert StepResult.objects.get().tries == 3


def test_a_permanent_error_after_others_holds_them_too(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY), PermanentError("no")]
    (item,) = lab.attempt().map("m", lab.work, ["x"], failures="collect")
    assert (item.error_text, StepResult.objects.get().tries) == ("no", 2)


def test_a_try_before_a_long_wait_counts(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY, retry_after=3600)] * 3
    for _ in range(2):
        leave(lab, with_error=Postponed("", code=""))
    with pytest.raises(StepFailed, match="failed 3 times"):
        lab.attempt().step("s", lab.work, "x")


def test_an_endpoint_that_is_down_for_everyone_uses_up_no_try(lab: Lab) -> None:
    lab.fail["x"] = [Unavailable("down")] * 5
    for _ in range(5):
        leave(lab, with_error=Postponed("", code=""))
    lab.attempt().step("s", lab.work, "x")
    assert StepResult.objects.get().tries == 1


def test_tries_that_failed_before_it_was_known_that_all_fail_do_not_count_either(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY), RetryableError(BUSY), FailsForEveryone(since_seconds=60)]
    leave(lab, with_error=Postponed("", code=""))
    assert StepTries.objects.get().tries == 0
    lab.attempt().step("s", lab.work, "x")
    assert StepResult.objects.get().tries == 1


def test_tries_from_before_that_count(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY)]
    context = lab.attempt()

    def work(item: str) -> dict[str, str]:
        if lab.executed[item]:
            time.sleep(0.8)
            raise FailsForEveryone(since_seconds=0)
        found: dict[str, str] = lab.work(item)
        return found

    with pytest.raises(Postponed):
        context.step("s", work, "x")
    assert StepTries.objects.get().tries == 1


def test_a_try_that_the_attempts_end_cut_does_not_count(lab: Lab) -> None:
    context = lab.attempt(limit_seconds=0.4)

    def work(_: str) -> None:
        time.sleep(0.5)
        raise RetryableError("cut")

    with pytest.raises(AttemptTimeUp):
        context.step("s", work, "x")
    assert not StepTries.objects.exists()


def test_each_item_of_a_map_has_tries_of_its_own(lab: Lab) -> None:
    lab.fail = {number: [RetryableError(BUSY)] * number for number in range(4)}
    items = lab.attempt().map("m", lab.work, range(4), failures="collect", concurrency=4)
    assert [item.failed for item in items] == [False, False, False, True]
    assert items[3].error_text == BUSY
    assert list(StepResult.objects.order_by("index").values_list("tries", flat=True)) == [1, 2, 3, 3]


def test_another_input_begins_anew(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY), RetryableError(BUSY), HandOver()]
    leave(lab, with_error=HandOver())
    lab.fail["y"] = [RetryableError(BUSY)] * 2
    assert lab.attempt().step("s", lab.work, "y") == {"answer": "y"}
    assert StepResult.objects.get().tries == 3


def test_a_manual_retry_begins_anew(lab: Lab) -> None:
    lab.fail["x"] = [RetryableError(BUSY), RetryableError(BUSY), HandOver()] + [RetryableError(BUSY)] * 2
    with pytest.raises(HandOver):
        lab.attempt().step("s", lab.work, "x")
    lab.task.refresh_from_db()
    end(lab.task.ref, Ending(outcome=Outcome.ERROR, code="error"))
    retry(lab.task.pk)
    assert lab.attempt().step("s", lab.work, "x") == {"answer": "x"}
    assert StepResult.objects.get().tries == 3


def test_the_try_is_recorded_before_the_wait(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.fail["x"] = [RetryableError(BUSY)]
    seen: list[int] = []
    monkeypatch.setattr(Context, "sleep", lambda *_: seen.append(StepTries.objects.get().tries))
    lab.attempt().step("s", lab.work, "x")
    assert seen == [1]


def test_the_first_attempt_does_not_look_for_earlier_tries_and_a_later_one_looks_once(lab: Lab) -> None:
    assert looks(lab) == 0
    lab.crash()
    assert looks(lab) == 1


def looks(lab: Lab) -> int:
    context = lab.attempt()
    with CaptureQueriesContext(connection) as captured:
        context.step("a", lab.work, 1)
        context.map("b", lab.work, range(3))
    return sum(StepTries._meta.db_table in query["sql"] for query in captured)


def test_an_error_that_the_kind_names_is_repeated_in_place(lab: Lab) -> None:
    lab.fail["x"] = [Slow("1"), Slow("2")]
    assert lab.attempt(retry_on=(Slow,)).step("s", lab.work, "x") == {"answer": "x"}
    assert (lab.executed, StepResult.objects.get().tries) == ({"x": 3}, 3)


def test_an_error_that_the_kind_names_fails_the_step_in_the_end_and_tells_users_no_details(lab: Lab) -> None:
    lab.fail["x"] = [Slow("password=hunter2")] * 3
    with pytest.raises(StepFailed, match=r"failed 3 times\. Last: An error came up that may pass \(Slow\)") as failed:
        lab.attempt(retry_on=(Slow,)).step("s", lab.work, "x")
    assert "hunter2" not in str(failed.value)
    assert isinstance(failed.value.__cause__, Slow)


@pytest.mark.parametrize("error", [InvalidInput("no"), PermanentError("no")])
def test_an_error_of_ours_says_itself_whether_it_may_pass(lab: Lab, error: Any) -> None:
    lab.fail["x"] = [error]
    with pytest.raises(type(error)):
        lab.attempt(retry_on=(Exception,)).step("s", lab.work, "x")
    assert lab.executed == {"x": 1}


def test_other_errors_are_not_repeated(lab: Lab) -> None:
    lab.fail["x"] = [ValueError("no")]
    with pytest.raises(ValueError, match="no"):
        lab.attempt(retry_on=(Slow,)).step("s", lab.work, "x")
    assert lab.executed == {"x": 1}
