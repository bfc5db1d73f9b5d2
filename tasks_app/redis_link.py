"""Redis, asked by processes that go on when it is away."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

logger = logging.getLogger(__name__)

# After one failure nobody asks Redis again for this long: a request must not wait for it twice.
REST_SECONDS = 3.0


class RedisLink:
    """A client of its own that gives up after `timeout` seconds, and then rests. Safe from any thread."""

    def __init__(self, *, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.client: Redis = Redis.from_url(
            settings.REDIS_URL,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=timeout,
            socket_connect_timeout=min(timeout, 0.3),
        )
        self._clock = clock
        self._rests_until: float | None = None

    def ask[T](self, question: Callable[[Redis], T], *, otherwise: T) -> T:
        """Redis' answer, or `otherwise` where it is away or was a moment ago."""
        # Looked at once: another thread may find it back meanwhile.
        rests_until = self._rests_until
        if rests_until is not None and self._clock() < rests_until:
            return otherwise
        try:
            answer = question(self.client)
        except (RedisError, OSError) as error:
            self._failed(error)
            return otherwise
        if self._rests_until is not None:
            logger.info("Redis is back")
            self._rests_until = None
        return answer

    def _failed(self, error: Exception) -> None:
        if self._rests_until is None:
            logger.warning("Redis is away, work goes on without it: %s", error)
        self._rests_until = self._clock() + REST_SECONDS
