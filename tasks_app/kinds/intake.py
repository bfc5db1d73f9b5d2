"""The road from a form and a file to a committed task, the same for page, API and admin."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from django.forms import Form
from uuid_utils.compat import uuid7

from tasks_app.conf import queue
from tasks_app.documents.inspect import FileFacts, inspect
from tasks_app.exceptions import InvalidInput
from tasks_app.lifecycle.connection import AWAY
from tasks_app.lifecycle.submit import Order, Submission, find_earlier, submit
from tasks_app.models import Document
from tasks_app.work.values import as_json, digest

from . import registry
from .task import LonghaulTask


class InvalidFields(InvalidInput):
    """Several fields of a submission are wrong. `errors`: sentences by field."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__("; ".join(f"{name}: {' '.join(texts)}" for name, texts in errors.items()))
        self.errors = errors


def take_in(
    *,
    kind: str,
    owner: Any,
    fields: Mapping[str, Any],
    file: UploadedFile[Any] | None,
    idempotency_key: str = "",
    priority: int = 0,
    run_after: datetime | None = None,
    expires_at: datetime | None = None,
) -> Submission:
    """Commit the submission, or find the task that it already made; of a refused one nothing is kept.

    Raises InvalidFields, another InvalidInput with its field, FileTooLarge, IdempotencyConflict.
    """
    task = registry.submittable(kind)
    values = _cleaned(task, fields)
    facts = _facts(task, file)
    content = [kind, values, facts and facts.sha256, facts and facts.name, priority, _iso(run_after), _iso(expires_at)]
    fingerprint = digest(*content)
    order = Order(
        kind=task.kind,
        queue=queue(task.queue_name).name,
        owner_id=owner.pk,
        payload={"args": [], "kwargs": values},
        max_attempts=task.attempts_limit,
        attempt_timeout=task.attempt_limit,
        deadline=task.deadline_limit,
        document=_document(facts, owner_id=owner.pk) if facts else None,
        fingerprint=fingerprint,
        priority=priority,
        run_after=run_after,
        expires_at=expires_at,
        idempotency_key=idempotency_key,
        body_hash=fingerprint,
    )
    if earlier := find_earlier(order):
        return Submission(earlier, created=False)
    return _submit(order, file)


def _submit(order: Order, file: UploadedFile[Any] | None) -> Submission:
    """The file is stored before the row that names it; it goes again where no row does."""
    document = order.document
    if document is None or file is None:
        return submit(order)
    file.seek(0)
    document.file.save(f"documents/{document.pk}", file, save=False)
    try:
        submission = submit(order)
    except AWAY:
        # The row may be committed, and only the reply lost: a file that nobody names is the smaller harm.
        raise
    except BaseException:
        document.file.delete(save=False)
        raise
    if not submission.created:
        document.file.delete(save=False)
    return submission


def _cleaned(task: LonghaulTask, fields: Mapping[str, Any]) -> dict[str, Any]:
    if task.form is None:
        raise registry.UnknownKind(task.kind, [])
    form: Form = task.form(data=fields)
    errors = {name: [str(text) for text in texts] for name, texts in form.errors.items()}
    for name in set(fields) - set(form.fields):
        errors[name] = [f"Unknown field; expected one of: {', '.join(form.fields)}."]
    if errors:
        raise InvalidFields(errors)
    cleaned: dict[str, Any] = as_json(form.cleaned_data)
    return cleaned


def _facts(task: LonghaulTask, file: UploadedFile[Any] | None) -> FileFacts | None:
    if not task.takes_document:
        if file is not None:
            raise InvalidInput(f"{task.kind} takes no file.", field="file")
        return None
    if file is None:
        raise InvalidInput("Choose a file: a PDF, a text file or Markdown.", field="file")
    return inspect(cast(BinaryIO, file), name=file.name or "")


def _document(facts: FileFacts, *, owner_id: int) -> Document:
    return Document(
        pk=uuid7(),
        owner_id=owner_id,
        name=facts.name,
        media_type=facts.media_type,
        size=facts.size,
        sha256=facts.sha256,
    )


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
