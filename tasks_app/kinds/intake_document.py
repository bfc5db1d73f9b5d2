"""The document of a submission: a file that came with it, or one that its owner uploaded before."""

from __future__ import annotations

from typing import Any, BinaryIO, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from uuid_utils.compat import uuid7

from tasks_app.documents.inspect import inspect
from tasks_app.exceptions import InvalidInput
from tasks_app.models import Document

from .task import LonghaulTask


def document_of(
    task: LonghaulTask, *, owner_id: int, file: UploadedFile[Any] | None, document_id: UUID | None
) -> Document | None:
    """The document, not saved yet if it came as a file; None for a kind that takes none. Raises InvalidInput."""
    if not task.takes_document:
        if file is not None or document_id is not None:
            raise InvalidInput(f"{task.kind} takes no document.", field="file" if file else "document")
        return None
    if document_id is not None:
        if file is not None:
            raise InvalidInput("Send a file or the id of a document, not both.", field="document")
        return _known(document_id, owner_id=owner_id)
    if file is None:
        raise InvalidInput("Choose a file.", field="file")
    return _uploaded(file, owner_id=owner_id)


def _known(document_id: UUID, *, owner_id: int) -> Document:
    document = Document.objects.owned_by(owner_id).filter(pk=document_id).first()
    if document is None:
        raise InvalidInput("No document of yours has this id. Choose a file instead.", field="document")
    return document


def _uploaded(file: UploadedFile[Any], *, owner_id: int) -> Document:
    facts = inspect(cast(BinaryIO, file), name=file.name or "")
    return Document(
        pk=uuid7(),
        owner_id=owner_id,
        name=facts.name,
        media_type=facts.media_type,
        size=facts.size,
        sha256=facts.sha256,
    )
