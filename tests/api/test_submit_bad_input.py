from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Document, Task

from .clients import assert_problem, post_json, submit, text_file


@pytest.fixture(autouse=True)
def nothing_is_kept(db: None, files: Path) -> Any:
    yield
    assert not Task.objects.exists()
    assert not Document.objects.exists()
    assert not list(files.rglob("*.*"))


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"file": None}, "file", "Choose a file"),
        ({"file": text_file(b"")}, "file", "is empty"),
        ({"file": text_file(b"\x89PNG\r\n\x1a\n" + b"x" * 99, "a.pdf")}, "file", "PNG image"),
        ({"preset": "own"}, "instruction", "Write what should be done"),
        ({"preset": "own", "instruction": "x" * 4001}, "instruction", "4001 characters"),
        ({"preset": "dance"}, "preset", "dance"),
        ({"unit": "book"}, "unit", "book"),
        ({"colour": "red"}, "colour", "Unknown field"),
        ({"kind": None}, "kind", "required"),
        ({"kind": "no.such"}, "kind", "document.generate"),
        ({"priority": "high"}, "priority", "integer"),
        ({"priority": "101"}, "priority", "100"),
        ({"run_after": "tomorrow"}, "run_after", "datetime"),
        ({"run_after": "2099-01-01T00:00:00"}, "run_after", "timezone"),
        ({"run_after": "9999-12-31T23:59:59-12:00"}, "run_after", "too far"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at", "past"),
        ({"webhook_url": "https://example.org/"}, "webhook_url", "not part of this version"),
        ({"second": text_file()}, "second", "one file"),
    ],
)
def test_each_wrong_field_has_its_sentence(client: Client, fields: dict[str, Any], field: str, words: str) -> None:
    answer = submit(client, **fields)
    body = assert_problem(answer, 422)
    assert list(body["errors"]) == [field]
    assert words in " ".join(body["errors"][field])
    assert words in body["detail"]


def test_all_wrong_fields_are_named_at_once(client: Client) -> None:
    body = assert_problem(submit(client, preset="dance", unit="book"), 422)
    assert sorted(body["errors"]) == ["preset", "unit"]


def test_a_start_after_the_end_of_the_wait_is_refused(client: Client) -> None:
    later = datetime.now(UTC) + timedelta(days=8)
    body = assert_problem(submit(client, run_after=later.isoformat()), 422)
    assert "give a later expires_at" in body["errors"]["run_after"][0]


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"kind": "document.generate", "input": []}, "input", "dictionary"),
        ({"kind": 5}, "kind", "string"),
        ({"kind": "k", "webhook_url": "https://example.org/"}, "webhook_url", "GET /api/tasks/{id}"),
        ({"kind": "k", "colour": "red"}, "colour", "expected one of: kind, document, priority"),
    ],
)
def test_json_is_held_to_the_same(client: Client, body: Any, field: str, words: str) -> None:
    found = assert_problem(post_json(client, "/api/tasks", body), 422)
    assert words in found["errors"][field][0]


@pytest.mark.parametrize(
    "body",
    [" ", "{", b"\xff\xfe{}", "[" * 100_000, '{"kind": NaN}', '{"kind": 1e999}', '{"kind": ' + "9" * 5000 + "}"],
)
def test_what_is_no_json_is_400(client: Client, body: Any) -> None:
    assert_problem(post_json(client, "/api/tasks", body), 400, code="malformed")


@pytest.mark.parametrize("body", ["[]", "1", '"x"', "null"])
def test_json_that_is_no_object_is_422(client: Client, body: str) -> None:
    assert_problem(post_json(client, "/api/tasks", body), 422)


def test_another_media_type_is_415_and_says_which_are_taken(client: Client) -> None:
    answer = client.post("/api/tasks", "kind=document.generate", content_type="application/x-www-form-urlencoded")
    assert "multipart/form-data" in assert_problem(answer, 415)["detail"]


def test_a_form_that_is_cut_off_or_garbled_is_400(client: Client) -> None:
    answer = client.post("/api/tasks", b"--x\r\nnonsense", content_type="multipart/form-data")
    assert_problem(answer, 400, code="malformed")


@pytest.mark.parametrize("key", ["", "x" * 201, "caf\u00e9"])
def test_a_bad_idempotency_key_is_refused(client: Client, key: str) -> None:
    body = assert_problem(submit(client, headers={"Idempotency-Key": key}), 422)
    assert list(body["errors"]) == ["Idempotency-Key"]
