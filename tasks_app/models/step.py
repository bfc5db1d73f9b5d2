from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .states import StepStatus
from .task import Task
from .values import StoredValue


class StepResultQuerySet(models.QuerySet["StepResult"]):
    def current(self) -> Self:
        """Those that count: not superseded by a start from scratch or left over from a longer attempt."""
        return self.filter(superseded=False)

    def items(self) -> Self:
        return self.current().filter(is_item=True).order_by("index")

    def succeeded(self) -> Self:
        return self.filter(status=StepStatus.SUCCEEDED)

    def failed(self) -> Self:
        return self.filter(status=StepStatus.FAILED)


class StepResult(StoredValue):
    """The result of a step or item, kept across attempts. One row for each (task, index)."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    name = models.CharField(max_length=100)
    key = models.CharField(max_length=64, help_text="Hash of index, kind, name and input.")
    is_item = models.BooleanField(default=False, help_text="An element of a map: counted in the progress.")
    status = models.CharField(max_length=10, choices=StepStatus)
    superseded = models.BooleanField(default=False)
    tries = models.PositiveSmallIntegerField(default=1)
    attempt = models.PositiveIntegerField(help_text="The attempt that wrote it.")
    error_code = models.CharField(max_length=40, blank=True)
    error_text = models.TextField(blank=True)
    duration_seconds = models.FloatField(default=0)
    version = models.PositiveBigIntegerField(help_text="The task's version when it was written.")
    created_at = models.DateTimeField(db_default=Now())

    objects = StepResultQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "index"], name="step_once"),
            models.CheckConstraint(
                name="step_failed_has_a_code", condition=~Q(status=StepStatus.FAILED) | ~Q(error_code="")
            ),
        ]
        indexes = [models.Index(fields=["task", "version"], name="step_changes")]

    def __str__(self) -> str:
        return f"{self.task_id}/{self.index} {self.name}"
