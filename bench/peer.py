"""What a job of RQ does next to a task of ours: the get and the update that the least of a task's rows asks.

Nothing else is kept: no attempt, no owner, no step, no second try.
"""

from django.db import connection, models
from django.db.models.functions import Now
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

QUEUE = "bench-peer"


class PeerJob(models.Model):
    """A small table of the bench's own. `done_at`: by the database's clock."""

    status = models.CharField(max_length=10, default="queued")
    done_at = models.DateTimeField(null=True)

    objects: "models.Manager[PeerJob]" = models.Manager()

    class Meta:
        app_label = "bench"

    def __str__(self) -> str:
        return f"{self.pk} {self.status}"


def create_table() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(PeerJob)


def enqueue(redis: Redis, number: int) -> None:
    """As many new rows, and a job for each."""
    PeerJob.objects.all().delete()
    line = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
    for _ in range(number):
        line.enqueue(finish, PeerJob.objects.create().pk)


def finish(pk: int) -> None:
    """The job."""
    job = PeerJob.objects.get(pk=pk)
    PeerJob.objects.filter(pk=job.pk).update(status="succeeded", done_at=Now())
