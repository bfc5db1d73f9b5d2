"""What a process was told by signals. A handler only sets a flag; loops look at it."""

import signal
import time
from collections.abc import Callable
from types import FrameType


class Stop:
    """SIGTERM or SIGINT once: leave, with a grace for the task in hand. Twice: leave now."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: float | None = None
        self._requests = 0

    def listen(self) -> None:
        signal.signal(signal.SIGTERM, self._handle)
        signal.signal(signal.SIGINT, self._handle)

    def request(self) -> None:
        self._requests += 1
        if self._since is None:
            self._since = self._clock()

    @property
    def is_requested(self) -> bool:
        return self._requests > 0

    @property
    def is_insisted(self) -> bool:
        """Whether it was told twice."""
        return self._requests > 1

    def is_overdue(self, *, grace: float) -> bool:
        """Whether the grace (seconds from the first request) is over."""
        return self._since is not None and self._clock() >= self._since + grace

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.request()
