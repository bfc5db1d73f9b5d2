"""A kind's function against the real context and database, in this process."""

import threading
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from tasks_app.exceptions import (
    AttemptTimeUp,
    CancelRequested,
    NotJson,
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
from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.models import Outcome, StepResult, StepStatus
from tasks_app.work.context import Context
from tests.support.outage import drop_other_connections
from tests.support.rows import make_task, make_user, make_worker, start


class Lab:
    """One task, and as many attempts of it as a test wants; counts how often each thing was executed."""

    def __init__(self, tmp_path: Path, settings: Any) -> None:
        settings.LONGHAUL_BACKOFF_BASE_SECONDS = 0.01
        self.worker = make_worker("gpu")
        self.task = make_task(make_user())
        self.folder = tmp_path
        self.executed: Counter[Any] = Counter()
        self.fail: dict[Any, list[Exception]] = {}

    def attempt(self, *, limit_seconds: float = 60) -> Context:
        start(self.task, self.worker)
        self.task.refresh_from_db()
        return Context(self.task, workdir=self.folder, limit_seconds=limit_seconds)

    def crash(self) -> None:
        self.task.refresh_from_db()
        end(self.task.ref, Ending(outcome=Outcome.LOST))

    def work(self, item: Any) -> Any:
        self.executed[item] += 1
        if self.fail.get(item):
            raise self.fail[item].pop(0)
        return {"answer": item}

    def progress(self) -> tuple[int, int, int]:
        self.task.refresh_from_db()
        return self.task.progress_done, self.task.progress_total, self.task.failed_items


@pytest.fixture
def lab(tmp_path: Path, settings: Any, transactional_db: None) -> Lab:
    return Lab(tmp_path, settings)


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
    together = threading.Barrier(3, timeout=10)
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


def test_a_result_that_is_not_json_is_refused_with_a_sentence(lab: Lab) -> None:
    with pytest.raises(NotJson, match="must return JSON"):
        lab.attempt().step("s", lambda: {1, 2})


def test_a_large_result_lies_in_a_file_and_comes_back_whole(lab: Lab, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    text = "é" * 100_000
    assert lab.attempt().step("s", lambda: text) == text
    row = StepResult.objects.get()
    assert row.value is None
    assert row.value_file.endswith("0-1.json")
    assert row.load() == text
    lab.crash()
    assert lab.attempt().step("s", lambda: "other") == text


def test_a_result_whose_file_is_gone_is_computed_again(lab: Lab, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    lab.attempt().step("s", lambda: "x" * 100_000)
    (tmp_path / StepResult.objects.get().value_file).unlink()
    lab.crash()
    assert lab.attempt().step("s", lambda: "again") == "again"


def test_numbers_come_back_as_they_were_kept(lab: Lab) -> None:
    numbers = [1e16, -0.0, 1.5, 12345678901234567890, 1e-7]
    first = lab.attempt().step("s", lambda: numbers)
    lab.crash()
    context = lab.attempt()
    assert repr(context.step("s", lambda: None)) == repr(first)


def test_a_save_that_is_repeated_counts_once(lab: Lab) -> None:
    context = lab.attempt()
    record = StepRecord(index=0, name="s", key="k", is_item=True, status=StepStatus.SUCCEEDED)
    save_step(context.ref, record)
    save_step(context.ref, record)
    assert lab.progress()[0] == StepResult.objects.count() == 1


def test_lanes_that_lose_the_database_together_all_go_on(lab: Lab) -> None:
    def work(item: int) -> int:
        if item % 3 == 0:
            with suppress(OperationalError):
                # Two lanes may drop each other.
                drop_other_connections()
            connection.close()
        return item

    assert lab.attempt().map("m", work, range(16), concurrency=4) == list(range(16))
    # This test's own connection was dropped as well.
    connection.close()
    assert lab.progress() == (16, 16, 0)


def test_text_that_no_database_takes_is_mended_on_the_way_in(lab: Lab) -> None:
    assert lab.attempt().step("s", lambda: ["a\x00b", "\ud83d"]) == ["a\ufffdb", "\ufffd"]


def test_progress_of_a_resumed_task_never_falls(lab: Lab) -> None:
    lab.attempt().map("a", lab.work, range(3))
    lab.crash()
    seen = []
    context = lab.attempt()
    for name in ("a", "b"):
        context.map(name, lab.work, range(3))
        seen.append(lab.progress()[:2])
    assert seen == [(3, 3), (6, 6)]


def test_a_map_leaves_no_lane_behind(lab: Lab) -> None:
    before = threading.active_count()
    lab.attempt().map("m", lab.work, range(12), concurrency=4)
    assert threading.active_count() == before
