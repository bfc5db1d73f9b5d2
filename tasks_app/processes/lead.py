"""Which scheduler leads: the holder of a Redis lock. It saves work; the guarantees are the database's."""

from enum import Enum

from django.conf import settings
from redis.exceptions import LockError
from redis.lock import Lock

from .links import RedisLink

KEY = "longhaul:scheduler"


class Lead(Enum):
    OURS = "ours"
    THEIRS = "theirs"
    # Redis is away: everybody ticks.
    UNKNOWN = "unknown"


class LeadLock:
    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._lock = Lock(
            link.client,
            KEY,
            timeout=settings.LONGHAUL_SCHEDULER_LOCK_SECONDS,
            blocking=False,
            thread_local=False,
        )

    def take(self) -> Lead:
        """Renew the lock, or get it if it is free."""
        return self._link.ask(lambda _: self._take(), otherwise=Lead.UNKNOWN)

    def release(self) -> None:
        self._link.ask(lambda _: self._release(), otherwise=None)

    def _take(self) -> Lead:
        try:
            # Only its owner can: the lock compares the token.
            self._lock.reacquire()
        except LockError:
            return Lead.OURS if self._lock.acquire(blocking=False) else Lead.THEIRS
        return Lead.OURS

    def _release(self) -> None:
        try:
            self._lock.release()
        except LockError:
            # It is another's by now, or nobody's.
            return
