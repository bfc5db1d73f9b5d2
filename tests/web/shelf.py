"""Tasks with a document and results, in whatever state a page may have to show."""

import hashlib
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
    kind = fields.pop("kind", "document.generate")
    kwargs = fields.pop("kwargs", {})
    if kind == "document.generate":
        kwargs = {"preset": "summarise", "language": "", "instruction": "", "unit": "page"} | kwargs
    begun = status not in {"pending", "queued"}
    task = Task.objects.create(
        **{
            "owner": owner,
            "kind": kind,
            "queue": "gpu" if kind == "document.generate" else "cpu",
            "document": document(owner, name),
            "payload": {"args": [], "kwargs": kwargs},
            "max_attempts": 3,
            "attempt_timeout": timedelta(seconds=300),
            "deadline_after": timedelta(seconds=1800),
            "expires_at": Now() + timedelta(days=7),
            "attempt": 1 if begun else 0,
            "progress_done": items - len(failed),
            "progress_total": items if total is None else total,
            "failed_items": len(failed),
            "status": status,
            "started_at": Now() if begun else None,
            "finished_at": Now() if status in FINAL else None,
        }
        | fields
    )
    StepResult.objects.bulk_create(_item(task, index, failed=index in failed) for index in range(items))
    task.refresh_from_db()
    return task


def whole_task(
    owner: Any, *, answer: str | None = "one answer", reason: str = "", of: str = "pages", **fields: Any
) -> Task:
    """A document's four answers, combined two by two and then into one, which is missing or has failed for a `reason`.

    `of`: "pages", or "parts" where the document has no pages.
    """
    values: dict[str, Any] = {"status": "succeeded", "total": 7, "kwargs": {"unit": "whole"}} | fields
    task = document_task(owner, **values)
    places = [(1, 1, "generate"), (2, 2, "generate"), (3, 3, "generate"), (4, 4, "generate")]
    places += [(1, 2, "combine"), (3, 4, "combine"), (1, 4, "combine")][: 3 if answer or reason else 2]
    rows = [step(task, 0, name="split", is_item=False, value=None)]
    for index, (first, last, name) in enumerate(places, start=1):
        value: dict[str, Any] = {"pages": [first, last] if of == "pages" else None}
        if name == "combine":
            value |= {"parts": [first, last], "whole": index == 7}
        if index == 7 and reason:
            rows.append(step(task, index, name=name, value=value, status="failed", error_code="e", error_text=reason))
        else:
            text = answer if index == 7 else f"{name} {first}"
            rows.append(step(task, index, name=name, value=value | {"text": text, "truncated": False}))
    StepResult.objects.bulk_create(rows)
    done = sum(row.is_item and row.status == "succeeded" for row in rows)
    Task.objects.filter(pk=task.pk).update(progress_done=done, failed_items=1 if reason else 0)
    task.refresh_from_db()
    return task


def document(owner: Any, name: str = "report.pdf") -> Document:
    return Document.objects.create(
        owner=owner,
        name=name,
        media_type="application/pdf",
        size=2048,
        sha256=sha256_of(name),
        file="documents/none",
    )


def step(task: Task, index: int, **fields: Any) -> StepResult:
    values: dict[str, Any] = {"name": "generate", "key": "key", "is_item": True, "status": "succeeded"}
    return StepResult(task=task, index=index, attempt=1, version=1, **values | fields)


def sha256_of(name: str) -> str:
    """Of the contents of documents on this shelf: another for each name."""
    return hashlib.sha256(name.encode()).hexdigest()


def _item(task: Task, index: int, *, failed: bool) -> StepResult:
    pages = [index + 1, index + 1]
    if failed:
        reason = f"reason {index}"
        return step(task, index, status="failed", error_code="refused", error_text=reason, value={"pages": pages})
    return step(task, index, value={"pages": pages, "text": f"answer {index}", "truncated": False})
