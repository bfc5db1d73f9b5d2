"""Keeps one child ready: starts it, hears what it knows, and starts the next when it is gone."""

import logging
import time
from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from django.conf import settings

from tasks_app.conf import Queue
from tasks_app.monitoring import catalogue, counters

from .handle import Child
from .memory import resident_bytes, session_bytes
from .pipe import Message, PipeClosed
from .reload import Code, own_folders

logger = logging.getLogger(__name__)

# Between the starts of children that do not come up: a deploy with a broken import must not spin.
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
# A model may be loaded while the modules are imported; beyond this it hangs.
START_SECONDS = 600.0
# Of an idle child with what it keeps beside it: where attempts are short, it costs as much as some of them.
MEASURE_SECONDS = 1.0
MEGABYTE = 1024 * 1024


class Cause(StrEnum):
    """Why a child was replaced."""

    NOT_READY = "not_ready"
    DIED_IDLE = "died_idle"
    # Killed, or dead by itself, while it worked.
    IN_ATTEMPT = "in_attempt"
    SPOILED = "spoiled"
    TASKS = "tasks"
    MEMORY = "memory"
    CODE = "code"


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
        # Of each child that another one has followed: as many as restarts.
        self.causes: Counter[Cause] = Counter()
        self._cause = Cause.NOT_READY
        self._performed = 0
        # What the child held after its first attempt.
        self._settled_bytes = 0
        self._measure_at = 0.0
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
            logger.warning("the idle child %s", self.drop(Cause.DIED_IDLE))
        if self._child is None and not self._start_if_due(within):
            return None
        return self._await_report(within)

    def drop(self, cause: Cause = Cause.IN_ATTEMPT) -> str:
        """Kill the child, if there is one; says how it ended."""
        child, self._child = self._child, None
        if child is None:
            return "was not there"
        self._cause = cause
        self._is_ready = False
        return child.kill()

    def spoil(self, why: str) -> None:
        """The child has made its attempt and must make no other. `why`: what is wrong with it, in words."""
        self._replace(Cause.SPOILED, why)

    def performed(self, queue: Queue) -> None:
        """Called after each attempt; a child that has made enough of them, or has grown too large, makes way."""
        if not self._is_ready:
            # Another has taken the place of the one that made it.
            return
        self._performed += 1
        held = self._held_bytes()
        if self._performed == 1:
            self._settle(held, queue)
        if self._performed >= queue.tasks_per_child:
            self._replace(Cause.TASKS, f"it has made {self._performed:,} attempts")
        elif held > (mark := self._mark(queue)):
            held_of_mark = f"{held // MEGABYTE:,} MB of memory, its mark is {mark // MEGABYTE:,} MB"
            self._replace(Cause.MEMORY, f"it holds {held_of_mark}")

    def _settle(self, held: int, queue: Queue) -> None:
        self._settled_bytes = held
        if held > queue.soft_memory_bytes:
            logger.warning(
                "child %s holds %d MB after its first attempt, its mark in the queue %s is %d MB: it stays up to %d MB",
                *(self.pid, held // MEGABYTE, queue.name, queue.soft_memory_bytes // MEGABYTE),
                self._mark(queue) // MEGABYTE,
            )

    def _mark(self, queue: Queue) -> int:
        """Bytes. Who is past the soft mark from the first has loaded a model, and so would whoever came after."""
        if self._settled_bytes <= queue.soft_memory_bytes:
            return queue.soft_memory_bytes
        return (self._settled_bytes + queue.memory_bytes) // 2

    def _held_bytes(self) -> int:
        """Of the child, and every second with what it keeps beside it."""
        if (pid := self.pid) is None:
            return 0
        if self._clock() < self._measure_at:
            return resident_bytes(pid)
        self._measure_at = self._clock() + MEASURE_SECONDS
        return session_bytes(pid)

    def _replace(self, cause: Cause, why: str) -> None:
        pid = self.pid
        self.drop(cause)
        logger.info("child %s makes way for a new one: %s", pid, why)

    def _begin_anew(self) -> None:
        """The code has changed: what was started is old, and what failed may be mended."""
        if self._child is not None:
            self._replace(Cause.CODE, "the code has changed")
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
        if self.starts:
            self.causes[self._cause] += 1
            counters.count(catalogue.RESTARTS, self._cause.value)
        self.starts += 1
        self._performed = 0
        self._measure_at = self._started_at
        return True

    def _await_report(self, within: float) -> Child | None:
        if self._child is None:
            return None
        try:
            report = self._child.hear(within=within)
        except PipeClosed:
            self._failed(f"it {self.drop(Cause.NOT_READY)}")
            return None
        if report is None:
            if self._clock() - self._started_at > START_SECONDS:
                how = self.drop(Cause.NOT_READY)
                self._failed(f"it was not ready after {START_SECONDS:.0f} s and {how}")
            return None
        if self._code is not None:
            self._code.add(report.get("folders", ()))
        if "ready" not in report:
            self.drop(Cause.NOT_READY)
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
