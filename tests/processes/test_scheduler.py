"""Schedulers tick, one at a time while Redis is there, each of them while it is not."""

import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq_scheduler.scheduler import Scheduler

from tasks_app.models import Task
from tasks_app.processes.doorbell import FUNCTION, JsonJob
from tasks_app.processes.lead import KEY
from tasks_app.processes.scheduler import reach_database
from tests.support.programs import Program
from tests.support.rows import make_worker, silence, start

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)

# No worker lives in these tests, so a tick is seen by a task that it expires.
# A lock that its holder renews in time on a loaded machine too, where the one of a brisk house would be lost.
KEPT_SECONDS = "6"


def expire_one(yard: Yard) -> Task:
    task = yard.submit("quick")
    Task.objects.filter(pk=task.pk).update(expires_at=Now() - timedelta(seconds=1))
    return task


def wait_for_tick(yard: Yard) -> None:
    yard.wait_for(expire_one(yard), "failed")


def ticking(program: Program) -> bool:
    return "ticks every" in program.said


def test_a_tick_admits_and_rings_for_tasks_that_nobody_rang_for(yard: Yard) -> None:
    task = yard.submit("quick")
    make_worker("gpu", kinds=("test.quick",))
    yard.house.scheduler()
    yard.wait_for(task, "queued")
    yard.house.wait_until(lambda: yard.house.redis_client.llen("rq:queue:gpu") == 1)


def test_it_exits_0_and_gives_the_lock_back(yard: Yard) -> None:
    scheduler = yard.house.scheduler()
    yard.house.wait_until(lambda: yard.house.redis_client.exists(KEY))
    assert scheduler.stop() == 0
    assert not yard.house.redis_client.exists(KEY)


def test_a_second_scheduler_takes_over_from_one_that_was_killed(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(LONGHAUL_SCHEDULER_LOCK_SECONDS=KEPT_SECONDS)
    redis = yard.house.redis_client
    first = yard.house.scheduler()
    yard.house.wait_until(lambda: redis.exists(KEY))
    second = yard.house.scheduler()
    yard.house.wait_until(lambda: ticking(second))
    token = redis.get(KEY)
    wait_for_tick(yard)
    assert redis.get(KEY) == token
    first.kill()
    wait_for_tick(yard)
    assert redis.get(KEY) not in (token, None)


def test_a_frozen_leader_does_not_take_the_lock_from_its_successor(open_yard: Callable[..., Yard]) -> None:
    yard = open_yard(LONGHAUL_SCHEDULER_LOCK_SECONDS=KEPT_SECONDS)
    redis = yard.house.redis_client
    first = yard.house.scheduler()
    yard.house.wait_until(lambda: redis.exists(KEY))
    token = redis.get(KEY)
    first.signal(signal.SIGSTOP)
    yard.house.scheduler()
    yard.house.wait_until(lambda: redis.get(KEY) not in (token, None))
    successor = redis.get(KEY)
    first.signal(signal.SIGCONT)
    first.stop()
    wait_for_tick(yard)
    assert redis.get(KEY) == successor


def test_it_ticks_without_redis_at_start_and_later(yard: Yard) -> None:
    yard.house.redis.kill()
    scheduler = yard.house.scheduler()
    wait_for_tick(yard)
    yard.house.start_redis()
    yard.house.wait_until(lambda: yard.house.redis_client.exists(KEY))
    yard.house.redis.kill()
    wait_for_tick(yard)
    assert scheduler.is_alive


def test_nothing_is_rescued_before_it_was_in_contact_for_as_long_as_a_worker_may_be_silent(
    open_yard: Callable[..., Yard],
) -> None:
    yard = open_yard(LONGHAUL_WORKER_SILENT_SECONDS="3")
    worker = make_worker("gpu")
    task = yard.submit("quick")
    start(task, worker)
    silence(worker)
    # Its contact begins after this, whenever it is ready; by its first tick it would take half of that.
    began = time.monotonic()
    yard.house.scheduler()
    yard.house.wait_until(lambda: yard.outcomes(task) == ["lost"])
    assert time.monotonic() - began > 3


def test_who_cannot_write_has_no_contact() -> None:
    # SQLite has one lock for all writers: while it is held heartbeats wait too, and their workers are not dead.
    held, release = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            held.set()
            release.wait(60)
        connection.close()

    def look() -> None:
        reach_database()
        connection.close()

    with ThreadPoolExecutor() as pool:
        pool.submit(hold)
        assert held.wait(30)
        looked = pool.submit(look)
        wait([looked], timeout=0.5 if connection.vendor == "sqlite" else 30)
        assert looked.done() == (connection.vendor != "sqlite")
        release.set()
        looked.result(30)


def test_rq_schedulers_own_jobs_are_served_and_unreadable_ones_dropped(yard: Yard) -> None:
    redis: Redis = yard.house.redis_client
    scheduler = Scheduler(queue_name="default", connection=redis, job_class=JsonJob)
    job = scheduler.enqueue_in(timedelta(0), FUNCTION)
    redis.hset("rq:job:bad", mapping={"data": b"0123456789", "created_at": "no date", "origin": "default"})
    redis.zadd(scheduler.scheduled_jobs_key, {"bad": 1, "gone": 1})
    program = yard.house.scheduler()
    line = Queue("default", connection=redis, job_class=JsonJob, serializer=JSONSerializer)
    yard.house.wait_until(lambda: line.job_ids == [job.id])
    yard.house.wait_until(lambda: not redis.zcard(scheduler.scheduled_jobs_key))
    wait_for_tick(yard)
    yard.house.wait_until(lambda: program.said.count("cannot be read") == 1)
