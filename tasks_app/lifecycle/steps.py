"""Writes of steps and progress by an attempt. Each begins with the guard."""

from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from tasks_app.models import AttemptRef, StepResult, StepStatus, Task
from tasks_app.signals import emit, step_ended
from tasks_app.text import clean

from .guard import Held, touch
from .step_row import RECORDED, STORED, insert_step


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """A step that ended. `value`: columns of a StoredValue."""

    index: int
    name: str
    key: str
    is_item: bool = False
    status: StepStatus
    tries: int = 1
    duration_seconds: float = 0
    error_code: str = ""
    error_text: str = ""
    value: dict[str, Any] = field(default_factory=dict)


WRITTEN = [name for name in (*RECORDED, *STORED) if name != "index"]
WRITTEN += ["superseded", "attempt", "version", "created_at"]


def save_step(ref: AttemptRef, record: StepRecord) -> int:
    """Keep a step's result under (task, index), and count it; returns the task's version. Raises NotOwner."""
    done, failed = _counts(record, StepStatus.SUCCEEDED), _counts(record, StepStatus.FAILED)
    try:
        held = insert_step(ref, record, done=done, failed=failed)
    except IntegrityError:
        # A row is in its place: a repeat of this very write, a failure that was retried, or a superseded one.
        held = _replace(ref, record)
    emit(step_ended, kind=held.kind, status=record.status.value, seconds=record.duration_seconds)
    return held.version


def _replace(ref: AttemptRef, record: StepRecord) -> Held:
    with transaction.atomic():
        # The guard first: a repeat of this very write, whose first may be committing right now, waits for it here.
        held = touch(ref)
        before = StepResult.objects.current().filter(task_id=ref.task_id, index=record.index).first()
        StepResult.objects.bulk_create(
            [_row(ref, record, held.version)],
            update_conflicts=True,
            unique_fields=["task", "index"],
            update_fields=WRITTEN,
        )
        if changes := _progress(before, record):
            Task.objects.held_by(ref).update(**changes)
    return held


def _row(ref: AttemptRef, record: StepRecord, version: int) -> StepResult:
    values = {name: getattr(record, name) for name in StepRecord.__dataclass_fields__ if name != "value"}
    return StepResult(task_id=ref.task_id, attempt=ref.number, version=version, **values, **record.value)


def _progress(before: StepResult | None, record: StepRecord) -> dict[str, Any]:
    """Counters follow the rows: what this row adds, less what the row in its place had added."""
    done = _counts(record, StepStatus.SUCCEEDED) - _counts(before, StepStatus.SUCCEEDED)
    failed = _counts(record, StepStatus.FAILED) - _counts(before, StepStatus.FAILED)
    if not done and not failed:
        return {}
    return {"progress_done": F("progress_done") + done, "failed_items": F("failed_items") + failed}


def _counts(step: StepRecord | StepResult | None, status: StepStatus) -> int:
    return int(step is not None and step.is_item and step.status == status)


def set_total(ref: AttemptRef, total: int) -> None:
    """Tell how many items there will be; a total never falls, so that a bar never runs backwards."""
    with transaction.atomic():
        touch(ref)
        Task.objects.held_by(ref).update(progress_total=Greatest(F("progress_total"), total))


def set_message(ref: AttemptRef, message: str) -> None:
    with transaction.atomic():
        touch(ref)
        Task.objects.held_by(ref).update(progress_message=clean(message)[:200])
