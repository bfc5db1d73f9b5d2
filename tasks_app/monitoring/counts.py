"""Tasks counted by queue. Each count is read from an index of those that it counts, however many tasks there are."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Min

from tasks_app.models import Task
from tasks_app.models.task import TaskQuerySet

# A task's id is made by the clock of the machine that submits it, which may be a little off.
CLOCKS_APART = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is due and waits in a queue. `held`: of paused kinds; `unserved`: of the others, known to no worker.

    `oldest`: since when the oldest of those that are not held is due.
    """

    depth: int = 0
    held: int = 0
    unserved: int = 0
    oldest: datetime | None = None


NOTHING = Backlog()


def backlogs(
    queues: Sequence[str], *, now: datetime, service: Mapping[str, Collection[str]], held_kinds: Collection[str]
) -> dict[str, Backlog]:
    """By queue; a queue without a backlog is left out. `service`: `Worker.objects.live_service()`."""
    due = Task.objects.waiting().filter(queue__in=queues, available_at__lte=now).order_by()
    found: defaultdict[str, Backlog] = defaultdict(Backlog)
    for queue, kind, rows, oldest in due.values_list("queue", "kind").annotate(
        rows=Count("*"), since=Min("available_at")
    ):
        so_far, is_held = found[queue], kind in held_kinds
        is_unserved = not is_held and kind not in service.get(queue, ())
        found[queue] = Backlog(
            depth=so_far.depth + rows,
            held=so_far.held + rows * is_held,
            unserved=so_far.unserved + rows * is_unserved,
            oldest=so_far.oldest if is_held else min(oldest, so_far.oldest or oldest),
        )
    return dict(found)


def running(queues: Sequence[str]) -> dict[str, int]:
    return dict(_by_queue(Task.objects.running().filter(queue__in=queues)))


def arrivals(queues: Sequence[str], *, since: datetime) -> dict[str, int]:
    # Ids begin with the time, so that those made before are not read at all.
    made_since = Task.objects.filter(pk__gte=_first_id(since - CLOCKS_APART), created_at__gt=since)
    return dict(_by_queue(made_since.filter(queue__in=queues)))


def completions(queues: Sequence[str], *, since: datetime) -> dict[str, int]:
    """Of tasks that had been started: what was cancelled or expired while it waited says nothing of the rate."""
    ended = Task.objects.finished().filter(finished_at__gt=since, started_at__isnull=False)
    return dict(_by_queue(ended.filter(queue__in=queues)))


def _by_queue(tasks: TaskQuerySet) -> Iterable[tuple[str, int]]:
    return tasks.order_by().values_list("queue").annotate(rows=Count("*"))


def _first_id(moment: datetime) -> UUID:
    """The least UUIDv7 of that millisecond."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
