"""Tasks with attempts, steps and ends, as workers write them."""

from datetime import timedelta
from typing import Any

from tasks_app.lifecycle.admission import admit
from tasks_app.lifecycle.claim import claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.steps import StepRecord, save_step, set_total
from tasks_app.lifecycle.submit import submit
from tasks_app.models import AttemptRef, Document, Outcome, StepResult, StepStatus, Task, Worker
from tests.support.rows import make_order


def make_document(owner: Any, name: str = "report.pdf") -> Document:
    """One that is not saved: the submission saves it."""
    return Document(
        owner=owner, name=name, media_type="application/pdf", size=1234, sha256="0" * 64, file="documents/nowhere"
    )


def make_document_task(owner: Any, name: str = "report.pdf", **fields: Any) -> Task:
    return submit(make_order(owner, document=make_document(owner, name), **fields)).task


def begin(task: Task, worker: Worker, *, total: int = 0) -> AttemptRef:
    """Admit and claim this task, which must be the best of its queue."""
    admit(task.owner_id)
    claimed = claim(worker.pk, queue=task.queue, kinds=[task.kind])
    assert claimed is not None
    assert claimed.ref.task_id == task.pk
    if total:
        set_total(claimed.ref, total)
    return claimed.ref


def save_value(ref: AttemptRef, index: int, value: Any, **fields: Any) -> StepResult:
    columns = {"value": value} if not isinstance(value, dict) or "value_file" not in value else value
    values: dict[str, Any] = {"name": "generate", "key": f"key {index}", "is_item": True}
    record = StepRecord(index=index, status=StepStatus.SUCCEEDED, value=columns, **(values | fields))
    save_step(ref, record)
    return StepResult.objects.get(task_id=ref.task_id, index=index)


def save_answer(
    ref: AttemptRef, index: int, text: str, *, pages: tuple[int, int] | None = None, truncated: bool = False
) -> StepResult:
    """An item as `document.generate` writes it; by default its page is index + 1."""
    first, last = pages or (index + 1, index + 1)
    return save_value(ref, index, {"pages": [first, last], "text": text, "truncated": truncated})


def save_failure(ref: AttemptRef, index: int, text: str, *, pages: tuple[int, int] | None = None) -> StepResult:
    value = {"value": {"pages": list(pages)}} if pages else {}
    record = StepRecord(
        index=index,
        name="generate",
        key=f"key {index}",
        is_item=True,
        status=StepStatus.FAILED,
        error_code="content_filter",
        error_text=text,
        value=value,
    )
    save_step(ref, record)
    return StepResult.objects.get(task_id=ref.task_id, index=index)


def succeed(ref: AttemptRef, value: Any = None, *, visited: int = 1000) -> Task:
    end(ref, Ending(outcome=Outcome.SUCCEEDED, value={"value": value}, visited=visited))
    return Task.objects.get(pk=ref.task_id)


def fail(ref: AttemptRef, text: str = "It broke.", *, retry: bool = False, delay: timedelta | None = None) -> Task:
    end(ref, Ending(outcome=Outcome.ERROR, code="server_error", text=text, retry=retry, delay=delay))
    return Task.objects.get(pk=ref.task_id)
