"""How long this process has been in unbroken contact with the database.

Rescue is for those only who would have heard the heartbeats: a scheduler that just woke up, or that sees a clock which
jumped, would take every worker for dead.
"""

from dataclasses import dataclass
from datetime import datetime

# The database's clock and ours may drift apart by this much between two looks.
MOST_DRIFT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Look:
    database: datetime
    monotonic: float


class Contact:
    def __init__(self, *, needed_seconds: float) -> None:
        """`needed_seconds`: a worker is silent after as long."""
        self._needed = needed_seconds
        # Frozen for less than this, together with everybody else, we still know all workers to be heard of in time.
        self._most_apart = needed_seconds / 2
        self._first: Look | None = None
        self._last: Look | None = None

    def heard(self, look: Look) -> None:
        """The database answered a query."""
        if self._last is None or not self._follows(self._last, look):
            self._first = look
        self._last = look

    def broke(self) -> None:
        """A query failed."""
        self._first = self._last = None

    def is_steady(self, *, monotonic: float) -> bool:
        if self._first is None or self._last is None:
            return False
        return self._last.monotonic - self._first.monotonic >= self._needed and not self._is_apart(monotonic)

    def _follows(self, last: Look, look: Look) -> bool:
        ours = look.monotonic - last.monotonic
        theirs = (look.database - last.database).total_seconds()
        return ours >= 0 and not self._is_apart(look.monotonic) and abs(theirs - ours) <= MOST_DRIFT_SECONDS

    def _is_apart(self, monotonic: float) -> bool:
        return self._last is not None and monotonic - self._last.monotonic > self._most_apart
