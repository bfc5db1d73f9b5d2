"""Keeps one child ready: starts it, hears what it knows, and starts the next when it is gone."""

import logging
import time
from collections.abc import Callable

from django.conf import settings

from .handle import Child
from .pipe import Message, PipeClosed
from .reload import Code, own_folders

logger = logging.getLogger(__name__)

# Between the starts of children that do not come up: a deploy with a broken import must not spin.
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
# A model may be loaded while the modules are imported; beyond this it hangs.
START_SECONDS = 600.0


class Keeper:
    def __init__(
        self,
        *,
        start: Callable[[], Child] = Child,
        clock: Callable[[], float] = time.monotonic,
        code: Code | None = None,
    ) -> None:
        """`code`: replaces an idle child when it changes; by default what LONGHAUL_RELOAD says."""
        self.kinds: frozenset[str] = frozenset()
        self.starts = 0
        self._start = start
        self._clock = clock
        self._child: Child | None = None
        self._is_ready = False
        self._failures = 0
        self._due_at = clock()
        self._last_failure = ""
        self._code = code
        if code is None and settings.LONGHAUL_RELOAD:
            self._code = Code(own_folders())

    @property
    def restarts(self) -> int:
        return max(self.starts - 1, 0)

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def ready(self, *, within: float) -> Child | None:
        """A child that has reported ready; None when there was none within that many seconds."""
        if self._code is not None and self._code.has_changed():
            self._begin_anew()
        if self._child is not None and self._is_ready:
            if self._child.is_alive:
                return self._child
            logger.warning("the idle child %s", self.drop())
        if self._child is None and not self._start_if_due(within):
            return None
        return self._await_report(within)

    def drop(self) -> str:
        """Kill the child, if there is one; says how it ended."""
        child, self._child = self._child, None
        self._is_ready = False
        return child.kill() if child else "was not there"

    def _begin_anew(self) -> None:
        """The code has changed: what was started is old, and what failed may be mended."""
        if self._child is not None:
            logger.info("the code has changed: a new child takes the place of %d", self._child.pid)
        self.drop()
        self._failures = 0
        self._due_at = self._clock()

    def _start_if_due(self, within: float) -> bool:
        wait = self._due_at - self._clock()
        if wait > 0:
            time.sleep(min(wait, within))
            return False
        if self._code is not None:
            self._code.mark()
        self._child = self._start()
        self._started_at = self._clock()
        self.starts += 1
        return True

    def _await_report(self, within: float) -> Child | None:
        if self._child is None:
            return None
        try:
            report = self._child.hear(within=within)
        except PipeClosed:
            self._failed(f"it {self.drop()}")
            return None
        if report is None:
            if self._clock() - self._started_at > START_SECONDS:
                self._failed(f"it was not ready after {START_SECONDS:.0f} s and {self.drop()}")
            return None
        if self._code is not None:
            self._code.add(report.get("folders", ()))
        if "ready" not in report:
            self.drop()
            self._failed(str(report.get("failed", report)))
            return None
        return self._accept(self._child, report)

    def _accept(self, child: Child, report: Message) -> Child:
        self.kinds = frozenset(report["ready"])
        self._is_ready = True
        self._failures = 0
        self._last_failure = ""
        logger.info("child %d is ready for %s", child.pid, ", ".join(sorted(self.kinds)) or "nothing")
        return child

    def _failed(self, why: str) -> None:
        wait = wait_before_start(self._failures)
        self._failures += 1
        self._due_at = self._clock() + wait
        if self._code is not None and why == self._last_failure:
            # Whoever is mending it has read that already.
            return
        self._last_failure = why
        logger.error("the child did not start, nothing is claimed; next try in %.0f s: %s", wait, why)


def wait_before_start(failures: int) -> float:
    """Seconds, after that many failures in a row before this one."""
    return min(FIRST_WAIT_SECONDS * 2.0 ** min(failures, 16), LONGEST_WAIT_SECONDS)
