import json
from collections import defaultdict
from datetime import timedelta
from typing import Any, Self

from django.conf import settings
from django.db import connection, models
from django.db.models import Q
from django.db.models.functions import Now
from uuid_utils.compat import uuid7

from .compiled import compiled

# Queue -> kinds that its workers know.
type Service = dict[str, set[str]]


class WorkerQuerySet(models.QuerySet["Worker"]):
    def live(self) -> Self:
        """Said goodbye not, and heard of lately, by the database's clock."""
        return self.filter(stopped_at=None, heartbeat_at__gt=Now() - silent_after())

    def live_service(self) -> Service:
        """What is worked on now. A worker that has not yet reported what it knows serves nothing."""
        service: defaultdict[str, set[str]] = defaultdict(set)
        with connection.cursor() as cursor:
            cursor.execute(*compiled(_what_the_live_know, silent_after()))
            for queues, kinds in cursor.fetchall():
                for queue in json.loads(queues):
                    service[queue].update(json.loads(kinds))
        return dict(service)

    def serving_within(self, span: timedelta) -> Self:
        """Alive at some moment of so long ago until now, and had reported what it knows; the gone ones too."""
        return self.filter(Q(heartbeat_at__gt=Now() - span) | Q(stopped_at__gt=Now() - span)).exclude(kinds=[])


def _what_the_live_know(_silent_after: timedelta) -> Any:
    return Worker.objects.live().exclude(kinds=[]).values_list("queues", "kinds")


def silent_after() -> timedelta:
    return timedelta(seconds=settings.LONGHAUL_WORKER_SILENT_SECONDS)


class Worker(models.Model):
    """One start of a worker process. A restart is a new row, so an old attempt can never look alive again."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    host = models.CharField(max_length=255)
    pid = models.PositiveIntegerField()
    queues = models.JSONField(default=list)
    kinds = models.JSONField(default=list, help_text="Kinds that its child has reported to know.")
    started_at = models.DateTimeField(db_default=Now())
    serving_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when it knows these kinds and was never silent. Empty: since its start."
    )
    heartbeat_at = models.DateTimeField(db_default=Now())
    stopped_at = models.DateTimeField(null=True, blank=True)
    # What it has in hand. No foreign key: a heartbeat must not wait for the task's row lock.
    task_id_in_hand = models.UUIDField(null=True, blank=True)
    attempt_in_hand = models.PositiveIntegerField(null=True, blank=True)
    memory_bytes = models.PositiveBigIntegerField(default=0, help_text="Resident set of its child's process group.")
    child_restarts = models.PositiveIntegerField(default=0)
    code_version = models.CharField(max_length=40, blank=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["heartbeat_at"], name="worker_live", condition=Q(stopped_at=None))]

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"
