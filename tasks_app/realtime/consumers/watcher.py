"""What wakes a socket. Any number of hints while it is busy become one more look."""

import asyncio
from dataclasses import dataclass
from uuid import UUID

# Ids noted while a socket is busy; those beyond are found by the periodic look, if at all in sight.
MOST_IDS = 1000


@dataclass(frozen=True, slots=True)
class Waking:
    """`periodic`: look whether or not a hint came. `task_ids`: the tasks that hints named."""

    periodic: bool
    task_ids: frozenset[UUID]


class Watcher:
    """One socket's ear. It belongs to one event loop."""

    def __init__(self) -> None:
        self._awake = asyncio.Event()
        self._task_ids: set[UUID] = set()
        self._unsure = True
        self._looked_at = 0.0

    def hear(self, task_id: UUID) -> None:
        if len(self._task_ids) < MOST_IDS:
            self._task_ids.add(task_id)
        self._awake.set()

    def look_anyway(self) -> None:
        """Hints may have been lost."""
        self._unsure = True
        self._awake.set()

    async def wait(self, seconds: float) -> None:
        """Until woken; `seconds` after the last periodic look the next is due, however many hints came between."""
        left = self._looked_at + seconds - _now()
        try:
            await asyncio.wait_for(self._awake.wait(), max(left, 0))
        except TimeoutError:
            self._unsure = True

    def take(self) -> Waking:
        """What woke it, now taken care of."""
        waking = Waking(periodic=self._unsure, task_ids=frozenset(self._task_ids))
        if self._unsure:
            self._looked_at = _now()
        self._awake.clear()
        self._task_ids.clear()
        self._unsure = False
        return waking


def _now() -> float:
    return asyncio.get_running_loop().time()
