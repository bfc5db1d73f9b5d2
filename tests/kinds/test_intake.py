from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.documents.errors import FileTooLarge
from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.intake import InvalidFields, take_in
from tasks_app.kinds.registry import UnknownKind
from tasks_app.lifecycle.submit import IdempotencyConflict
from tasks_app.models import Document, Task
from tests.support.documents import marker_pdf, png


def send(owner: Any, content: bytes = b"hello", name: str = "a.txt", **options: Any) -> Any:
    options.setdefault("fields", {"preset": "summarise"})
    options.setdefault("kind", "document.generate")
    return take_in(owner=owner, file=SimpleUploadedFile(name, content), **options)


def files(store: Path) -> list[Path]:
    return [path for path in (store / "files").rglob("*") if path.is_file()]


def nothing_is_kept(store: Path) -> bool:
    return not files(store) and not Task.objects.exists() and not Document.objects.exists()


def test_a_document_is_stored_with_its_hash_and_the_input_cleaned(user: Any, store: Path) -> None:
    task = send(user, marker_pdf(1), "report.pdf").task
    assert task.document is not None
    assert (task.document.name, task.document.media_type) == ("report.pdf", "application/pdf")
    assert task.kwargs == {
        "preset": "summarise",
        "language": "",
        "instruction": "",
        "unit": "page",
        "pages": "",
        "with_context": False,
    }
    assert [path.read_bytes()[:5] for path in files(store)] == [b"%PDF-"]


def test_the_same_again_is_the_first_task_and_leaves_one_file(user: Any, store: Path) -> None:
    first = send(user)
    again = send(user)
    assert (again.created, again.task.pk) == (False, first.task.pk)
    assert len(files(store)) == 1


@pytest.mark.parametrize(
    "other",
    [{"content": b"other"}, {"fields": {"preset": "key_points"}}, {"priority": 3}, {"name": "b.txt"}, {"fresh": True}],
)
def test_anything_else_is_another_task(user: Any, other: dict[str, Any]) -> None:
    first = send(user)
    assert send(user, **other).task.pk != first.task.pk


def test_a_fresh_submission_is_a_fresh_task_and_the_same_again_is_that_one(user: Any) -> None:
    assert not send(user).task.fresh
    fresh = send(user, fresh=True)
    assert fresh.task.fresh
    assert send(user, fresh=True).task.pk == fresh.task.pk


def test_an_idempotency_key_covers_the_whole_submission(user: Any, store: Path) -> None:
    first = send(user, idempotency_key="k")
    assert send(user, idempotency_key="k").task.pk == first.task.pk
    assert len(files(store)) == 1
    with pytest.raises(IdempotencyConflict):
        send(user, idempotency_key="k", fresh=True)


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({}, "instruction", "Write what should be done"),
        ({"instruction": "   "}, "instruction", "Write what should be done"),
        ({"instruction": "x" * 4001}, "instruction", "4001 characters; at most 4000"),
        ({"preset": "translate"}, "language", "Name the language"),
        ({"preset": "sing"}, "preset", "sing"),
        ({"preset": "summarise", "unit": "line"}, "unit", "line"),
        ({"preset": "summarise", "colour": "red"}, "colour", "Unknown field"),
        ({"preset": "summarise", "pages": "7-3"}, "pages", "ends before it begins"),
        ({"preset": "summarise", "pages": "first"}, "pages", "names no pages"),
        ({"preset": "translate", "language": "German", "unit": "whole"}, "unit", "cannot be combined"),
    ],
)
def test_wrong_fields_are_refused_by_name_and_nothing_is_kept(
    user: Any, store: Path, fields: dict[str, str], field: str, words: str
) -> None:
    with pytest.raises(InvalidFields) as refused:
        send(user, fields=fields)
    assert words in " ".join(refused.value.errors[field])
    assert nothing_is_kept(store)


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "empty"), (png(), "PNG"), (b"PK\x03\x04" + b"\0" * 100, "ZIP"), (b"\0\1\2" * 99, "")]
)
def test_a_file_of_the_wrong_sort_is_refused_whatever_its_name(
    user: Any, store: Path, content: bytes, words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        send(user, content, "report.pdf")
    assert words.lower() in str(refused.value).lower()
    assert refused.value.field == "file"
    assert nothing_is_kept(store)


def test_a_file_over_the_limit_is_refused(user: Any, store: Path, settings: Any) -> None:
    settings.LONGHAUL_MAX_UPLOAD_BYTES = 10
    with pytest.raises(FileTooLarge):
        send(user, b"eleven bytes")
    assert nothing_is_kept(store)


def test_a_missing_file_is_asked_for(user: Any) -> None:
    with pytest.raises(InvalidInput, match="Choose a file"):
        take_in(kind="document.generate", owner=user, fields={"preset": "summarise"}, file=None)


@pytest.mark.parametrize("kind", ["nothing.like.it", "tests.support.kinds.quick"])
def test_only_kinds_with_a_form_can_be_submitted(user: Any, kind: str) -> None:
    with pytest.raises(UnknownKind, match=r"document\.generate"):
        send(user, kind=kind)
