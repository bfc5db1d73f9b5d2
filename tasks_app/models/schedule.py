"""Schedules and their firings."""

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from .task import Task


class Overlap(models.TextChoices):
    """What a firing does while a task of an earlier firing is active."""

    SKIP = "skip", "Leave this one out"
    QUEUE = "queue", "Make another task all the same"
    CANCEL = "cancel", "Cancel the older one"


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    def going(self) -> Self:
        """Neither paused nor without a further due time."""
        return self.filter(paused=False, stopped_because="")

    def due(self, now: datetime) -> Self:
        """With a due time that has come, or one that is to be found first; longest due first."""
        come = Q(next_due_at=None) | Q(next_due_at__lte=now)
        return self.going().filter(come).order_by(F("next_due_at").asc(nulls_first=True), "pk")


class Schedule(models.Model):
    """A recurring rule: a cron expression in a time zone, or an interval; each due time makes an ordinary task."""

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=200)
    input = models.JSONField(default=dict, blank=True, help_text="The kind's input, by field.")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="schedules",
        help_text="Whose tasks they are. Empty: nobody's, they use no slot.",
    )
    cron = models.CharField(max_length=200, blank=True, help_text="Five fields: minute hour day month weekday.")
    interval = models.DurationField(null=True, blank=True, help_text="Instead of a cron expression.")
    time_zone = models.CharField(max_length=64, default="UTC", help_text="IANA name, for example Europe/Berlin.")
    overlap = models.CharField(max_length=10, choices=Overlap, default=Overlap.SKIP)
    catch_up = models.DurationField(
        default=timedelta(0), help_text="Due times missed by no more than this are made up for; older ones are missed."
    )
    jitter = models.DurationField(default=timedelta(0), help_text="Its tasks start up to so much later, at random.")
    paused = models.BooleanField(default=False)
    ends_at = models.DateTimeField(null=True, blank=True, help_text="No due time after this.")
    next_due_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Everything before it is recorded. Empty: found by a tick."
    )
    stopped_because = models.CharField(
        max_length=500, blank=True, editable=False, help_text="Why it has no further due time. Empty: it goes on."
    )

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="schedule_cron_or_interval",
                condition=Q(cron="", interval__isnull=False) | ~Q(cron="") & Q(interval=None),
            )
        ]
        indexes = [
            models.Index(fields=["next_due_at"], name="schedule_due", condition=Q(paused=False, stopped_because=""))
        ]

    def __str__(self) -> str:
        return self.name


class FiringOutcome(models.TextChoices):
    FIRED = "fired", "Made its task"
    SKIPPED = "skipped", "Left out: an older task is active"
    MISSED = "missed", "Missed: nothing fired in time"
    FAILED = "failed", "Could not make its task"


class Firing(models.Model):
    """One due time of a schedule and what came of it. Unique: that is what makes it fire once."""

    schedule = models.ForeignKey(Schedule, models.CASCADE, related_name="firings")
    due_at = models.DateTimeField()
    fired_at = models.DateTimeField(db_default=Now())
    outcome = models.CharField(max_length=10, choices=FiringOutcome)
    reason = models.CharField(max_length=500, blank=True)
    task = models.OneToOneField(Task, models.SET_NULL, null=True, blank=True, related_name="firing")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["schedule", "due_at"], name="firing_once")]
        indexes = [models.Index(fields=["fired_at"], name="firing_age")]

    def __str__(self) -> str:
        return f"{self.schedule_id} {self.due_at:%Y-%m-%d %H:%M}"
