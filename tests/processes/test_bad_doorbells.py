"""What Redis holds under our names may be anything: it is dropped with one line, and no task notices."""

import json
import zlib
from collections.abc import Callable

import pytest
from redis import Redis
from rq_scheduler.scheduler import Scheduler

from tasks_app.lifecycle.retry import retry
from tasks_app.models import Task
from tasks_app.processes.doorbell import Ear, drop_what_is_no_list, ring

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)

BAD = [
    b"0123456789",
    zlib.compress(json.dumps(["no.such.function", None, [], {}]).encode()),
    # Pickle, which must not be read at all.
    b"\x80\x04cos\nsystem\n(S'false'\ntR.",
]


def spoil(redis: Redis) -> None:
    for number, data in enumerate(BAD):
        redis.hset(f"rq:job:bad-{number}", "data", data)
        redis.rpush("rq:queue:gpu", f"bad-{number}")
    # Ids that are no text, no job, and a job of a wrong type.
    redis.set("rq:job:text", "a text")
    redis.rpush("rq:queue:gpu", b"\xff\x00\n", "gone", "text")


def test_a_worker_and_a_scheduler_go_on_through_all_of_it(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(LONGHAUL_UNKNOWN_KIND_SECONDS="2", LONGHAUL_WORKER_SILENT_SECONDS="6")
    redis = yard.house.redis_client
    due = Scheduler(queue_name="gpu", connection=redis).scheduled_jobs_key
    redis.set("rq:queue:cpu", "no list")
    redis.set("rq:job:text", "a text")
    redis.zadd(due, {"text": 1, "gone": 1})
    scheduler = yard.house.scheduler()
    worker = yard.house.ready_worker("gpu", "cpu")
    yard.house.wait_until(lambda: worker.said.count("dropped the key rq:queue:cpu, which was a string") == 1)
    yard.house.wait_until(lambda: scheduler.said.count("dropped a scheduled RQ job that cannot be read, b'text'") == 1)
    spoil(redis)
    tasks = [yard.submit("quick", queue=queue) for queue in ("gpu", "cpu")]
    for task in tasks:
        yard.wait_for(task, "succeeded")
    yard.house.wait_until(lambda: worker.said.count("is no doorbell") == len(BAD) + 1)
    yard.house.wait_until(lambda: not redis.keys("rq:job:*") and not redis.zcard(due))
    assert [yard.outcomes(task) for task in tasks] == [["succeeded"]] * 2
    for program in (worker, scheduler):
        assert program.is_alive
        assert "Traceback" not in program.said
        assert "without it: WRONGTYPE" not in program.said
    _a_kind_that_is_gone_fails_and_can_be_retried(yard)


def _a_kind_that_is_gone_fails_and_can_be_retried(yard: Yard) -> None:
    task = yard.submit("gone")
    yard.wait_for(task, "failed")
    assert (task.error_code, yard.outcomes(task)) == ("unknown_kind", [])
    # Under its new name, as after a deploy that brings the kind back.
    Task.objects.filter(pk=task.pk).update(kind="test.quick")
    retry(task.pk)
    yard.wait_for(task, "succeeded")


def test_whoever_rings_frees_the_name_of_the_queue(yard: Yard, caplog: pytest.LogCaptureFixture) -> None:
    redis = yard.house.redis_client
    redis.sadd("rq:queue:gpu", "no list")
    ring("gpu")
    assert redis.llen("rq:queue:gpu") == 1
    assert Ear(["gpu"], longest_wait=1).heard(within=0.5)
    drop_what_is_no_list(redis, ["rq:queue:gpu", "rq:queue:cpu"])
    assert caplog.text.count("which was a set instead of a list of doorbells") == 1
