from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Task

PLAIN = b"PAGE-0001\nThe harbour was quiet in the early morning."


def submit(client: Client, content: bytes = PLAIN, *, name: str = "harbour.txt", **fields: str) -> Any:
    values = {"preset": "summarise", "unit": "page", "language": "", "instruction": ""} | fields
    return client.post("/", {**values, "file": SimpleUploadedFile(name, content)}, follow=True)


def test_a_submission_leads_to_its_page(client: Client, user: Any) -> None:
    answer = submit(client, preset="translate", language="German", unit="chunk")
    task = Task.objects.get(owner=user)
    assert answer.redirect_chain == [(f"/tasks/{task.pk}/", 302)]
    assert task.kwargs == {
        "preset": "translate",
        "language": "German",
        "instruction": "",
        "unit": "chunk",
        "pages": "",
        "with_context": False,
    }
    assert "Translation to German · chunk by chunk" in answer.text


def test_the_same_again_leads_to_the_first_and_says_so(client: Client) -> None:
    first = submit(client)
    again = submit(client)
    assert again.redirect_chain == first.redirect_chain
    assert "This is already being worked on" in again.text
    assert Task.objects.count() == 1


def test_no_login_leads_to_the_login_page(nobody: Client) -> None:
    answer = submit(nobody)
    assert answer.redirect_chain == [("/login/?next=/", 302)]
    assert Task.objects.count() == 0


def test_a_form_without_its_token_is_refused(user: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    answer = submit(strict)
    assert answer.status_code == 403
    assert "Please try that again" in answer.text
    assert Task.objects.count() == 0


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"preset": "translate"}, "Name the language to translate into."),
        ({"preset": "own", "instruction": "  "}, "Write what should be done with each page"),
        ({"preset": "own", "instruction": "x" * 4001}, "at most 4000 are possible"),
        ({"preset": "paint"}, "paint is not one of the available choices"),
        ({"unit": "line"}, "line is not one of the available choices"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(client: Client, fields: dict[str, str], sentence: str) -> None:
    answer = submit(client, PLAIN, name="harbour.txt", **fields)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert Task.objects.count() == 0


def test_the_chosen_values_are_kept_when_something_is_wrong(client: Client) -> None:
    answer = submit(client, preset="own", instruction="Ask & answer", unit="chunk", content=b"")
    assert 'value="own" checked' in answer.text
    assert 'value="chunk" checked' in answer.text
    assert "Ask &amp; answer</textarea>" in answer.text


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.txt", b"", "is empty (0 bytes)"),
        ("photo.pdf", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "seems to be a PNG image"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    client: Client, files: Path, name: str, content: bytes, sentence: str
) -> None:
    answer = submit(client, content, name=name)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert [path for path in files.rglob("*") if path.is_file()] == []


def test_no_file_is_said_in_words(client: Client) -> None:
    answer = client.post("/", {"preset": "summarise", "unit": "page"})
    assert answer.status_code == 400
    assert "Choose a file." in answer.text


def test_a_file_over_the_limit_is_refused(client: Client, settings: Any) -> None:
    settings.LONGHAUL_MAX_UPLOAD_BYTES = 20
    answer = submit(client)
    assert answer.status_code == 413
    assert "“harbour.txt” is too large" in answer.text


def test_a_request_far_over_the_limit_is_refused_by_its_length(client: Client, settings: Any) -> None:
    settings.LONGHAUL_MAX_UPLOAD_BYTES = 20
    answer = submit(client, b"x" * (1024 * 1024 + 100))
    assert answer.status_code == 413
    assert "That file is too large: a file may have 20 bytes at most." in answer.text


def test_a_hostile_name_is_text(client: Client) -> None:
    answer = submit(client, name="<img src=x onerror=alert(1)>.txt")
    assert "&lt;img src=x onerror=alert(1)&gt;.txt" in answer.text
    assert "<img src=x" not in answer.text
