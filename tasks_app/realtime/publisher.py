"""Turns task_changed into hints: at most LONGHAUL_EVENTS_PER_SECOND of a task, and always its last one.

The caller only leaves a note; one background thread sends. So a change never waits for Redis, and never fails by it.
"""

import atexit
import logging
import math
import os
import threading
import time
from typing import Any
from uuid import UUID

from django.conf import settings

from tasks_app.signals import task_changed

from .delivery import Delivery
from .hints import Hint

THREAD_NAME = "longhaul-hints"
# At the end of a process, for what is still to be sent.
FLUSH_SECONDS = 1.0
NEVER = (-math.inf, 0)

logger = logging.getLogger(__name__)


class Publisher:
    """Hints to be sent, the newest of each task. Any thread may call `publish`."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: dict[UUID, Hint] = {}
        # Of tasks told of within the interval: when, and which version.
        self._sent: dict[UUID, tuple[float, int]] = {}
        self._thread: threading.Thread | None = None
        self._sending = False
        self._hurry = False
        self._delivery = Delivery()

    def publish(self, hint: Hint) -> None:
        with self._changed:
            earlier = self._waiting.get(hint.task_id)
            known = earlier.version if earlier else self._sent.get(hint.task_id, NEVER)[1]
            # Threads may come in any order; the newest version counts.
            if known > hint.version:
                return
            self._waiting[hint.task_id] = hint
            self._start()
            self._changed.notify_all()

    def flush(self, timeout: float = FLUSH_SECONDS) -> bool:
        """Send what waits without regard to the rate; False if `timeout` (s) did not suffice."""
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            done = self._changed.wait_for(lambda: not self._waiting and not self._sending, timeout)
            self._hurry = False
        return done

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name=THREAD_NAME, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            hints = self._take()
            try:
                self._delivery.deliver(hints)
            except Exception:
                logger.exception("hints could not be sent")
            with self._changed:
                self._sending = False
                self._changed.notify_all()

    def _take(self) -> list[Hint]:
        """Wait until hints are due, and take them all."""
        with self._changed:
            while not (due := self._due()):
                self._changed.wait(self._time_to_next())
            now = time.monotonic()
            hints = [self._waiting.pop(task_id) for task_id in due]
            self._sent = {task: sent for task, sent in self._sent.items() if now - sent[0] < _interval()}
            self._sent.update({hint.task_id: (now, hint.version) for hint in hints})
            self._sending = True
            return hints

    def _due(self) -> list[UUID]:
        now = time.monotonic()
        return [task_id for task_id in self._waiting if self._hurry or self._due_at(task_id) <= now]

    def _due_at(self, task_id: UUID) -> float:
        return self._sent.get(task_id, NEVER)[0] + _interval()

    def _time_to_next(self) -> float | None:
        if not self._waiting:
            return None
        return max(0.0, min(map(self._due_at, self._waiting)) - time.monotonic())


def _interval() -> float:
    return 1 / float(settings.LONGHAUL_EVENTS_PER_SECOND)


_publisher = Publisher()


def renew() -> None:
    """Begin with nothing: no thread, no connection. A fork must, as neither crosses it."""
    global _publisher
    _publisher = Publisher()


os.register_at_fork(after_in_child=renew)


def connect() -> None:
    """Listen to task_changed from now on; for AppConfig.ready."""
    task_changed.connect(_on_task_changed, dispatch_uid="realtime")
    atexit.register(flush)


def flush(timeout: float = FLUSH_SECONDS) -> bool:
    """Send at once what this process still holds back; False if `timeout` (s) did not suffice."""
    return _publisher.flush(timeout)


def _on_task_changed(*, task_id: UUID, owner_id: int | None, version: int, **_: Any) -> None:
    _publisher.publish(Hint(task_id, owner_id, version))
