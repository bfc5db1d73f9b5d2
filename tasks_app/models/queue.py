"""What is known of a queue besides its tasks: whether somebody paused it, how it did over time, what is wrong now."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class QueueStateQuerySet(models.QuerySet["QueueState"]):
    def paused(self) -> Self:
        return self.filter(paused_at__isnull=False)


class QueueState(models.Model):
    """A queue, or a kind in whatever queue, that an operator paused or had paused: who, since when, why."""

    queue = models.CharField(max_length=50, blank=True)
    kind = models.CharField(max_length=200, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True, help_text="Empty: it goes on.")
    paused_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True)

    objects = QueueStateQuerySet.as_manager()

    class Meta:
        verbose_name = "queue or kind"
        verbose_name_plural = "queues and kinds"
        constraints = [
            models.UniqueConstraint(fields=["queue", "kind"], name="queue_state_once"),
            models.CheckConstraint(
                name="queue_state_of_a_queue_or_a_kind",
                condition=Q(queue="") & ~Q(kind="") | ~Q(queue="") & Q(kind=""),
            ),
        ]

    def __str__(self) -> str:
        return self.queue or self.kind


class QueueSample(models.Model):
    """A queue at one moment, to the second; written by a tick.

    Depth: tasks that are due and wait. Of these are held: those whose queue or kind is paused; unserved: the others
    whose kind no live worker of the queue knows. Arrivals and completions: of the last ten minutes.
    """

    queue = models.CharField(max_length=50)
    at = models.DateTimeField()
    depth = models.PositiveIntegerField()
    held = models.PositiveIntegerField(default=0, help_text="Of the depth: paused.")
    unserved = models.PositiveIntegerField(default=0, help_text="Of the depth: no worker knows its kind.")
    running = models.PositiveIntegerField()
    workers = models.PositiveIntegerField()
    idle_workers = models.PositiveIntegerField(default=0, help_text="Took nothing, though work waits beside them.")
    arrivals = models.PositiveIntegerField()
    completions = models.PositiveIntegerField()
    oldest_seconds = models.FloatField(help_text="The oldest of the depth is due since; not of paused kinds. 0: none.")
    drain_minutes = models.FloatField(null=True, help_text="0: nothing waits. Empty: something does, nothing is done.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["queue", "at"], name="queue_sample_once")]
        indexes = [models.Index(fields=["at"], name="queue_sample_age")]

    def __str__(self) -> str:
        return f"{self.queue} {self.at:%H:%M:%S}"


class AlertRule(models.TextChoices):
    DRAIN = "drain", "The backlog takes too long"
    NO_WORKER = "no_worker", "Due work has no worker"
    IDLE_WORKER = "idle_worker", "Work waits beside an idle worker"
    OLDEST = "oldest", "The oldest task waits too long"
    ENDPOINT = "endpoint", "The model endpoint does not answer"
    SCHEDULE = "schedule", "A schedule cannot make its task"


class AlertQuerySet(models.QuerySet["Alert"]):
    def open(self) -> Self:
        return self.filter(resolved_at=None)


class Alert(models.Model):
    """One incident: opened when a rule has held long enough, resolved when it is well over."""

    rule = models.CharField(max_length=20, choices=AlertRule)
    subject = models.CharField(max_length=200, help_text="The queue, or what else it is about.")
    text = models.CharField(max_length=500)
    opened_at = models.DateTimeField(db_default=Now())
    resolved_at = models.DateTimeField(null=True, blank=True)

    objects = AlertQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rule", "subject"], name="alert_open_once", condition=Q(resolved_at=None))
        ]

    def __str__(self) -> str:
        return f"{self.get_rule_display()}: {self.subject}"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self) -> Self:
        return self.filter(done_at=None, due_at__lte=Now())


class Delivery(models.Model):
    """A message to the outside, written in the transaction of what it tells about, and sent after it."""

    class Channel(models.TextChoices):
        EMAIL = "email"
        WEBHOOK = "webhook"

    channel = models.CharField(max_length=10, choices=Channel)
    address = models.CharField(max_length=500)
    subject = models.CharField(max_length=300, blank=True)
    body = models.TextField(help_text="Of a webhook: JSON.")
    created_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now(), help_text="Whoever sends it moves this on first.")
    tries = models.PositiveSmallIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True, help_text="Sent, or given up.")
    error = models.CharField(max_length=500, blank=True, help_text="Of the last try.")

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [models.Index(fields=["due_at"], name="delivery_due", condition=Q(done_at=None))]

    def __str__(self) -> str:
        # Not its address: that of a webhook may be a secret.
        return f"{self.channel} {self.pk}"
