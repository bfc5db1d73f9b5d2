"""Tasks with a document and results, in whatever state a page may have to show."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from tasks_app.models import FINAL, Document, StepResult, Task


def document_task(
    owner: Any,
    *,
    name: str = "report.pdf",
    status: str = "pending",
    items: int = 0,
    failed: Collection[int] = (),
    total: int | None = None,
    **fields: Any,
) -> Task:
    """`items` results, of which those whose index (from 0) is in `failed` failed; `total` items in all."""
    kwargs = {"preset": "summarise", "language": "", "instruction": "", "unit": "page"} | fields.pop("kwargs", {})
    begun = status not in {"pending", "queued"}
    task = Task.objects.create(
        owner=owner,
        kind="document.generate",
        queue="gpu",
        document=Document.objects.create(
            owner=owner, name=name, media_type="application/pdf", size=2048, sha256="0" * 64, file="documents/none"
        ),
        payload={"args": [], "kwargs": kwargs},
        max_attempts=3,
        attempt_timeout=timedelta(seconds=300),
        deadline_after=timedelta(seconds=1800),
        expires_at=Now() + timedelta(days=7),
        attempt=1 if begun else 0,
        progress_done=items - len(failed),
        progress_total=items if total is None else total,
        failed_items=len(failed),
        **{"status": status, "started_at": Now() if begun else None, "finished_at": Now() if status in FINAL else None}
        | fields,
    )
    StepResult.objects.bulk_create(_item(task, index, failed=index in failed) for index in range(items))
    task.refresh_from_db()
    return task


def _item(task: Task, index: int, *, failed: bool) -> StepResult:
    pages = [index + 1, index + 1]
    return StepResult(
        task=task,
        index=index,
        name="generate",
        key="key",
        is_item=True,
        status="failed" if failed else "succeeded",
        error_code="endpoint_refused" if failed else "",
        error_text=f"reason {index}" if failed else "",
        attempt=1,
        version=1,
        value={"pages": pages} if failed else {"pages": pages, "text": f"answer {index}", "truncated": False},
    )
