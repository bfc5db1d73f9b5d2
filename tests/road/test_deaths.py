"""A dead child, and a Redis that lost everything. A worker killed amid a document is in `test_whole.py`."""

import os
import signal

from tasks_app.models import Task
from tests.road.conftest import Road
from tests.support.documents import marker_pdf

CONCURRENCY = 4


def kill(victim: str, road: Road) -> None:
    programs = {program.name: program for program in road.house.programs if program.is_alive}
    if victim == "child":
        (child,) = [p for p in programs["rqworker"].children() if "child" in " ".join(p.cmdline())]
        os.kill(child.pid, signal.SIGKILL)
    else:
        programs[victim].kill()


def test_a_repeat_after_a_death_carries_the_same_idempotency_key(road: Road) -> None:
    road.house.endpoint.hold("PAGE-0002")
    road.house.ready_worker("gpu")
    road.house.scheduler()
    task_id = road.submit(marker_pdf(2))
    endpoint = road.house.endpoint
    road.house.wait_until(lambda: endpoint.calls_of("PAGE-0002"), what="the second page is in flight")
    road.house.wait_until(lambda: road.api.task(task_id)["progress"]["done"] == 1, what="the first page is saved")
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
    road.house.wait_until(lambda: road.house.endpoint.in_flight == 1, what="one of them is being worked on")
    redis = road.house.redis_client
    road.house.wait_until(lambda: redis.llen("rq:queue:gpu") > 0, what="doorbells wait")
    redis.flushall()
    assert redis.llen("rq:queue:gpu") == 0
    road.house.endpoint.release()
    road.house.scheduler()
    for task_id in ids:
        assert road.wait_for_end(task_id)["status"] == "succeeded"
    assert Task.objects.filter(attempt=1).count() == 31
    assert len(road.house.endpoint.calls) == 31
