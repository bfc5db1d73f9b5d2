"""The worker's loop: a child that is ready, a claim, an attempt; else wait for the doorbell."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

from django.conf import settings

from tasks_app.conf import queue
from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle.claim import Claim, claim
from tasks_app.lifecycle.ending import handed_over
from tasks_app.lifecycle.ends import end
from tasks_app.models import AttemptRef, Task
from tasks_app.storage import sweep_drafts

from .doorbell import Ear
from .handle import ChildUnkillable
from .heartbeat import Heartbeat
from .keeper import Keeper
from .links import DatabaseLink
from .stop import Stop
from .sweep import sweep_work_folders
from .watch import Watch

logger = logging.getLogger(__name__)

# One wait for a doorbell, a child or the database: so soon a signal is noticed.
MOMENT_SECONDS = 0.5
# Between looks of an idle worker for folders that dead workers left.
SWEEP_SECONDS = 60.0


class WorkLoop:
    def __init__(self, queues: Sequence[str], *, stop: Stop, show: Callable[[AttemptRef | None], None]) -> None:
        """`show`: called with each heartbeat and the attempt in hand, to tell others; it decides nothing."""
        self._queues = queues
        self._stop = stop
        self._show = show
        self._database = DatabaseLink()
        self._ear = Ear(queues, longest_wait=MOMENT_SECONDS)
        self._keeper = Keeper()
        self._heart = Heartbeat(queues, keeper=self._keeper, database=self._database)
        self._is_unsure = False
        self._sweep_at = 0.0

    def run(self, *, burst: bool, most: int | None) -> int:
        """Until told to stop, or `most` attempts were made, or with `burst` nothing is left; returns the attempts."""
        made = 0
        try:
            while not self._stop.is_requested and made != most:
                attempted = self._turn(wait=not burst)
                made += bool(attempted)
                if burst and attempted is False:
                    break
        finally:
            try:
                self._keeper.drop()
            finally:
                self._heart.goodbye()
        return made

    def _turn(self, *, wait: bool) -> bool | None:
        """Whether an attempt was made; None when the worker was not ready to claim."""
        try:
            return self._work(wait=wait)
        except ChildUnkillable:
            logger.critical("this worker stops: its child cannot be killed, so nobody would watch it")
            raise
        except Exception:
            logger.exception("this turn failed, the worker goes on")
            # Nobody watches it now.
            self._keeper.drop()
            time.sleep(MOMENT_SECONDS)
            return None

    def _work(self, *, wait: bool) -> bool | None:
        self._pulse(None)
        if (worker_id := self._heart.register()) is None:
            time.sleep(MOMENT_SECONDS)
            return None
        if (child := self._keeper.ready(within=MOMENT_SECONDS)) is None:
            return None
        self._heart.know(self._keeper.kinds)
        if self._is_unsure and not self._database.ask(lambda: self._hand_back(worker_id), otherwise=False):
            time.sleep(MOMENT_SECONDS)
            return None
        self._sweep()
        if claimed := self._claim(worker_id):
            logger.info("%s begins: %s", claimed.ref, claimed.kind)
            self._watch(claimed).see_through(child)
            self._keeper.performed(queue(claimed.queue))
            return True
        if wait:
            self._wait_for_work()
        return False

    def _claim(self, worker_id: UUID) -> Claim | None:
        for name in self._queues:
            if self._stop.is_requested:
                return None
            take = partial(claim, worker_id, queue=name, kinds=self._keeper.kinds)
            # Unsure until the answer is here: a claim may have committed although its reply was lost.
            self._is_unsure = True
            answer = self._database.ask(lambda: (take(),), otherwise=None)  # noqa: B023
            if answer is None:
                return None
            self._is_unsure = False
            if answer[0] is not None:
                return answer[0]
        return None

    def _hand_back(self, worker_id: UUID) -> bool:
        """Give back a task that was claimed without our hearing of it: nothing was begun, so nothing is counted."""
        for task in Task.objects.running().filter(worker=worker_id):
            with suppress(NotOwner):
                end(task.ref, handed_over("The database was away when it was to begin."))
        self._is_unsure = False
        return True

    def _watch(self, claimed: Claim) -> Watch:
        return Watch(claimed, keeper=self._keeper, stop=self._stop, database=self._database, pulse=self._pulse)

    def _sweep(self) -> None:
        if time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + SWEEP_SECONDS
            self._database.ask(sweep_work_folders, otherwise=0)
            sweep_drafts()

    def _wait_for_work(self) -> None:
        until = time.monotonic() + settings.LONGHAUL_IDLE_LOOK_SECONDS
        while time.monotonic() < until and not self._stop.is_requested:
            self._pulse(None)
            if self._ear.heard(within=min(MOMENT_SECONDS, max(until - time.monotonic(), 0.01))):
                return

    def _pulse(self, hand: AttemptRef | None) -> None:
        if self._heart.pulse(hand):
            self._show(hand)
