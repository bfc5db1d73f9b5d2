"""The lines in which tasks wait: of a queue for its workers, of a user for their slots. Looked at as far as 1,000."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from tasks_app.lifecycle.line import in_order
from tasks_app.models import Task
from tasks_app.models.worker import Service

# A place beyond is "more than 999 ahead": it costs nothing to say so, and a count of 10,000 would.
MOST_AHEAD = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """`places`: 0 for the next one. `since`: from when on somebody stood in it all the time."""

    places: dict[UUID, int] = field(default_factory=dict)
    since: datetime | None = None

    def ahead(self, task_id: UUID) -> int:
        """How many go before it: MOST_AHEAD stands for as many or more, 0 also for one that has left meanwhile."""
        is_cut = len(self.places) >= MOST_AHEAD
        return self.places.get(task_id, MOST_AHEAD if is_cut else 0)


def line_of_queue(queue: str, kinds: Collection[str]) -> Line:
    """In the order of the claim."""
    statement, values = in_order(queue, tuple(sorted(kinds)), most=MOST_AHEAD)
    return _line((task.pk, task.queued_at) for task in Task.objects.raw(statement, values))


def line_of_owner(owner_id: int, service: Service) -> Line:
    """In the order of admission."""
    waiting = Task.objects.admissible(service).owned_by(owner_id)
    return _line(waiting.values_list("pk", "available_at")[:MOST_AHEAD])


def _line(rows: Iterable[tuple[UUID, datetime | None]]) -> Line:
    """`rows`: in order, with since when each stands there."""
    line = list(rows)
    since = min((at for _, at in line if at is not None), default=None)
    return Line({task_id: place for place, (task_id, _) in enumerate(line)}, since)
