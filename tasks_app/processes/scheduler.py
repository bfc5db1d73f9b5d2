"""`manage.py rqscheduler`: django-rq's command, our scheduler. Any number of replicas."""

import logging
import time
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import close_old_connections, transaction
from rq_scheduler.scheduler import Scheduler

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Worker
from tasks_app.redis_link import RedisLink

from . import tick
from .contact import Contact, Look
from .due_jobs import enqueue_due
from .frozen import watch_locks
from .lead import Lead, LeadLock
from .links import DatabaseLink
from .stop import Stop

logger = logging.getLogger(__name__)

REDIS_TIMEOUT_SECONDS = 0.5
MOMENT_SECONDS = 0.1


class TaskScheduler(Scheduler):  # type: ignore[misc]
    """rq-scheduler's own jobs are served at its `--interval`, by the leader; the tick has its own pace."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._contact = Contact(needed_seconds=settings.LONGHAUL_WORKER_SILENT_SECONDS)
        self._database = DatabaseLink()
        self._redis = RedisLink(timeout=REDIS_TIMEOUT_SECONDS)
        self._lead = LeadLock(self._redis)
        self._jobs_due_at = 0.0

    def run(self, burst: bool = False) -> None:
        """Tick until told to stop; with `burst` once."""
        stop = Stop()
        stop.listen()
        watch_locks()
        logger.info("scheduler %d ticks every %g s", self.pid, settings.LONGHAUL_TICK_SECONDS)
        try:
            while not stop.is_requested:
                next_at = time.monotonic() + settings.LONGHAUL_TICK_SECONDS
                self._tick_safely()
                if burst:
                    break
                _wait(stop, until=next_at)
        finally:
            self._lead.release()

    def _tick_safely(self) -> None:
        try:
            self._tick()
        except Exception:
            logger.exception("this tick failed, the scheduler goes on")
            self._contact.broke()

    def _tick(self) -> None:
        close_old_connections()
        # Those that do not lead look too: any of them may have to rescue the moment the leader is gone.
        if not self._look():
            return
        lead = self._lead.take()
        if lead is Lead.THEIRS:
            return
        with self._lead.kept() as is_lost:
            # A part that fails says nothing of the contact: one broken row would stop the rescue for ever.
            tick.perform(has_contact=self._has_contact, is_over=is_lost)
            if lead is Lead.OURS and not is_lost():
                self._serve_jobs()

    def _look(self) -> bool:
        """Whether the database answers."""
        now = self._database.ask(reach_database, otherwise=None)
        if now is None:
            self._contact.broke()
            return False
        self._contact.heard(Look(now, time.monotonic()))
        return True

    def _has_contact(self) -> bool:
        # Asked anew before the rescue: the parts before it may have taken long.
        return self._look() and self._contact.is_steady(monotonic=time.monotonic())

    def _serve_jobs(self) -> None:
        if time.monotonic() >= self._jobs_due_at:
            self._jobs_due_at = time.monotonic() + self._interval
            self._redis.ask(lambda _: enqueue_due(self), otherwise=None)


def reach_database() -> datetime:
    """The database's clock, once it was reached so that one could have written."""
    # The clock alone would not touch SQLite's file. A transaction takes its write lock: as long as nobody can, no
    # heartbeat arrives either, and that says nothing of the workers.
    with transaction.atomic():
        Worker.objects.exists()
    return database_now()


def _wait(stop: Stop, *, until: float) -> None:
    while not stop.is_requested and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, MOMENT_SECONDS))
