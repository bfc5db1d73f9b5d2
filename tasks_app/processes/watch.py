"""While the child makes an attempt: its worker watches from outside, and writes the end that the child cannot."""

import logging
import time
from collections.abc import Callable

from django.conf import settings

from tasks_app.exceptions import NotOwner
from tasks_app.lifecycle import ends
from tasks_app.lifecycle.claim import Claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.models import AttemptRef, Task
from tasks_app.work.files import remove_work_folder

from .handle import Child
from .keeper import Keeper
from .limits import Bounds, handed_over_ending, lost_ending, overrun_ending, seconds_for
from .links import DatabaseLink
from .pipe import PipeClosed
from .stop import Stop

logger = logging.getLogger(__name__)

# How often it looks whether the attempt still owns its task.
LOOK_SECONDS = 0.5
# A child that wrote its end has still to say so. One that is stopped by a guard says so as quickly.
LAST_WORD_SECONDS = 1.0


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

    def see_through(self, child: Child) -> None:
        """Returns when the attempt is over, written down, or somebody else's."""
        try:
            child.hand(self._ref, limit_seconds=seconds_for(self._claim))
        except PipeClosed:
            # It died idle. Nothing was begun, so nothing is counted.
            self._keeper.drop()
            self._end(handed_over_ending())
            return
        while not self._is_over(child):
            self._pulse(self._ref)

    def _is_over(self, child: Child) -> bool:
        """Wait a moment and look once."""
        try:
            if self._said_done(child, within=LOOK_SECONDS):
                return True
        except PipeClosed:
            return self._died()
        if not child.is_alive:
            return self._died()
        if ending := self._forced_ending():
            return self._kill(ending)
        return not self._is_ours() and self._let_go(child)

    def _said_done(self, child: Child, *, within: float) -> bool:
        message = child.hear(within=within)
        return message is not None and message.get("done") == str(self._ref)

    def _forced_ending(self) -> Ending | None:
        outcome = self._bounds.overrun(now=time.monotonic(), grace=settings.LONGHAUL_KILL_GRACE_SECONDS)
        if outcome is not None:
            return overrun_ending(outcome, self._claim)
        if self._stop.is_overdue(grace=settings.LONGHAUL_SHUTDOWN_GRACE_SECONDS):
            return handed_over_ending()
        return None

    def _died(self) -> bool:
        how = self._drop()
        logger.warning("the child %s during %s", how, self._ref)
        self._end(lost_ending(how))
        return True

    def _kill(self, ending: Ending) -> bool:
        logger.warning("killing the child during %s: %s", self._ref, ending.text)
        self._drop()
        self._end(ending)
        return True

    def _drop(self) -> str:
        """Kill the child, whose own clearing up then never comes; says how it ended."""
        how = self._keeper.drop()
        remove_work_folder(self._ref)
        return how

    def _is_ours(self) -> bool:
        # With the database away nobody else can have taken it.
        return self._database.ask(Task.objects.held_by(self._ref).exists, otherwise=True)

    def _let_go(self, child: Child) -> bool:
        try:
            if self._said_done(child, within=LAST_WORD_SECONDS):
                return True
        except PipeClosed:
            pass
        logger.warning("killing the child, which works on %s although it no longer owns it", self._ref)
        self._drop()
        return True

    def _end(self, ending: Ending) -> None:
        """Write the end, however long the database is away; whoever leaves meanwhile leaves it to the rescue."""
        while not self._database.ask(lambda: self._write(ending), otherwise=False):
            if self._stop.is_overdue(grace=settings.LONGHAUL_SHUTDOWN_GRACE_SECONDS):
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
