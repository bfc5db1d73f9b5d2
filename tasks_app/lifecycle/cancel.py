"""The verb cancel: one UPDATE decides which case it is."""

from uuid import UUID

from django.db import transaction
from django.db.models import Case, F, Q, TextField, Value, When
from django.db.models.functions import Coalesce, Now

from tasks_app.exceptions import LonghaulError
from tasks_app.models import WAITING, Status, Task
from tasks_app.signals import emit, slot_freed, waiting_ended

from .guard import changed


class WrongState(LonghaulError):
    """The task's state does not allow the verb (409)."""

    code = "wrong_state"

    def __init__(self, verb: str, status: str, expected: str) -> None:
        super().__init__(f"A task that is {status} cannot be {verb}; expected {expected}.")
        self.status = status


def cancel(task_id: UUID, *, force: bool = False) -> Status:
    """Cancel a waiting task at once, ask a running one to stop; returns its status now. Raises WrongState.

    Asking again for the stop of a running task is fine. A success that committed first stands. `force`: what does not
    stop by itself is killed after a grace.
    """
    waiting = Q(status__in=WAITING)
    forced = {"cancel_is_forced": True} if force else {}
    with transaction.atomic():
        changed_rows = (
            Task.objects.active()
            .filter(pk=task_id)
            .update(
                status=Case(When(waiting, then=Value(Status.CANCELLED)), default=F("status")),
                finished_at=Case(When(waiting, then=Now()), default=F("finished_at")),
                secrets=Case(When(waiting, then=Value("", TextField())), default=F("secrets")),
                cancel_requested_at=Coalesce("cancel_requested_at", Now()),
                version=F("version") + 1,
                **forced,
            )
        )
        task = Task.objects.get(pk=task_id)
        if not changed_rows:
            raise WrongState("cancelled", task.status, "one that is pending, queued or running")
        changed(task)
        if task.is_final:
            emit(slot_freed, owner_id=task.owner_id)
            emit(waiting_ended, kind=task.kind, status=Status.CANCELLED.value, code="")
    return Status(task.status)
