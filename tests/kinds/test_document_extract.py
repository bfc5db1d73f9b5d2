from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.kinds.intake import take_in
from tasks_app.models import ModelCall, Status, StepResult, Task
from tests.support.documents import text_pdf
from tests.support.rows import make_user, make_worker

from .conftest import attempt


@pytest.fixture
def extract(transactional_db: None, store: Path) -> Any:
    user = make_user()
    worker = make_worker("cpu", kinds=("document.extract",))

    def go(content: bytes, name: str, **fields: Any) -> Task:
        file = SimpleUploadedFile(name, content)
        task = take_in(kind="document.extract", owner=user, fields=fields, file=file).task
        attempt(task, worker)
        return task

    return go


def test_a_markdown_text_comes_back_as_it_is(extract: Any) -> None:
    text = "# Title\n\nSome *words*.\n\n* one\n* two\n"
    task = extract(text.encode(), "a.md")
    assert (task.status, task.queue, task.load()) == (Status.SUCCEEDED, "cpu", text)
    assert not ModelCall.objects.exists()


def test_the_pages_of_a_pdf_are_marked_without_being_part_of_the_text(extract: Any) -> None:
    task = extract(text_pdf("First page", "", "Third page"), "a.pdf")
    assert task.load().split("\n\n") == [
        "<!-- Page 1 -->",
        "First page",
        "<!-- Page 2: no text on this page: it shows drawings only -->",
        "<!-- Page 3 -->",
        "Third page\n",
    ]
    items = [step.load() for step in StepResult.objects.items().filter(task=task)]
    assert items == [{"pages": [1, 1], "text": "First page"}, {"pages": [3, 3], "text": "Third page"}]
    assert (task.progress_done, task.progress_total) == (2, 2)


def test_only_the_pages_that_were_asked_for_are_read(extract: Any) -> None:
    task = extract(text_pdf("First page", "Second page", "Third page"), "a.pdf", pages="2-")
    assert "First" not in task.load()
    assert task.progress_total == 2


def test_pages_that_the_document_does_not_have_are_said_so(extract: Any) -> None:
    task = extract(text_pdf("First page"), "a.pdf", pages="5-9")
    assert (task.status, task.error_code) == (Status.FAILED, "invalid_input")
    assert "it has 1" in task.error_text
