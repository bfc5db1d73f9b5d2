"""A document that was uploaded once is used again by its id."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.intake import take_in
from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Document, Task
from tests.support.rows import make_user

SUMMARISE = {"preset": "summarise"}


def send(owner: Any, **options: Any) -> Task:
    return take_in(**({"kind": "document.generate", "owner": owner, "fields": SUMMARISE, "file": None} | options)).task


@pytest.fixture
def document(user: Any, store: Path) -> Document:
    task = send(user, file=SimpleUploadedFile("a.txt", b"hello"))
    cancel(task.pk)
    assert task.document is not None
    return task.document


def test_it_is_the_same_row_and_the_same_file(user: Any, document: Document, store: Path) -> None:
    task = send(user, document_id=document.pk)
    assert task.document_id == document.pk
    assert Document.objects.count() == 1
    assert len([path for path in (store / "files").rglob("*") if path.is_file()]) == 1


def test_a_refused_submission_leaves_it_where_it_is(user: Any, document: Document) -> None:
    with pytest.raises(InvalidInput):
        send(user, document_id=document.pk, fields={"preset": "own"})
    assert document.file.storage.exists(str(document.file.name))


def test_by_its_id_and_by_its_content_it_is_the_same_submission(user: Any, document: Document) -> None:
    first = send(user, document_id=document.pk)
    assert send(user, file=SimpleUploadedFile("a.txt", b"hello")).pk == first.pk
    assert document.file.storage.exists(str(document.file.name))


def test_another_users_document_is_none(document: Document) -> None:
    with pytest.raises(InvalidInput, match="No document of yours") as refused:
        send(make_user("bob"), document_id=document.pk)
    assert refused.value.field == "document"


def test_an_id_that_nobody_has_is_said_so(user: Any) -> None:
    with pytest.raises(InvalidInput, match="No document of yours"):
        send(user, document_id=uuid4())


def test_a_file_and_an_id_together_are_refused(user: Any, document: Document) -> None:
    with pytest.raises(InvalidInput, match="not both"):
        send(user, document_id=document.pk, file=SimpleUploadedFile("a.txt", b"hello"))
