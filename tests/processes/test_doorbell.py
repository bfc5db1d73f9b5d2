"""The doorbell is speed, not truth."""

import json
import time
import zlib
from typing import Any

import pytest
from redis import Redis
from rq import Queue, Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from tasks_app.processes.doorbell import FUNCTION, MOST_WAITING, JsonJob, is_doorbell, ring

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)


def queue(redis: Redis) -> Queue:
    return Queue("gpu", connection=redis, job_class=JsonJob, serializer=JSONSerializer)


def test_a_bell_wakes_an_idle_worker_before_it_looks_by_itself(yard: Yard) -> None:
    yard.house.ready_worker("gpu", LONGHAUL_IDLE_LOOK_SECONDS="600")
    redis = yard.house.redis_client
    yard.house.wait_until(lambda: any(client["cmd"] == "blpop" for client in redis.client_list()), what="it listens")
    yard.wait_for(yard.submit("quick"), "succeeded")


def test_without_redis_an_idle_worker_finds_the_task_by_looking(yard: Yard) -> None:
    yard.house.ready_worker("gpu")
    yard.house.redis.kill()
    began = time.monotonic()
    task = yard.submit("quick")
    # By redis-py's own tries it would be 4.5 s.
    assert time.monotonic() - began < 4
    yard.wait_for(task, "succeeded")


def test_a_worker_starts_without_redis_and_hears_it_when_it_comes(yard: Yard) -> None:
    yard.house.redis.kill()
    worker = yard.house.ready_worker("gpu", LONGHAUL_IDLE_LOOK_SECONDS="600")
    yard.house.start_redis()
    yard.house.wait_until(lambda: "Redis is back" in worker.said)
    yard.submit("quick")
    # The test's own link rests too, after it found Redis away.
    yard.house.wait_until(lambda: _wakes(yard))


def _wakes(yard: Yard) -> bool:
    ring("gpu")
    return bool(yard.lines)


def test_the_worker_leaves_nothing_in_rqs_registries(yard: Yard) -> None:
    yard.house.ready_worker("gpu")
    for _ in range(3):
        yard.wait_for(yard.submit("quick"), "succeeded")
    redis = yard.house.redis_client
    line = queue(redis)
    # A bell that was answered is put away before the worker listens again, a moment after its task has ended.
    yard.house.wait_until(lambda: not line.job_ids and not redis.keys("rq:job:*"))
    registries = (line.started_job_registry, line.finished_job_registry, line.failed_job_registry)
    assert [registry.get_job_ids() for registry in registries] == [[], [], []]
    assert line.intermediate_queue.get_job_ids() == []


def test_rqs_pages_list_the_worker_while_it_lives(yard: Yard) -> None:
    program = yard.house.ready_worker("gpu")
    redis = yard.house.redis_client
    yard.house.wait_until(lambda: [w.pid for w in Worker.all(connection=redis)] == [program.pid])
    redis.flushall()
    yard.house.wait_until(lambda: [w.pid for w in Worker.all(connection=redis)] == [program.pid])
    program.stop()
    assert Worker.all(connection=redis) == []


def test_doorbells_do_not_pile_up(yard: Yard) -> None:
    for _ in range(MOST_WAITING + 10):
        ring("gpu")
    redis = yard.house.redis_client
    assert queue(redis).count == MOST_WAITING
    assert redis.ttl(Job.key_for(queue(redis).job_ids[0])) > 0


def test_a_doorbell_is_json_and_holds_nothing_to_execute(yard: Yard) -> None:
    ring("gpu")
    redis = yard.house.redis_client
    (job_id,) = queue(redis).job_ids
    data: Any = redis.hget(f"rq:job:{job_id}", "data")
    assert json.loads(zlib.decompress(data)) == [FUNCTION, None, [], {}]


@pytest.mark.parametrize("data", [None, b"", b"\x00\xff", b"text", zlib.compress(b"[" * 100_000), zlib.compress(b"{}")])
def test_other_data_is_no_doorbell(data: object) -> None:
    assert not is_doorbell(data)
