"""Which scheduler leads: the holder of a Redis lock. It saves work; the guarantees are the database's."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial

from django.conf import settings
from redis.exceptions import LockError
from redis.lock import Lock

from tasks_app.redis_link import RedisLink

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
        self._renewed_at = -math.inf

    def take(self) -> Lead:
        """Renew the lock, or get it if it is free."""
        asked_at = time.monotonic()
        lead = self._link.ask(lambda _: self._take(), otherwise=Lead.UNKNOWN)
        if lead is Lead.OURS:
            self._renewed_at = asked_at
        return lead

    @contextmanager
    def kept(self) -> Iterator[Callable[[], bool]]:
        """Renew the lock meanwhile, however long it takes. Yields: whether another leads by now, as after a freeze."""
        done, lost = threading.Event(), threading.Event()
        renewal = threading.Thread(target=self._renew, args=(done, lost), name="lead", daemon=True)
        renewal.start()
        try:
            yield partial(self._is_lost, lost)
        finally:
            done.set()
            renewal.join()

    def release(self) -> None:
        self._link.ask(lambda _: self._release(), otherwise=None)

    def _take(self) -> Lead:
        try:
            # Only its owner can: the lock compares the token.
            self._lock.reacquire()
        except LockError:
            return Lead.OURS if self._lock.acquire(blocking=False) else Lead.THEIRS
        return Lead.OURS

    def _renew(self, done: threading.Event, lost: threading.Event) -> None:
        while not done.wait(settings.LONGHAUL_SCHEDULER_LOCK_SECONDS / 3):
            if self.take() is Lead.THEIRS:
                lost.set()
                return

    def _is_lost(self, lost: threading.Event) -> bool:
        # After a freeze this thread may be the first that goes on: the renewal has not asked yet.
        is_old = time.monotonic() - self._renewed_at > settings.LONGHAUL_SCHEDULER_LOCK_SECONDS
        if is_old and not lost.is_set() and self.take() is Lead.THEIRS:
            lost.set()
        return lost.is_set()

    def _release(self) -> None:
        try:
            self._lock.release()
        except LockError:
            # It is another's by now, or nobody's.
            return
