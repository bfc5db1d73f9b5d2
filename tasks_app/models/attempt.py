from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .states import Outcome
from .task import AttemptRef, Task
from .worker import Worker


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def of(self, ref: AttemptRef) -> Self:
        return self.filter(task_id=ref.task_id, number=ref.number)

    def counted(self) -> Self:
        """Those since the last manual retry."""
        return self.filter(number__gt=models.F("task__attempts_floor"))

    def spent(self) -> Self:
        return self.counted().filter(spent=True)

    def ended_by_itself(self) -> Self:
        """Those whose end was written by the child that made them, or by its worker; not by rescue."""
        return self.exclude(outcome__in=("", Outcome.LOST))

    def lost(self) -> Self:
        return self.counted().filter(outcome=Outcome.LOST)


class Attempt(models.Model):
    """One execution of a task by one worker; numbered by the claim, never reused."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    worker = models.ForeignKey(Worker, models.SET_NULL, null=True, related_name="attempts")
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=12, choices=Outcome, blank=True)
    spent = models.BooleanField(default=False, help_text="Counts against the task's max_attempts.")
    error_code = models.CharField(max_length=40, blank=True)
    error_text = models.TextField(blank=True)
    error_class = models.CharField(max_length=200, blank=True)
    traceback = models.TextField(blank=True, help_text="For operators; no user sees it.")

    objects = AttemptQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="attempt_number"),
            models.CheckConstraint(
                name="attempt_outcome_when_finished",
                condition=Q(outcome="", finished_at=None) | (~Q(outcome="") & Q(finished_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}#{self.number}"
