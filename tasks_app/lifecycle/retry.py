"""The verb retry: a finished task begins again where it stopped, or from scratch."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.exceptions import LonghaulError
from tasks_app.models import ModelCall, Status, StepResult, Task
from tasks_app.signals import emit, slot_freed

from .cancel import WrongState
from .guard import changed


class TwinActive(LonghaulError):
    """The same submission was made again meanwhile and is active (409)."""

    code = "twin_active"

    def __init__(self, twin_id: UUID) -> None:
        super().__init__(f"The same submission is already active as task {twin_id}.")
        self.twin_id = twin_id


def retry(task_id: UUID, *, from_scratch: bool = False) -> None:
    """Make it pending again; numbers and finished steps stay, unless from scratch. Raises WrongState, TwinActive."""
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
            reset_version=F("version"), progress_done=0, progress_total=0, failed_items=0
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
        started_at=None,
        finished_at=None,
        deadline_at=None,
        error_code="",
        error_text="",
    )
