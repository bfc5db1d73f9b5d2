"""The worker's row: made at the start, kept fresh, and closed at the end."""

import logging
import time
from collections.abc import Collection, Sequence
from uuid import UUID

from django.conf import settings

from tasks_app.lifecycle import workers
from tasks_app.lifecycle.admission import admit_all
from tasks_app.models import AttemptRef, Worker

from .keeper import Keeper
from .links import DatabaseLink
from .memory import held_bytes

logger = logging.getLogger(__name__)


class Heartbeat:
    """Beats in the worker's only thread, so that a late beat never denies an attempt that was just claimed."""

    def __init__(self, queues: Sequence[str], *, keeper: Keeper, database: DatabaseLink) -> None:
        self.worker_id: UUID | None = None
        self._queues = queues
        self._keeper = keeper
        self._database = database
        self._known: Collection[str] = ()
        self._due_at = 0.0

    def pulse(self, hand: AttemptRef | None) -> bool:
        """Beat if it is time, `hand` being the attempt in hand; returns whether it was."""
        now = time.monotonic()
        if now < self._due_at:
            return False
        self._due_at = now + settings.LONGHAUL_HEARTBEAT_SECONDS
        self._database.ask(lambda: self._beat(hand), otherwise=None)
        return True

    def register(self) -> UUID | None:
        """The worker's id; None while the database is away."""
        if self.worker_id is None:
            self.worker_id = self._database.ask(lambda: workers.register(queues=self._queues), otherwise=None)
            self._known = ()
        return self.worker_id

    def know(self, kinds: Collection[str]) -> None:
        """Note what the child knows, when that has changed, and admit what waited for somebody who does."""
        worker_id = self.worker_id
        if kinds == self._known or worker_id is None:
            return
        if self._database.ask(lambda: workers.know(worker_id, kinds), otherwise=False):
            self._known = kinds
            # A tick would do it too, a second later.
            self._database.ask(admit_all, otherwise=0)

    def goodbye(self) -> None:
        worker_id = self.worker_id
        if worker_id is not None:
            self._database.ask(lambda: workers.goodbye(worker_id), otherwise=None)

    def _beat(self, hand: AttemptRef | None) -> None:
        if self.worker_id is None:
            return
        memory = held_bytes(self._keeper.pid) if self._keeper.pid else 0
        workers.heartbeat(self.worker_id, hand=hand, memory_bytes=memory, child_restarts=self._keeper.restarts)
        if hand is None and not Worker.objects.filter(pk=self.worker_id).exists():
            logger.warning("the row of this worker is gone; it registers anew")
            self.worker_id = None
