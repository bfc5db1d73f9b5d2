"""The lines in which tasks wait: of a queue for its workers, of a user for their slots. Looked at as far as 1,000."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from tasks_app.lifecycle.line import AHEAD, NEEDED, ORDER, RUNNING
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
    there: Any = Task.objects.claimable(queue, sorted(kinds)).order_by().values_list(*NEEDED)
    claimable, values = there.query.get_compiler(connection=connection).as_sql()
    ordered = f"""
        SELECT claimable.id, claimable.queued_at, COALESCE(running.tasks, 0) + ahead AS busy
        FROM (SELECT claimable.*, {AHEAD} AS ahead FROM ({claimable}) AS claimable) AS claimable
        LEFT JOIN ({RUNNING}) AS running ON running.owner_id = claimable.owner_id
        ORDER BY {ORDER} LIMIT {MOST_AHEAD}
    """  # noqa: S608
    return _line((task.pk, task.queued_at) for task in Task.objects.raw(ordered, values))


def line_of_owner(owner_id: int, service: Service) -> Line:
    """In the order of admission."""
    waiting = Task.objects.admissible(service).owned_by(owner_id)
    return _line(waiting.values_list("pk", "available_at")[:MOST_AHEAD])


def _line(rows: Iterable[tuple[UUID, datetime | None]]) -> Line:
    """`rows`: in order, with since when each stands there."""
    line = list(rows)
    since = min((at for _, at in line if at is not None), default=None)
    return Line({task_id: place for place, (task_id, _) in enumerate(line)}, since)
