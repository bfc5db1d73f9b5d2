"""The soft end of an attempt's time: an exception where its code is, so that its `finally` is executed.

Whoever does not end by it, such as C code, is killed from outside.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tasks_app.exceptions import AttemptTimeUp

from .interruption import Interruption

# Depth of `shielded` in the main thread, and whether the limit passed meanwhile.
_shields = 0
_is_due = False


@contextmanager
def soft_limit(seconds: float, interruption: Interruption) -> Iterator[None]:
    """Raises AttemptTimeUp inside after that long, and notes it as the interruption's reason. Main thread only."""
    global _is_due
    _is_due = False

    def time_up(_signum: int, _frame: FrameType | None) -> None:
        global _is_due
        # Set, not asked: the thread may hold the very lock that asking takes.
        interruption.reason = interruption.reason or AttemptTimeUp()
        _is_due = True
        if not _shields:
            _raise_if_due()

    before = signal.signal(signal.SIGALRM, time_up)
    # Zero would mean never.
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def shielded() -> Iterator[None]:
    """The limit waits until this is over: a write that is under way is not torn out of its transaction."""
    global _shields
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _shields += 1
    try:
        yield
    finally:
        _shields -= 1
        if not _shields:
            _raise_if_due()


def _raise_if_due() -> None:
    global _is_due
    if _is_due:
        _is_due = False
        raise AttemptTimeUp
