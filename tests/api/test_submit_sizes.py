from typing import Any

import pytest
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.test import Client

from tasks_app.models import Task

from .clients import assert_problem, person, post_json, submit, text_file


@pytest.fixture(autouse=True)
def limit(settings: Any) -> int:
    settings.LONGHAUL_MAX_UPLOAD_BYTES = 1000
    return 1000


def test_a_file_of_the_limit_is_taken(client: Client, limit: int) -> None:
    assert submit(client, file=text_file(b"x" * limit)).status_code == 202


def test_a_file_over_the_limit_is_413(client: Client, limit: int) -> None:
    body = assert_problem(submit(client, file=text_file(b"x" * (limit + 1))), 413, code="too_large")
    assert "too large" in body["errors"]["file"][0]
    assert not Task.objects.exists()


@pytest.mark.parametrize("by_session", [True, False])
def test_a_request_far_over_the_limit_is_refused_before_it_is_read(
    user: Any, client: Client, by_session: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(MemoryFileUploadHandler, "new_file", lambda *a, **k: read.append("a file"))
    caller = person(user) if by_session else client
    assert_problem(submit(caller, file=text_file(b"x" * (2 * 1024 * 1024))), 413, code="too_large")
    assert read == []


def test_a_body_without_a_length_is_not_read(client: Client) -> None:
    assert_problem(post_json(client, "/api/tasks", {}, headers={"Transfer-Encoding": "chunked"}), 411)


@pytest.mark.parametrize("length", ["9" * 30, "many", "-1"])
def test_a_length_that_is_none_is_refused(client: Client, length: str) -> None:
    assert post_json(client, "/api/tasks", {}, CONTENT_LENGTH=length).status_code in (411, 413)


def test_a_body_that_is_not_there_is_told_after_the_login(client: Client, nobody: Client) -> None:
    assert_problem(nobody.generic("POST", "/api/tasks"), 401)
    assert_problem(client.generic("POST", "/api/tasks"), 415)


def test_json_over_djangos_limit_is_413(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert_problem(post_json(client, "/api/tasks", {"kind": "x" * 200}), 413, code="too_large")


def test_fields_over_djangos_limit_are_413(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert_problem(submit(client, instruction="x" * 200), 413, code="too_large")
