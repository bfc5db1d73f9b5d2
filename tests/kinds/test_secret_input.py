"""A password is encrypted, shown to nobody, and told apart."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app import presentation
from tasks_app.kinds import intake
from tasks_app.kinds.intake import take_in
from tasks_app.models import Status, Task
from tasks_app.work.secrets import unseal
from tests.support.documents import encrypted_pdf
from tests.support.endpoint import ModelEndpoint

from .conftest import Generate

PASSWORD = "correct horse"


def send(owner: Any, password: str) -> Task:
    file = SimpleUploadedFile("a.txt", b"hello")
    fields = {"preset": "summarise", "password": password}
    return take_in(kind="document.generate", owner=owner, fields=fields, file=file).task


@pytest.mark.usefixtures("store")
def test_it_stands_nowhere_in_the_clear(user: Any) -> None:
    task = send(user, PASSWORD)
    row = json.dumps(Task.objects.values().get(), default=str)
    assert PASSWORD not in row
    assert "password" not in task.kwargs
    assert PASSWORD not in json.dumps(presentation.task_object(task))
    assert unseal(task.secrets)["password"].reveal() == PASSWORD


@pytest.mark.usefixtures("store")
def test_another_password_is_another_submission(user: Any) -> None:
    assert send(user, PASSWORD).pk == send(user, PASSWORD).pk
    assert send(user, PASSWORD).pk != send(user, "another").pk


def test_the_right_password_opens_the_document(generate: Generate, endpoint: ModelEndpoint) -> None:
    task = generate(encrypted_pdf("PAGE-0001 secret", user_password="view"), password="view")
    assert (task.status, task.error_text, task.secrets) == (Status.SUCCEEDED, "", "")
    assert "R-0001" in task.load()


@pytest.mark.parametrize("password", ["", "wrong"])
def test_without_the_right_one_it_says_so_before_any_call(
    generate: Generate, endpoint: ModelEndpoint, password: str, caplog: Any
) -> None:
    task = generate(encrypted_pdf("PAGE-0001 secret", user_password="view"), password=password)
    assert (task.status, task.error_code, task.secrets) == (Status.FAILED, "invalid_input", "")
    assert "password" in task.error_text
    assert not endpoint.calls
    assert "wrong" not in caplog.text


def test_secrets_of_different_fields_are_told_apart() -> None:
    assert intake._hidden({"one": "x", "two": ""}) != intake._hidden({"one": "", "two": "x"})
