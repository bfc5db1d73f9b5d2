import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.test import Client

from tasks_app.models import Document, Task
from tests.support.documents import marker_pdf

from .clients import TEXT, assert_problem, person, post_json, submit, text_file


def test_a_form_with_a_file_makes_a_task_and_answers_its_id_alone(client: Client, user: Any, files: Path) -> None:
    answer = submit(client, unit="chunk")
    assert answer.status_code == 202
    task = Task.objects.get()
    assert answer.json() == {"id": str(task.pk)}
    assert answer["Location"] == f"/api/tasks/{task.pk}"
    assert "no-store" in answer["Cache-Control"]
    assert client.get(answer["Location"]).json()["document"]["name"] == "note.txt"
    assert (task.owner_id, task.status, task.kwargs["unit"]) == (user.pk, "pending", "chunk")
    assert (files / str(Document.objects.get().file)).read_bytes() == TEXT


def test_a_pdf_of_many_pages_is_taken_without_being_read(client: Client) -> None:
    assert submit(client, file=text_file(marker_pdf(200), "book.pdf")).status_code == 202


def test_times_and_priority_are_kept(client: Client) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    expires = later + timedelta(hours=1)
    submit(client, priority="7", run_after=later.isoformat(), expires_at=expires.isoformat())
    task = Task.objects.get()
    assert (task.priority, task.available_at, task.expires_at) == (7, later, expires)


def test_a_person_submits_with_the_session_and_its_csrf_token(user: Any) -> None:
    client = person(user)
    page = client.get("/api/docs")
    token = client.cookies["csrftoken"].value
    assert token in page.content.decode() or page.status_code == 200
    assert submit(client, headers={"X-CSRFToken": token}).status_code == 202
    assert "csrfmiddlewaretoken" not in Task.objects.get().kwargs


def test_the_csrf_field_of_a_form_is_no_input(user: Any) -> None:
    client = person(user)
    client.get("/api/docs")
    assert submit(client, csrfmiddlewaretoken=client.cookies["csrftoken"].value).status_code == 202


def test_without_login_nothing_is_kept(nobody: Client, files: Path) -> None:
    answer = submit(nobody)
    assert_problem(answer, 401)
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert not Task.objects.exists()
    assert not files.exists()


def test_json_is_taken_too_and_says_that_this_kind_needs_a_file(client: Client) -> None:
    body = assert_problem(
        post_json(client, "/api/tasks", {"kind": "document.generate", "input": {"preset": "summarise"}}), 422
    )
    assert list(body["errors"]) == ["file"]


def test_text_that_no_database_takes_is_made_storable(client: Client) -> None:
    # Half of a surrogate pair, and NUL, as JSON escapes.
    raw = '{"kind": "document.generate", "input": {"instruction": "a\\ud83d b\\u0000", "nein\\u0000": 1}}'
    body = assert_problem(post_json(client, "/api/tasks", raw), 422)
    assert "nein\N{REPLACEMENT CHARACTER}" in body["errors"]
    json.dumps(body).encode()


def test_a_name_full_of_tricks_is_only_a_name(client: Client, files: Path) -> None:
    submit(client, file=text_file(name="..\\..\\x\u202egnp.txt"))
    document = Document.objects.get()
    assert document.name == "xgnp.txt"
    assert [path.relative_to(files).parts[0] for path in files.rglob("*") if path.is_file()] == ["documents"]


def test_a_document_is_used_again_by_its_id(client: Client, files: Path) -> None:
    submit(client)
    first = Task.objects.get()
    body = {"kind": "document.generate", "input": {"preset": "key_points"}, "document": str(first.document_id)}
    answer = post_json(client, "/api/tasks", body)
    assert answer.status_code == 202
    assert Task.objects.get(pk=answer.json()["id"]).document_id == first.document_id
    assert submit(client, file=None, document=str(first.document_id), preset="questions").status_code == 202
    assert len([path for path in files.rglob("*") if path.is_file()]) == 1


def test_another_users_document_cannot_be_used(client: Client, other: Client, files: Path) -> None:
    submit(client)
    document = str(Document.objects.get().pk)
    body = assert_problem(submit(other, file=None, document=document), 422)
    assert list(body["errors"]) == ["document"]
    assert Task.objects.count() == 1


def test_a_password_is_taken_and_never_shown(client: Client, files: Path) -> None:
    answer = submit(client, password="correct horse")
    assert "password" not in client.get(answer["Location"]).json()["input"]
    assert b"correct horse" not in client.get(answer["Location"]).content
