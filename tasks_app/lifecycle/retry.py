"""The verb retry: a finished task begins again where it stopped, or from scratch."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, F, Sum
from django.db.models.functions import Now

from tasks_app.exceptions import LonghaulError
from tasks_app.models import ModelCall, Status, StepResult, Task
from tasks_app.models.call import IN_USE
from tasks_app.signals import emit, slot_freed

from .cancel import WrongState
from .guard import changed


class TwinActive(LonghaulError):
    """The same submission was made again meanwhile and is active (409)."""

    code = "twin_active"

    def __init__(self, twin_id: UUID) -> None:
        super().__init__(f"The same submission is already active as task {twin_id}.")
        self.twin_id = twin_id


@dataclass(frozen=True, slots=True)
class Cost:
    """Model calls that were answered, and their tokens; of answers that an earlier task had paid these are unknown."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


def cost_of_scratch(task_id: UUID) -> Cost:
    """What the finished work of this task has cost, and would cost again from scratch. Raises Task.DoesNotExist."""
    task = Task.objects.get(pk=task_id)
    sums = ModelCall.objects.filter(IN_USE, task=task).aggregate(
        calls=Count("pk"),
        prompt_tokens=Sum("prompt_tokens", default=0),
        completion_tokens=Sum("completion_tokens", default=0),
    )
    sums["calls"] += task.reused_now
    return Cost(**sums)


def retry(task_id: UUID, *, from_scratch: bool = False) -> None:
    """Make it pending again; numbers and finished steps stay. Raises WrongState, TwinActive.

    From scratch they do not count, and no earlier answer is used again. Nor is one where the task was fresh before.
    """
    try:
        with transaction.atomic():
            _retry(task_id, from_scratch=from_scratch)
    except IntegrityError:
        task = Task.objects.get(pk=task_id)
        twin = Task.objects.owned_by(task.owner_id).active().filter(fingerprint=task.fingerprint).first()
        if twin is None:
            raise
        raise TwinActive(twin.pk) from None


def _retry(task_id: UUID, *, from_scratch: bool) -> None:
    task = Task.objects.select_for_update(of=("self",)).get(pk=task_id)
    if not task.can_be_retried:
        raise WrongState("retried", task.status, "one that failed, was cancelled, or has failed parts")
    _begin_again(task)
    if from_scratch:
        StepResult.objects.filter(task=task).update(superseded=True)
        ModelCall.objects.filter(task=task).update(superseded=True)
        Task.objects.filter(pk=task_id).update(
            reset_version=F("version"), fresh=True, progress_done=0, progress_total=0, failed_items=0
        )
    changed(Task.objects.get(pk=task_id))
    emit(slot_freed, owner_id=task.owner_id)


def _begin_again(task: Task) -> None:
    Task.objects.finished().filter(pk=task.pk).update(
        status=Status.PENDING,
        version=F("version") + 1,
        attempts_floor=F("attempt"),
        available_at=Now(),
        expires_at=Now() + timedelta(seconds=settings.LONGHAUL_EXPIRY_SECONDS),
        cancel_requested_at=None,
        cancel_is_forced=False,
        started_at=None,
        finished_at=None,
        deadline_at=None,
        error_code="",
        error_text="",
    )
