"""Django's own way to enqueue: `@task` functions of any application."""

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.tasks import TaskResultStatus, default_task_backend, task
from django.tasks.exceptions import TaskResultDoesNotExist
from django.utils import timezone

from tasks_app.kinds.document_extract import extract_document
from tasks_app.kinds.perform import perform
from tasks_app.models import Task
from tasks_app.work.interruption import Interruption
from tasks_app.work.secrets import unseal
from tests.support import kinds
from tests.support.rows import make_worker, start


def carry_out(result: Any, queue: str = "gpu") -> None:
    row = Task.objects.get(pk=result.id)
    claimed = start(row, make_worker(queue))
    perform(claimed.ref, limit_seconds=60, interruption=Interruption())
    result.refresh()


def test_enqueue_commits_a_row_that_belongs_to_nobody(db: None, tmp_path: Path) -> None:
    result = kinds.quick.enqueue(journal=str(tmp_path / "j"))
    row = Task.objects.get(pk=result.id)
    assert (row.owner, row.kind, row.queue, row.fingerprint) == (None, "test.quick", "gpu", "")
    assert result.status == TaskResultStatus.READY


def test_the_result_is_what_the_function_returned(transactional_db: None, tmp_path: Path) -> None:
    result = kinds.quick.enqueue(journal=str(tmp_path / "j"), line="hello")
    carry_out(result)
    assert (result.status, result.return_value, result.attempts) == (TaskResultStatus.SUCCESSFUL, "hello", 1)


def test_an_error_is_kept_for_operators_and_not_shown_to_users(transactional_db: None) -> None:
    result = kinds.broken.enqueue()
    carry_out(result)
    assert result.status == TaskResultStatus.FAILED
    assert result.errors[0].exception_class is ZeroDivisionError
    assert "ZeroDivisionError" in result.errors[0].traceback
    row = Task.objects.get()
    assert "Traceback" not in row.error_text
    assert "An unexpected error (ZeroDivisionError)" in row.error_text


def test_time_and_priority_of_using_are_kept(db: None, tmp_path: Path) -> None:
    later = timezone.now() + timedelta(hours=1)
    result = kinds.quick.using(priority=7, run_after=later).enqueue(journal="j")
    row = Task.objects.get(pk=result.id)
    assert (row.priority, row.available_at) == (7, later)


def test_arguments_that_are_not_json_are_refused(db: None) -> None:
    with pytest.raises(TypeError):
        kinds.quick.enqueue(journal=object())
    assert not Task.objects.exists()


def test_an_unknown_id_does_not_exist(db: None) -> None:
    for wrong in (str(uuid.uuid4()), "nonsense"):
        with pytest.raises(TaskResultDoesNotExist):
            default_task_backend.get_result(wrong)


def quick(context: Any) -> None:
    """Another function that claims a name already taken."""


def test_two_functions_cannot_claim_one_kind() -> None:
    with pytest.raises(ImproperlyConfigured, match="Two functions claim"):
        task(kind="test.quick", queue_name="gpu", takes_context=True)(quick)  # type: ignore[call-overload]


@pytest.mark.django_db
def test_a_secret_is_encrypted_however_it_is_submitted() -> None:
    extract_document.enqueue(pages="", password="correct horse")
    task = Task.objects.get()
    assert task.kwargs == {"pages": ""}
    assert unseal(task.secrets)["password"].reveal() == "correct horse"
