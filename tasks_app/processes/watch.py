"""While the child makes an attempt: its worker watches from outside, and writes the end that the child cannot."""

import logging
import time
from collections.abc import Callable
from datetime import datetime

from django.conf import settings

from tasks_app.conf import queue
from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle import ends
from tasks_app.lifecycle.claim import Claim
from tasks_app.lifecycle.ending import Ending, handed_over
from tasks_app.models import Attempt, AttemptRef, Task
from tasks_app.monitoring import counters
from tasks_app.storage import remove_drafts_of
from tasks_app.work.files import remove_work_folder

from .handle import Child, ChildUnkillable
from .keeper import Keeper
from .limits import (
    Bounds,
    cancelled_ending,
    lost_ending,
    memory_ending,
    overrun_ending,
    seconds_for,
)
from .links import DatabaseLink
from .memory import MemoryLimit
from .oom import OomKills
from .pipe import PipeClosed
from .stop import Stop

logger = logging.getLogger(__name__)

# How often it looks whether the attempt still owns its task, and whether somebody wants it to stop.
LOOK_SECONDS = 0.5
# A child that wrote its end has still to say so. One that is stopped by a guard says so as quickly.
LAST_WORD_SECONDS = 1.0
# A worker that must leave tries so long to say how its attempt ended: after an error its link rests for a second.
LEAVING_SECONDS = 5.0
# What a task's row says of a stop: (when it was asked for, whether by force).
type Wishes = tuple[datetime | None, bool]


class Watch:
    """One attempt in the child's hand."""

    def __init__(
        self, claim: Claim, *, keeper: Keeper, stop: Stop, database: DatabaseLink, pulse: Callable[[AttemptRef], None]
    ) -> None:
        """`pulse`: called at least every half second, and told the attempt in hand."""
        self._claim = claim
        self._ref = claim.ref
        self._keeper = keeper
        self._stop = stop
        self._database = database
        self._pulse = pulse
        self._bounds = Bounds.of(claim, now=time.monotonic())
        self._memory = MemoryLimit(queue(claim.queue).memory_bytes)
        self._told = ""

    def see_through(self, child: Child) -> None:
        """Returns when the attempt is over, written down, or somebody else's. Raises ChildUnkillable after that."""
        self._oom_kills = OomKills(child.pid)
        self._child_pid = child.pid
        try:
            child.hand(self._ref, limit_seconds=seconds_for(self._claim))
        except PipeClosed:
            # It died idle. Nothing was begun, so nothing is counted.
            self._kill(handed_over("Its program had ended before it could begin."))
            return
        while not self._is_over(child):
            self._pulse(self._ref)

    def _is_over(self, child: Child) -> bool:
        """Wait a moment and look once."""
        try:
            if self._said_done(child, within=LOOK_SECONDS):
                return True
        except PipeClosed:
            return self._died(child)
        if not child.is_alive:
            return self._died(child)
        if ending := self._forced_ending(child):
            logger.warning("killing the child during %s: %s", self._ref, ending.text)
            return self._kill(ending)
        return self._heed(child)

    def _said_done(self, child: Child, *, within: float) -> bool:
        message = child.hear(within=within)
        if message is None or message.get("done") != str(self._ref):
            return False
        counters.take_over(message.get("counts", []))
        if message["spoiled"]:
            self._keeper.spoil(f"{message['spoiled']}, after {self._ref}")
        return True

    def _forced_ending(self, child: Child) -> Ending | None:
        now = time.monotonic()
        if outcome := self._bounds.overrun(now=now, grace=settings.LONGHAUL_KILL_GRACE_SECONDS):
            return overrun_ending(outcome, self._claim)
        if self._bounds.is_force_due(now=now):
            return cancelled_ending()
        if self._must_leave_now():
            return handed_over()
        if used := self._memory.exceeded(child.pid):
            return memory_ending(self._memory.limit_bytes, used=used)
        return None

    def _must_leave_now(self) -> bool:
        """Told twice, or no step has ended since the hand-over was asked for, although it had the time of a call."""
        grace = settings.LONGHAUL_SHUTDOWN_GRACE_SECONDS + self._bounds.boundary_seconds
        return self._stop.is_insisted or self._stop.is_overdue(grace=grace)

    def _heed(self, child: Child) -> bool:
        """Pass on what its user or the operator wants; whether it is over because the task is somebody else's."""
        held = Task.objects.held_by(self._ref).values_list("cancel_requested_at", "cancel_is_forced")
        # With the database away nobody else can have taken it.
        nothing: Wishes | None = (None, False)
        wishes = self._database.ask(held.first, otherwise=nothing)
        if wishes is None:
            return self._let_go(child)
        requested_at, is_forced = wishes
        if is_forced:
            self._bounds.force(now=time.monotonic())
        if requested_at is not None:
            self._tell(child, "cancel")
        elif self._stop.is_overdue(grace=settings.LONGHAUL_SHUTDOWN_GRACE_SECONDS):
            self._tell(child, "hand_over")
        return False

    def _tell(self, child: Child, why: str) -> None:
        if self._told != why:
            self._told = why
            logger.info("asking the child to stop %s: %s", self._ref, why)
            child.ask_to_stop(self._ref, why)

    def _let_go(self, child: Child) -> bool:
        try:
            if self._said_done(child, within=self._last_word_seconds()):
                return True
        except PipeClosed:
            pass
        logger.warning("killing the child, which works on %s although it no longer owns it", self._ref)
        return self._kill(None)

    def _last_word_seconds(self) -> float:
        """Where the child ended its attempt, what comes after may take longer: a large folder, a full machine."""
        own = Attempt.objects.of(self._ref).ended_by_itself()
        ended = self._database.ask(own.exists, otherwise=False)
        return settings.LONGHAUL_KILL_GRACE_SECONDS if ended else LAST_WORD_SECONDS

    def _died(self, child: Child) -> bool:
        how = self._keeper.drop()
        logger.warning("the child %s during %s", how, self._ref)
        if child.was_killed and self._oom_kills.happened():
            return self._after(memory_ending(self._memory.limit_bytes))
        return self._after(lost_ending(how))

    def _kill(self, ending: Ending | None) -> bool:
        try:
            self._keeper.drop()
        except ChildUnkillable:
            # It can write nothing more: its attempt is over.
            self._close(ending)
            raise
        return self._after(ending)

    def _after(self, ending: Ending | None) -> bool:
        """The child is dead. `ending`: None where it is somebody else's to write."""
        try:
            if not self._stop.is_requested:
                # The next one starts while we write.
                self._keeper.ready(within=0)
        finally:
            # Where it cannot start, such as without memory for it, that is no reason to say nothing of this one.
            self._close(ending)
        return True

    def _close(self, ending: Ending | None) -> None:
        # The child's own clearing up never comes.
        remove_work_folder(self._ref)
        remove_drafts_of(self._child_pid)
        if ending is not None:
            self._end(ending)

    def _end(self, ending: Ending) -> None:
        """Write the end, however long the database is away; whoever leaves meanwhile leaves it to the rescue."""
        until = time.monotonic() + LEAVING_SECONDS
        while not self._database.ask(lambda: self._write(ending), otherwise=False):
            if self._must_leave_now() and time.monotonic() >= until:
                logger.warning("left without writing the end of %s: the database is away", self._ref)
                return
            self._pulse(self._ref)
            time.sleep(LOOK_SECONDS)

    def _write(self, ending: Ending) -> bool:
        try:
            status = ends.end(self._ref, ending)
        except NotOwner:
            return True
        logger.info("%s ended as %s, its task is %s", self._ref, ending.outcome, status)
        return True
