from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from .states import CallOutcome, Status
from .task import AttemptRef, Task

# Answered, and nobody asked for another answer since.
IN_USE = Q(outcome=CallOutcome.ANSWERED, superseded=False)


class ModelCallQuerySet(models.QuerySet["ModelCall"]):
    def open_of(self, ref: AttemptRef) -> Self:
        """Of one attempt: sent, and nothing heard since."""
        return self.filter(task_id=ref.task_id, attempt=ref.number, outcome=CallOutcome.OPEN)

    def in_doubt(self) -> Self:
        """Sent by an attempt that is over, and never heard of again: perhaps paid."""
        return self.filter(outcome=CallOutcome.OPEN).exclude(
            Q(task__status=Status.RUNNING) & Q(attempt=F("task__attempt"))
        )


class ModelCall(models.Model):
    """One request really sent to the endpoint: written before it is sent, closed with its answer after."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    task = models.ForeignKey(Task, models.CASCADE, related_name="calls")
    step_index = models.PositiveIntegerField(null=True)
    attempt = models.PositiveIntegerField()
    endpoint = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    content_key = models.CharField(max_length=64, help_text="Hash of endpoint, model name, request and step index.")
    idempotency_key = models.CharField(max_length=64)
    outcome = models.CharField(max_length=40, default=CallOutcome.OPEN)
    answer = models.JSONField(null=True, blank=True)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    superseded = models.BooleanField(default=False, help_text="Sent before a start from scratch: not to be used again.")
    sent_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = ModelCallQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["task", "content_key"], name="call_by_content"),
            models.Index(
                fields=["owner", "content_key"],
                name="call_to_reuse",
                condition=IN_USE,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}/{self.step_index} {self.outcome}"

    @property
    def is_reusable(self) -> bool:
        """Answered, and nobody asked for another answer since."""
        return self.outcome == CallOutcome.ANSWERED and not self.superseded

    @property
    def has_failed(self) -> bool:
        """The endpoint, or the road to it, said no."""
        return self.outcome not in (CallOutcome.OPEN, CallOutcome.ANSWERED)
