"""Who serves the queues: how many live workers, what they know, and which of them take nothing although they could."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from tasks_app.models import Attempt, Task, Worker


@dataclass(frozen=True, slots=True)
class Service:
    """By queue. `kinds`: what its live workers know; one that has not yet reported what it knows serves nothing."""

    workers: Mapping[str, int]
    kinds: Mapping[str, set[str]]
    idle_workers: Mapping[str, int]


def service_now(queues: Sequence[str], *, held_kinds: Collection[str]) -> Service:
    """`held_kinds`: those that are paused, which nobody may take."""
    workers = list(Worker.objects.live().exclude(kinds=[]))
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for worker in workers:
        for queue in worker.queues:
            kinds[queue].update(worker.kinds)
    counts = Counter(queue for worker in workers for queue in worker.queues)
    return Service(workers=counts, kinds=kinds, idle_workers=_idle(_left_claimable(queues, held_kinds), workers))


def idle_span() -> timedelta:
    return timedelta(seconds=settings.LONGHAUL_ALERT_IDLE_WORKER_SECONDS)


def _idle(left: Mapping[str, set[str]], workers: Sequence[Worker]) -> Counter[str]:
    """Workers that took nothing for that long beside rows that they could have claimed all the time."""
    idle: Counter[str] = Counter()
    for worker in workers:
        beside = [queue for queue in worker.queues if left.get(queue, set()).intersection(worker.kinds)]
        if beside and _took_nothing(worker.pk):
            idle.update(beside)
    return idle


def _left_claimable(queues: Sequence[str], held_kinds: Collection[str]) -> dict[str, set[str]]:
    """Kinds of rows that have been claimable for that long, by queue."""
    left: defaultdict[str, set[str]] = defaultdict(set)
    rows = Task.objects.queued().filter(queue__in=queues, queued_at__lte=Now() - idle_span()).order_by()
    for queue, kind in rows.values_list("queue", "kind").distinct():
        if kind not in held_kinds:
            left[queue].add(kind)
    return dict(left)


def _took_nothing(worker_id: UUID) -> bool:
    """It has served all the time, has nothing in hand and had nothing."""
    lately = Now() - idle_span()
    served = Worker.objects.filter(pk=worker_id, task_id_in_hand=None, started_at__lte=lately)
    served = served.filter(Q(serving_since=None) | Q(serving_since__lte=lately))
    had = Attempt.objects.filter(worker=worker_id).filter(Q(finished_at=None) | Q(finished_at__gt=lately))
    return served.exists() and not had.exists()
