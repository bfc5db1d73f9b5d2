"""The road from a form and a file to a committed task, the same for page, API and admin."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.forms import Form
from django.utils.crypto import salted_hmac
from django.views.decorators.debug import sensitive_variables

from tasks_app.exceptions import InvalidInput
from tasks_app.lifecycle.connection import AWAY
from tasks_app.lifecycle.submit import Order, Submission, find_earlier, submit
from tasks_app.work.values import digest, form_as_json

from . import registry
from .intake_document import document_of
from .ordering import order_of, parted
from .task import LonghaulTask


class InvalidFields(InvalidInput):
    """Several fields of a submission are wrong. `errors`: sentences by field."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__("; ".join(f"{name}: {' '.join(texts)}" for name, texts in errors.items()))
        self.errors = errors


@sensitive_variables()
def take_in(
    *,
    kind: str,
    owner: Any,
    fields: Mapping[str, Any],
    file: UploadedFile[Any] | None,
    document_id: UUID | None = None,
    idempotency_key: str = "",
    priority: int = 0,
    run_after: datetime | None = None,
    expires_at: datetime | None = None,
    fresh: bool = False,
) -> Submission:
    """Commit the submission, or find the task that it already made; of a refused one nothing is kept.

    `document_id`: of a document that the owner uploaded before, instead of `file`. `fresh`: every model call is made
    anew, whatever answers the owner already has.
    Raises InvalidFields, another InvalidInput with its field, FileTooLarge, IdempotencyConflict.
    """
    task = registry.submittable(kind)
    values = cleaned(task, fields)
    kept, secrets = parted(task, values)
    document = document_of(task, owner_id=owner.pk, file=file, document_id=document_id)
    content = [kind, kept, document and [document.sha256, document.name], _hidden(secrets)]
    # Named only where it was asked for: code from before knew no such option, and the same submission is the same.
    options = [priority, _iso(run_after), _iso(expires_at), *(["fresh"] if fresh else [])]
    fingerprint = digest(*content, *options)
    order = order_of(
        task,
        owner_id=owner.pk,
        values=values,
        document=document,
        fingerprint=fingerprint,
        body_hash=fingerprint,
        fresh=fresh,
        priority=priority,
        run_after=run_after,
        expires_at=expires_at,
        idempotency_key=idempotency_key,
    )
    if earlier := find_earlier(order):
        return Submission(earlier, created=False)
    return _submit(order, file)


def _submit(order: Order, file: UploadedFile[Any] | None) -> Submission:
    """The file is stored before the row that names it; it goes again where no row does."""
    document = order.document
    if document is None or file is None or not document.is_new:
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


@sensitive_variables()
def cleaned(task: LonghaulTask, fields: Mapping[str, Any]) -> dict[str, Any]:
    if task.form is None:
        raise registry.UnknownKind(task.kind, [])
    form: Form = task.form(data=fields)
    errors = {name: [str(text) for text in texts] for name, texts in form.errors.items()}
    for name in set(fields) - set(form.fields):
        errors[name] = [f"Unknown field; expected one of: {', '.join(form.fields)}."]
    if errors:
        raise InvalidFields(errors)
    values: dict[str, Any] = form_as_json(form.cleaned_data)
    return values


def _hidden(secrets: Mapping[str, str]) -> list[list[str]]:
    """What tells secrets apart in a fingerprint, and cannot be guessed from it."""
    return [
        [name, salted_hmac("tasks_app.kinds.intake", value, algorithm="sha256").hexdigest()]
        for name, value in sorted(secrets.items())
        if value
    ]


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
