"""In which order and with which signals the programs are ended."""

import signal
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

# A worker takes the second SIGTERM as "hand over now": sent this long before the grace is over.
HAND_OVER_SECONDS = 5.0
# Past the grace, until what still runs is killed.
KILL_MARGIN_SECONDS = 5.0
# Redis and the model have nothing to finish.
SERVICE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Notice:
    """A signal that is due `after` seconds from the stage's begin."""

    after: float
    number: signal.Signals


class Stage:
    """Programs that are ended side by side. Its clock starts when it is first asked what is due."""

    def __init__(self, names: Iterable[str], notices: Iterable[Notice]) -> None:
        self.names = list(names)
        self._notices = deque(notices)
        self._began: float | None = None

    def due(self, now: float) -> list[signal.Signals]:
        """The signals to send now. `now`: monotonic seconds."""
        if self._began is None:
            self._began = now
        numbers = []
        while self._notices and now - self._began >= self._notices[0].after:
            numbers.append(self._notices.popleft().number)
        return numbers

    def hurry(self) -> None:
        """Make the next signal due at once."""
        if self._notices:
            self._notices.appendleft(Notice(0, self._notices.popleft().number))


def stages(applications: Iterable[str], services: Iterable[str], *, grace: float) -> list[Stage]:
    """Applications first, with `grace` seconds to finish what they do; the services that they use last."""
    return [
        Stage(
            applications,
            [
                Notice(0, signal.SIGTERM),
                Notice(max(grace - HAND_OVER_SECONDS, grace / 2), signal.SIGTERM),
                Notice(grace + KILL_MARGIN_SECONDS, signal.SIGKILL),
            ],
        ),
        Stage(services, [Notice(0, signal.SIGTERM), Notice(SERVICE_SECONDS, signal.SIGKILL)]),
    ]
