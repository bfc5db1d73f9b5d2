"""`kill -9` in the middle of a document: nothing lost, no saved step called again, one merged result."""

import os
import signal
from collections import Counter

from tasks_app.models import StepResult, Task
from tests.road.conftest import Road
from tests.road.test_whole_road import answers_in, expected
from tests.support.documents import marker_pdf

PAGES = 200
CONCURRENCY = 4


def saved_pages() -> set[str]:
    steps = StepResult.objects.items().succeeded().values_list("value", flat=True)
    return {f"PAGE-{value['pages'][0]:04}" for value in steps if value}


def kill(victim: str, road: Road) -> None:
    programs = {program.name: program for program in road.house.programs if program.is_alive}
    if victim == "child":
        (child,) = [p for p in programs["rqworker"].children() if "child" in " ".join(p.cmdline())]
        os.kill(child.pid, signal.SIGKILL)
    else:
        programs[victim].kill()


def test_a_killed_worker_costs_at_most_the_calls_in_flight(road: Road) -> None:
    road.house.endpoint.default(latency=0.02)
    road.house.ready_worker("gpu")
    road.house.scheduler()
    task_id = road.submit(marker_pdf(PAGES))
    pages = StepResult.objects.items().succeeded()
    road.house.wait_until(lambda: pages.count() >= 60, 60, what="sixty pages are saved")
    kill("rqworker", road)
    saved = saved_pages()
    road.house.ready_worker("gpu")
    task = road.wait_for_end(task_id, within=100)
    assert (task["status"], task["failed_items"]) == ("succeeded", 0)
    assert task["progress"]["done"] == task["progress"]["total"] == PAGES
    calls = Counter(call.marker for call in road.house.endpoint.calls)
    assert {marker: calls[marker] for marker in saved} == dict.fromkeys(saved, 1)
    assert PAGES <= sum(calls.values()) <= PAGES + CONCURRENCY
    assert answers_in(road.merged(task_id)) == expected(PAGES)


def test_a_repeat_after_a_death_carries_the_same_idempotency_key(road: Road) -> None:
    road.house.endpoint.hold("PAGE-0002")
    road.house.ready_worker("gpu")
    road.house.scheduler()
    task_id = road.submit(marker_pdf(2))
    endpoint = road.house.endpoint
    road.house.wait_until(lambda: endpoint.calls_of("PAGE-0002"), 20, what="the second page is in flight")
    road.house.wait_until(lambda: road.api.task(task_id)["progress"]["done"] == 1, 20, what="the first page is saved")
    kill("child", road)
    endpoint.release("PAGE-0002")
    task = road.wait_for_end(task_id)
    assert task["status"] == "succeeded"
    assert len({call.idempotency_key for call in endpoint.calls_of("PAGE-0002")}) == 1
    assert task["usage"]["in_doubt"] == 1


def test_thirty_waiting_tasks_survive_a_redis_that_lost_everything(road: Road) -> None:
    road.house.endpoint.hold()
    road.house.ready_worker("gpu")
    ids = [road.submit(marker_pdf(1), idempotency_key=f"k{n}") for n in range(31)]
    road.house.wait_until(lambda: road.house.endpoint.in_flight == 1, 20, what="one of them is being worked on")
    redis = road.house.redis_client
    road.house.wait_until(lambda: redis.llen("rq:queue:gpu") > 0, 10, what="doorbells wait")
    redis.flushall()
    assert redis.llen("rq:queue:gpu") == 0
    road.house.endpoint.release()
    road.house.scheduler()
    for task_id in ids:
        assert road.wait_for_end(task_id)["status"] == "succeeded"
    assert Task.objects.filter(attempt=1).count() == 31
    assert len(road.house.endpoint.calls) == 31
