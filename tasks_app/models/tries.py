from typing import Self

from django.db import models
from django.db.models import F

from .task import Task


class StepTriesQuerySet(models.QuerySet["StepTries"]):
    def counted(self) -> Self:
        """Those since the last manual retry."""
        return self.filter(attempt__gt=F("task__attempts_floor"))


class StepTries(models.Model):
    """How often a step was tried in vain, over all attempts. The row of a step that went well later does not count."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="step_tries")
    index = models.PositiveIntegerField()
    key = models.CharField(max_length=64, help_text="The step's; another input begins anew.")
    tries = models.PositiveSmallIntegerField()
    attempt = models.PositiveIntegerField(help_text="Of the last try.")

    objects = StepTriesQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "step tries"
        constraints = [models.UniqueConstraint(fields=["task", "index"], name="step_tries_once")]

    def __str__(self) -> str:
        return f"{self.task_id}/{self.index}: {self.tries}"
