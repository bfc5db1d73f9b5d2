"""RQ's registries of our queues, kept empty of ours. They decide nothing: the rows do.

A doorbell comes into one when another RQ worker answers it, when RQ's own clean-up moves it, or by hand.
"""

import logging
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis
from redis.exceptions import ResponseError
from rq.intermediate_queue import IntermediateQueue
from rq.registry import (
    BaseRegistry,
    CanceledJobRegistry,
    DeferredJobRegistry,
    FailedJobRegistry,
    FinishedJobRegistry,
    ReadyJobRegistry,
    ScheduledJobRegistry,
    StartedJobRegistry,
)

from tasks_app.redis_link import RedisLink

from .doorbell import PREFIX, is_doorbell, queue_key

logger = logging.getLogger(__name__)

REDIS_TIMEOUT_SECONDS = 0.5
# About so many of one registry are looked at in one pass; the next goes on where this one ended.
AT_ONCE = 500
REGISTRIES: tuple[type[BaseRegistry], ...] = (
    StartedJobRegistry,
    FinishedJobRegistry,
    FailedJobRegistry,
    DeferredJobRegistry,
    ReadyJobRegistry,
    ScheduledJobRegistry,
    CanceledJobRegistry,
)


def clear_registries() -> int:
    """Take out doorbells, and ids whose job is gone; returns how many. With Redis away nothing happens."""
    return _registries().clear()


class Registries:
    def __init__(self) -> None:
        self._link = RedisLink(timeout=REDIS_TIMEOUT_SECONDS)
        self._cursors: dict[str, int] = {}

    def clear(self) -> int:
        return self._link.ask(self._clear_all, otherwise=0)

    def _clear_all(self, redis: Redis) -> int:
        return sum(self._clear_safely(redis, key) for queue in settings.TASK_QUEUES for key in keys(queue))

    def _clear_safely(self, redis: Redis, key: str) -> int:
        try:
            return self._clear(redis, key)
        except ResponseError as error:
            # Somebody keeps something else there, which is no reason to leave the others as they are.
            logger.warning("RQ's registry %s cannot be read: %s", key, error)
            return 0

    def _clear(self, redis: Redis, key: str) -> int:
        is_list = key.endswith(":intermediate")
        ours = _ours(redis, redis.lrange(key, 0, AT_ONCE - 1) if is_list else self._scan(redis, key))
        with redis.pipeline() as pipe:
            for entry, job in ours.items():
                pipe.lrem(key, 0, entry) if is_list else pipe.zrem(key, entry)
                pipe.delete(job)
            pipe.execute()
        return len(ours)

    def _scan(self, redis: Redis, key: str) -> list[bytes]:
        answer: Any = redis.zscan(key, self._cursors.get(key, 0), count=AT_ONCE)
        self._cursors[key], found = answer
        return [entry for entry, _score in found]


@cache
def _registries() -> Registries:
    return Registries()


def keys(queue: str) -> list[str]:
    """Of the queue's registries, and last of the list through which RQ's own workers take a job."""
    names = [registry.key_template.format(queue) for registry in REGISTRIES]
    return [*names, IntermediateQueue.get_intermediate_queue_key(queue_key(queue))]


def _ours(redis: Redis, entries: Iterable[Any]) -> dict[Any, bytes]:
    """Entry -> key of its job, of doorbells and of jobs that are gone."""
    # The registry of started jobs adds an execution's id.
    jobs = {entry: PREFIX + entry.partition(b":")[0] for entry in entries}
    with redis.pipeline(transaction=False) as pipe:
        for job in jobs.values():
            pipe.exists(job)
            pipe.hget(job, "data")
        answers = pipe.execute(raise_on_error=False)
    found = zip(jobs.items(), answers[::2], answers[1::2], strict=True)
    return {entry: job for (entry, job), exists, data in found if exists == 0 or is_doorbell(data)}
