"""Small rows that are of no use after a while: walks, as those of `prune`, from the oldest on."""

from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from tasks_app.models import Alert, Attempt, Delivery, Firing, IdempotencyKey, QueueSample, Task, Worker

from .retention import Chunk, ago

ROWS_AT_ONCE = 2000


def prune_samples(_after: str) -> Chunk:
    return _removed(QueueSample.objects.filter(at__lte=_kept()), by="at")


def prune_firings(_after: str) -> Chunk:
    """A firing whose task is there stays: it says where the task came from, and whether an older one is active."""
    return _removed(Firing.objects.filter(fired_at__lte=_kept(), task=None), by="fired_at")


def prune_alerts(_after: str) -> Chunk:
    """An open one stays."""
    return _removed(Alert.objects.filter(resolved_at__lte=_kept()), by="resolved_at")


def prune_deliveries(_after: str) -> Chunk:
    """One that is still to be sent stays."""
    return _removed(Delivery.objects.filter(done_at__lte=_kept()), by="done_at")


def prune_workers(_after: str) -> Chunk:
    """Workers that are gone. One that an attempt or a task names stays: it says where that was worked on."""
    gone = Worker.objects.filter(heartbeat_at__lte=_kept())
    named = Exists(Attempt.objects.filter(worker=OuterRef("pk"))) | Exists(Task.objects.filter(worker=OuterRef("pk")))
    return _removed(gone.exclude(named), by="heartbeat_at")


def prune_idempotency_keys(_after: str) -> Chunk:
    forgotten = ago(settings.LONGHAUL_IDEMPOTENCY_KEY_HOURS / 24)
    return _removed(IdempotencyKey.objects.filter(created_at__lte=forgotten), by="created_at")


def _kept() -> object:
    return ago(settings.LONGHAUL_KEEP_SAMPLES_DAYS)


def _removed(rows: QuerySet[Any], *, by: str) -> Chunk:
    """The oldest of them. `by`: the column that says so, for the sake of its index."""
    ids = list(rows.order_by(by).values_list("pk", flat=True)[:ROWS_AT_ONCE])
    removed, _ = rows.filter(pk__in=ids).delete()
    return Chunk(removed, "" if len(ids) == ROWS_AT_ONCE else None)
