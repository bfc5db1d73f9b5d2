"""An answer about the whole document: level by level, killed on the way, and nothing that is finished done again."""

from collections import Counter
from typing import Any

import pytest

from tasks_app.models import StepResult, Task
from tests.road.conftest import Road
from tests.road.test_deaths import CONCURRENCY, kill
from tests.road.test_whole_road import answers_in, expected
from tests.support.documents import marker_pdf
from tests.support.endpoint_behaviours import hang_before_headers, ok

PAGES = 200
# Eight answers make one: 25 groups, then 4, then 1.
COMBINATIONS = 30
FEWER_PAGES = 60
# 8 groups, then 1.
FEWER_COMBINATIONS = 9


def submit(road: Road, pages: int) -> str:
    answer = road.api.submit(marker_pdf(pages), name="report.pdf", preset="summarise", unit="whole")
    assert answer.status == 202
    task_id: str = answer.json["id"]
    return task_id


def whole_of(merged: str) -> str:
    """What the merged document says about the whole."""
    return merged.partition("## The whole document\n\n")[2].partition("\n\n## Page 1\n")[0]


def assert_complete(road: Road, task_id: str, pages: int) -> None:
    merged = road.merged(task_id)
    assert whole_of(merged) == " ".join(expected(pages))
    # Once in the whole, once under each page.
    assert answers_in(merged) == expected(pages) * 2


def saved() -> dict[int, Any]:
    """By index: who wrote each step, and when."""
    return {step.index: (step.name, step.attempt, step.version, step.created_at) for step in StepResult.objects.all()}


@pytest.mark.timeout(500)
def test_two_hundred_pages_are_one_summary_by_as_many_calls_as_pages_and_combinations(road: Road) -> None:
    road.house.ready_worker("gpu")
    task_id = submit(road, PAGES)
    task = road.wait_for_end(task_id, within=250)
    assert (task["status"], task["error"], task["failed_items"]) == ("succeeded", None, 0)
    calls = road.house.endpoint.calls
    assert task["usage"]["calls"] == len(calls) == PAGES + COMBINATIONS
    assert [call.marker[:2] for call in calls].count("R-") == COMBINATIONS
    assert task["progress"]["done"] == task["progress"]["total"] == PAGES + COMBINATIONS
    assert_complete(road, task_id, PAGES)


@pytest.mark.timeout(500)
def test_a_child_killed_amid_two_hundred_pages_repeats_no_finished_step(road: Road) -> None:
    """Killed while the thirteenth of 25 groups is with the endpoint, and the others are done or on their way."""
    endpoint = road.house.endpoint
    endpoint.hold("R-0097")
    road.house.ready_worker("gpu")
    road.house.scheduler()
    task_id = submit(road, PAGES)
    combined = StepResult.objects.items().succeeded().filter(name="combine")
    road.house.wait_until(lambda: endpoint.calls_of("R-0097"), 250, what="the thirteenth group is with the endpoint")
    road.house.wait_until(lambda: combined.count() >= 15, what="fifteen groups are saved")
    kill("child", road)
    before = saved()
    endpoint.release("R-0097")
    task = road.wait_for_end(task_id, within=250)
    assert (task["status"], task["failed_items"], task["attempts"]) == ("succeeded", 0, 0)
    assert_no_step_again(road, before, most_calls=PAGES + COMBINATIONS + CONCURRENCY)
    assert_complete(road, task_id, PAGES)


@pytest.mark.parametrize(("victim", "marker", "level"), [("rqworker", "R-0033", 1), ("child", "R-0001", 2)])
@pytest.mark.timeout(500)
def test_a_kill_on_any_level_repeats_no_finished_step(road: Road, victim: str, marker: str, level: int) -> None:
    """The call that is to be with the endpoint then is the `level`-th for `marker`, and never comes back."""
    endpoint = road.house.endpoint
    endpoint.script(marker, [*[ok()] * (level - 1), hang_before_headers()])
    road.house.ready_worker("gpu")
    road.house.scheduler()
    task_id = submit(road, FEWER_PAGES)
    calls_of = endpoint.calls_of
    road.house.wait_until(lambda: len(calls_of(marker)) == level, 60, what="the call that hangs has arrived")
    kill(victim, road)
    before = saved()
    if victim == "rqworker":
        road.house.ready_worker("gpu")
    task = road.wait_for_end(task_id, within=60)
    assert (task["status"], task["failed_items"], task["attempts"]) == ("succeeded", 0, 0)
    assert_no_step_again(road, before, most_calls=FEWER_PAGES + FEWER_COMBINATIONS + CONCURRENCY)
    hung, again = calls_of(marker)[level - 1 :]
    assert (hung.idempotency_key, hung.body_hash) == (again.idempotency_key, again.body_hash)
    assert_complete(road, task_id, FEWER_PAGES)


def assert_no_step_again(road: Road, before: dict[int, Any], *, most_calls: int) -> None:
    """`before`: what was saved at the kill."""
    after = saved()
    assert {index: after[index] for index in before} == before
    assert {attempt for _, attempt, *_ in before.values()} == {1}
    assert Task.objects.get().attempt == 2
    assert len(road.house.endpoint.calls) <= most_calls
    keys = Counter(call.idempotency_key for call in road.house.endpoint.calls)
    repeated = {key for key, count in keys.items() if count > 1}
    assert len(repeated) <= CONCURRENCY
    assert all(keys[key] == 2 for key in repeated)
    assert [name for name, *_ in after.values()].count("merge") == 1
