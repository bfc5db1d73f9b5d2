"""RQ's registries stay empty of ours by themselves, and decide nothing."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job, JobStatus
from rq.registry import FailedJobRegistry, StartedJobRegistry
from rq.serializers import JSONSerializer

from tasks_app.models import Attempt, Task
from tasks_app.processes import registries as registries_of_rq
from tasks_app.processes.doorbell import FUNCTION, JsonJob
from tasks_app.processes.registries import Registries, keys
from tests.support.house import House
from tests.support.programs import PATIENCE_SECONDS

from .conftest import Yard

BELL = zlib.compress(f'["{FUNCTION}", null, [], {{}}]'.encode())
OTHER = zlib.compress(b'["strangers.work", null, [], {}]')


@pytest.fixture(scope="module")
def redis() -> Iterator[Redis]:
    with House() as house:
        yield house.redis_client


@pytest.fixture
def registries(redis: Redis, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Registries:
    # A Redis that only waits for its turn, on a loaded machine, is not taken for gone.
    monkeypatch.setattr(registries_of_rq, "REDIS_TIMEOUT_SECONDS", PATIENCE_SECONDS)
    redis.flushall()
    settings.REDIS_URL = f"unix://{redis.connection_pool.connection_kwargs['path']}"
    return Registries()


def put(redis: Redis, key: str, *job_ids: str) -> None:
    for job_id in job_ids:
        if key.endswith(":intermediate"):
            redis.rpush(key, job_id)
        else:
            redis.zadd(key, {f"{job_id}:execution" if ":wip:" in key else job_id: 1})


def entries(redis: Redis, key: str) -> list[Any]:
    return redis.lrange(key, 0, -1) if key.endswith(":intermediate") else redis.zrange(key, 0, -1)


def test_doorbells_and_ids_without_a_job_are_taken_out_of_each(redis: Redis, registries: Registries) -> None:
    for key in keys("gpu") + keys("cpu"):
        redis.hset("rq:job:bell", "data", BELL)
        put(redis, key, "bell", "gone")
        assert registries.clear() == 2
        assert redis.dbsize() == 0


def test_jobs_of_strangers_stay_wherever_they_are(redis: Redis, registries: Registries) -> None:
    redis.hset("rq:job:theirs", "data", OTHER)
    redis.hset("rq:job:bell", "data", BELL)
    mine, strange = keys("gpu"), keys("reports")
    for key in mine + strange:
        put(redis, key, "theirs")
    for key in strange:
        put(redis, key, "bell", "gone")
    assert registries.clear() == 0
    assert [len(entries(redis, key)) for key in mine + strange] == [1] * 8 + [3] * 8
    assert redis.hgetall("rq:job:theirs") == {b"data": OTHER}
    assert redis.exists("rq:job:bell")


def test_any_number_of_strangers_before_them_hides_ours_only_for_some_passes(
    redis: Redis, registries: Registries
) -> None:
    with redis.pipeline() as pipe:
        for number in range(3000):
            pipe.hset(f"rq:job:theirs-{number}", "data", OTHER)
            pipe.zadd("rq:failed:gpu", {f"theirs-{number}": number})
        pipe.zadd("rq:failed:gpu", {"gone": 9999})
        pipe.execute()
    assert sum(registries.clear() for _ in range(12)) == 1
    assert redis.zcard("rq:failed:gpu") == 3000


def test_a_registry_of_a_wrong_type_is_named_and_stops_no_other(
    redis: Redis, registries: Registries, caplog: pytest.LogCaptureFixture
) -> None:
    redis.set("rq:wip:gpu", "text")
    redis.set("rq:job:odd", "text")
    put(redis, "rq:failed:gpu", "gone", "odd")
    assert registries.clear() == 1
    assert caplog.text.count("rq:wip:gpu cannot be read") == 1
    assert entries(redis, "rq:failed:gpu") == [b"odd"]


def test_without_redis_nothing_happens(settings: Any, tmp_path: Path) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nobody"
    assert Registries().clear() == 0


@pytest.mark.django_db(transaction=True)
def test_a_finished_task_stays_as_it_is_whatever_rq_believes_of_its_doorbell(yard: Yard) -> None:
    yard.house.ready_worker("gpu")
    redis = yard.house.redis_client
    task = yard.wait_for(yard.submit("steps", count=2), "succeeded")
    before = _rows(task)
    line = Queue("gpu", connection=redis, job_class=JsonJob, serializer=JSONSerializer)
    bell = JsonJob.create(FUNCTION, connection=redis, id="bell", status=JobStatus.STARTED, origin="gpu")
    bell.save()
    redis.zadd("rq:wip:gpu", {"bell:execution": 1, "long-gone:execution": 1})
    StartedJobRegistry(queue=line).cleanup()
    # RQ declares it failed.
    assert FailedJobRegistry(queue=line).get_job_ids(cleanup=False) == ["bell"]
    redis.zadd("rq:wip:gpu", {"bell:execution": 1})
    yard.house.scheduler()
    yard.house.wait_until(lambda: not any(entries(redis, key) for key in keys("gpu")), what="they are empty")
    assert not Job.exists("bell", connection=redis)
    yard.wait_for(yard.submit("quick"), "succeeded")
    assert _rows(task) == before
    assert yard.lines == ["step 0", "step 1", "quick"]


def _rows(task: Task) -> tuple[Any, ...]:
    attempts = Attempt.objects.filter(task=task).order_by("number").values_list("number", "outcome", "finished_at")
    return (*Task.objects.values_list("status", "version", "finished_at").get(pk=task.pk), *attempts)
