"""The doorbell: an RQ job that says "there is work in this queue", and nothing else.

It names no task. Losing one, or ringing once too often, changes nothing.
"""

import json
import logging
import time
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from tasks_app.redis_link import RedisLink

logger = logging.getLogger(__name__)

# Waiting doorbells of a queue. A worker that wakes claims until its queue is empty, so more would only be answered
# in vain; the tick rings again while rows wait.
MOST_WAITING = 50
# The job's life. Its place in the queue outlives it, and rings just as well.
TTL_SECONDS = 300
# The web process rings while a request waits.
RING_TIMEOUT_SECONDS = 0.25
PREFIX = Job.redis_job_namespace_prefix.encode()


class JsonJob(Job):
    """RQ's job, whose data is JSON whoever makes or reads it: Redis holds nothing executable."""

    def __init__(self, id: str | None = None, connection: Redis | None = None, serializer: Any = None) -> None:  # noqa: A002, ARG002
        super().__init__(id, connection=connection, serializer=JSONSerializer)


def answer() -> None:
    """What a doorbell names as its function. Our worker never calls it, another RQ worker may."""


FUNCTION = f"{answer.__module__}.{answer.__qualname__}"


@cache
def ringing() -> RedisLink:
    return RedisLink(timeout=RING_TIMEOUT_SECONDS)


def ring(queue: str, *, times: int = 1) -> None:
    """Wake `times` workers of the queue. Never raises, never takes long: with Redis away a tick rings later."""
    ringing().ask(lambda redis: _ring(redis, queue, times), otherwise=None)


def ring_up_to(queue: str, *, rows: int) -> None:
    """See that as many doorbells wait as there are claimable rows."""
    ringing().ask(lambda redis: _ring(redis, queue, rows - waiting(redis, queue)), otherwise=None)


def waiting(redis: Redis, queue: str) -> int:
    key = queue_key(queue)
    try:
        return int(redis.llen(key))
    except ResponseError:
        drop_what_is_no_list(redis, [key])
        return 0


def drop_what_is_no_list(redis: Redis, keys: Sequence[str]) -> None:
    """Free the names of our queues from keys of a wrong type, which would keep every bell from ringing."""
    for key in keys:
        kind: Any = redis.type(key)
        if kind not in (b"list", b"none"):
            redis.delete(key)
            logger.warning("dropped the key %s, which was a %s instead of a list of doorbells", key, kind.decode())


def _ring(redis: Redis, queue: str, times: int) -> None:
    times = min(times, MOST_WAITING - waiting(redis, queue))
    if times <= 0:
        return
    line = Queue(queue, connection=redis, job_class=JsonJob, serializer=JSONSerializer)
    with redis.pipeline(transaction=False) as pipe:
        for _ in range(times):
            line.enqueue_call(FUNCTION, ttl=TTL_SECONDS, description="doorbell", pipeline=pipe)
        pipe.execute()


def queue_key(queue: str) -> str:
    return f"{Queue.redis_queue_namespace_prefix}{queue}"


class Ear:
    """Listens for the doorbells of some queues."""

    def __init__(self, queues: Sequence[str], *, longest_wait: float) -> None:
        """`longest_wait`: seconds that one `heard` waits at most."""
        self._keys = [queue_key(queue) for queue in queues]
        self._link = RedisLink(timeout=longest_wait + 1)
        self._answered: Any = None

    def heard(self, *, within: float) -> bool:
        """Whether it rang within that many seconds; with Redis away it waits that long and says no."""
        until = time.monotonic() + within
        found = self._link.ask(lambda redis: self._listen(redis, within), otherwise=None)
        if found is None:
            time.sleep(max(0.0, until - time.monotonic()))
            return False
        return True

    def _listen(self, redis: Redis, within: float) -> Any:
        try:
            # The one before, which had to wait for it: first comes the work.
            self._put_away(redis)
            self._answered = redis.blpop(self._keys, within)
            return self._answered
        except ResponseError:
            drop_what_is_no_list(redis, self._keys)
            return None

    def _put_away(self, redis: Redis) -> None:
        if self._answered is None:
            return
        queue, job_id = self._answered
        self._answered = None
        with redis.pipeline() as pipe:
            pipe.hget(PREFIX + job_id, "data")
            pipe.delete(PREFIX + job_id)
            data = pipe.execute(raise_on_error=False)[0]
        # Without data its life was over, which is no fault.
        if data is not None and not is_doorbell(data):
            logger.warning("dropped a job from %s that is no doorbell: %s", queue.decode(), job_id[:60])


def is_doorbell(data: Any) -> bool:
    """Whether a job's stored data names our function. Reads JSON only, so that nothing in it can act."""
    try:
        call = json.loads(zlib.decompress(data))
    except (zlib.error, ValueError, TypeError, RecursionError):
        return False
    return isinstance(call, list) and call[:1] == [FUNCTION]
