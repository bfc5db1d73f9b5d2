"""Programs and people who call the API."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import ApiToken

TEXT = b"The harbour was quiet in the early morning."


def program(user: Any) -> Client:
    """A client with a token of this user."""
    return Client(headers={"Authorization": f"Bearer {ApiToken.issue(user.pk)}"}, raise_request_exception=False)


def person(user: Any, *, csrf: bool = True) -> Client:
    """A client with a session of this user, and CSRF enforced."""
    client = Client(enforce_csrf_checks=csrf, raise_request_exception=False)
    client.force_login(user)
    return client


def text_file(content: bytes = TEXT, name: str = "note.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, content_type="text/plain")


def form(**fields: Any) -> dict[str, Any]:
    """A good submission; None leaves a field out."""
    values = {"kind": "document.generate", "preset": "summarise", "file": text_file()} | fields
    return {name: value for name, value in values.items() if value is not None}


def submit(client: Client, *, headers: dict[str, str] | None = None, **fields: Any) -> Any:
    return client.post("/api/tasks", form(**fields), headers=headers or {})


def post_json(client: Client, path: str, body: Any = None, **extra: Any) -> Any:
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(path, data, content_type="application/json", **extra)


def assert_problem(answer: Any, status: int, *, code: str | None = None) -> Any:
    """The body of an answer that must be this problem."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert "no-store" in answer["Cache-Control"]
    body = answer.json()
    assert body["status"] == status
    assert body["type"] == "about:blank"
    assert body["title"]
    assert body["detail"].endswith((".", "!")), body["detail"]
    if code:
        assert body["code"] == code
    return body
