"""`manage.py rqworker QUEUE ...`: django-rq's command, our worker."""

import logging
from typing import Any

from redis import Redis
from rq import Worker, worker_registration
from rq.serializers import JSONSerializer
from rq.utils import now
from rq.worker import WorkerStatus

from tasks_app.models import AttemptRef
from tasks_app.redis_link import RedisLink

from .frozen import watch_locks
from .stop import Stop
from .work_loop import WorkLoop

logger = logging.getLogger(__name__)

PAGE_TIMEOUT_SECONDS = 0.5
# RQ forgets a worker that it has not heard of for this long.
PAGE_TTL_SECONDS = 60


class TaskWorker(Worker):
    """RQ's worker by name and on RQ's pages. What it does is decided by the rows alone: Redis may be away."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # The command passes the pickling one.
        super().__init__(*args, **{**kwargs, "serializer": JSONSerializer})

    def work(self, burst: bool = False, *_: Any, max_jobs: int | None = None, **__: Any) -> bool:
        """Work until told to stop; with `burst` until nothing is left. Returns whether it made an attempt."""
        stop = Stop()
        stop.listen()
        watch_locks()
        self.birth_date = now()
        page = RedisLink(timeout=PAGE_TIMEOUT_SECONDS)
        logger.info("worker %s serves %s", self.pid, ", ".join(self.queue_names()))
        loop = WorkLoop(
            self.queue_names(),
            stop=stop,
            show=lambda hand: page.ask(lambda redis: self._show(redis, hand), otherwise=None),
        )
        try:
            return loop.run(burst=burst, most=max_jobs) > 0
        finally:
            page.ask(self._hide, otherwise=None)

    def _show(self, redis: Redis, hand: AttemptRef | None) -> None:
        """Be listed as alive, also after Redis was emptied."""
        self.last_heartbeat = now()
        state = WorkerStatus.BUSY if hand else WorkerStatus.IDLE
        with redis.pipeline() as pipe:
            pipe.hset(self.key, mapping={**self.serialize(), "state": state.value})
            pipe.expire(self.key, PAGE_TTL_SECONDS)
            worker_registration.register(self, pipe)
            pipe.execute()

    def _hide(self, redis: Redis) -> None:
        with redis.pipeline() as pipe:
            worker_registration.unregister(self, pipe)
            pipe.delete(self.key)
            pipe.execute()

    def _set_connection(self, connection: Redis) -> Redis:
        # RQ would raise its timeout to minutes.
        return connection

    def _set_ip_address(self, connection: Redis) -> None:  # noqa: ARG002
        # RQ asks Redis, which may be away.
        self.ip_address = "unknown"
