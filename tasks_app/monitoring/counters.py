"""Counts of this process, on their way to Redis.

Whoever counts only adds to a table in memory; one background thread sends what has come together, once a second. So
work never waits for Redis and never fails by it. With Redis away the counts are kept, one number a series, and sent
when it is back. A process that is killed loses what it counted in its last second; one that ends sends it. A worker's
child, which is killed often, hands its counts to the worker with the end of each attempt.
"""

import atexit
import logging
import os
import threading
import time
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from redis.exceptions import RedisError

from .catalogue import SUM, Counter, Counts, Histogram, Series
from .store import Batch, Store

THREAD_NAME = "longhaul-metrics"
FLUSH_SECONDS = 1.0
# After a failure Redis is left alone this long.
REST_SECONDS = 3.0
# At the end of a process.
LAST_MOMENT_SECONDS = 1.0
# Labels are bounded, so this is never reached; it bounds the memory if one should not be.
MOST_SERIES = 20_000

logger = logging.getLogger(__name__)


class Counters:
    """Any thread may count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counts = {}
        self._sockets: int | None = None
        self._has_news = threading.Event()
        self._thread: threading.Thread | None = None
        # Held while a batch is on its way: one at a time, or their numbers would say nothing.
        self._sending = threading.Lock()
        self._store = Store()
        self._batch = Batch(0, {})
        self._rests_until: float | None = None
        self.is_dropped = False

    def add(self, series: Series, by: float = 1) -> None:
        with self._lock:
            self._add(series, by)
        self._tell()

    def observe(self, cell: Series, total: Series, seconds: float) -> None:
        """Of a histogram: one more in a bucket, and so many seconds in all."""
        with self._lock:
            self._add(cell, 1)
            self._add(total, seconds)
        self._tell()

    def sockets(self, by: int) -> None:
        """So many more are open in this process."""
        with self._lock:
            self._sockets = (self._sockets or 0) + by
        self._tell()

    def take(self) -> Counts:
        """All but the batch that is on its way, or could not be sent; from now on they are the caller's."""
        with self._lock:
            counts, self._counts = self._counts, {}
        return counts

    def flush(self, timeout: float = LAST_MOMENT_SECONDS) -> bool:
        """Send what is left; False where that did not succeed within `timeout` (s)."""
        if not self._sending.acquire(timeout=timeout):
            return False
        try:
            # A batch that could not be sent before goes first, alone: what has come since is another one.
            return self._send() and (not self._counts or self._send())
        finally:
            self._sending.release()

    def _add(self, series: Series, by: float) -> None:
        known = self._counts.get(series)
        if known is not None or len(self._counts) < MOST_SERIES:
            self._counts[series] = (known or 0) + by

    def _tell(self) -> None:
        if not self._has_news.is_set():
            if self._thread is None or not self._thread.is_alive():
                self._begin()
            self._has_news.set()

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._work, name=THREAD_NAME, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            # The interpreter is about to end, or the system has no thread left: the last flush sends it.
            self._thread = None

    def _work(self) -> None:
        while True:
            self._has_news.wait()
            self._has_news.clear()
            time.sleep(FLUSH_SECONDS)
            if self.is_dropped:
                return
            try:
                sent = self.flush()
            except Exception:
                logger.exception("counts could not be sent")
                sent = False
            # Open sockets are told of again and again: who says nothing is gone.
            if not sent or self._sockets:
                self._has_news.set()

    def _send(self) -> bool:
        if self._rests_until is not None and time.monotonic() < self._rests_until:
            return False
        if not self._batch.counts:
            with self._lock:
                self._batch, self._counts = Batch(self._batch.number + 1, self._counts), {}
        if not self._batch.counts and self._sockets is None:
            return True
        try:
            self._store.add(self._batch, sockets=self._sockets)
        except (RedisError, OSError) as error:
            self._failed(error)
            return False
        self._batch = Batch(self._batch.number, {})
        self._rests_until = None
        return True

    def _failed(self, error: Exception) -> None:
        if self._rests_until is None:
            logger.warning("Counts are kept until Redis is back: %s", error)
        self._rests_until = time.monotonic() + REST_SECONDS


_counters = Counters()


def renew() -> None:
    """Begin with nothing: no thread, no counts. A fork must: its counts so far are its parent's to send."""
    global _counters
    # Nothing that takes a lock: in a fork nobody would give it back.
    _counters.is_dropped = True
    _counters = Counters()


os.register_at_fork(after_in_child=renew)


def flush_at_exit() -> None:
    """From now on; for AppConfig.ready."""
    atexit.register(flush)


def flush(timeout: float = LAST_MOMENT_SECONDS) -> bool:
    """Send at once what this process has counted; False where that did not succeed within `timeout` (s)."""
    return _counters.flush(timeout)


def count(counter: Counter, *labels: str, by: float = 1) -> None:
    """`labels`: values, in the order of the catalogue."""
    _counters.add((counter.name, labels, ""), by)


def observe(histogram: Histogram, *labels: str, seconds: float) -> None:
    """`labels`: values, in the order of the catalogue."""
    cell = cells(histogram.bounds)[bisect_left(histogram.bounds, seconds)]
    # A clock that was set back would make a sum fall.
    _counters.observe((histogram.name, labels, cell), (histogram.name, labels, SUM), max(seconds, 0.0))


def count_sockets(by: int) -> None:
    """So many more are open in this process, or fewer."""
    _counters.sockets(by)


def hand_over() -> list[Any]:
    """What was counted since the last batch, as JSON, for `take_over` in a process that will send it."""
    return [[*series, by] for series, by in _counters.take().items()]


def take_over(counts: Sequence[Any]) -> None:
    """Count what another process had counted."""
    for name, labels, part, by in counts:
        _counters.add((name, tuple(labels), part), by)


@lru_cache(maxsize=16)
def cells(bounds: tuple[float, ...]) -> tuple[str, ...]:
    """Names of a histogram's buckets."""
    return (*(f"{bound:g}" for bound in bounds), "+Inf")
