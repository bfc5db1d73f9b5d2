"""Documents that were uploaded before are used again."""

import re
import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Document, Task
from tasks_app.web.documents import recent_documents
from tests.web.reading import visible
from tests.web.shelf import document, document_task


def offered(page: str) -> list[str]:
    return re.findall(r'<span class="name">([^<]+)</span>', page)


def chosen(page: str) -> list[str]:
    return re.findall(r'name="document" value="([\w-]+)" checked', page)


def send(client: Client, **fields: Any) -> Any:
    return client.post("/", {"kind": "document.extract", **fields}, follow=True)


def test_the_newest_eight_are_offered_each_content_once(client: Client, user: Any, stranger: Any) -> None:
    for number in range(12):
        document(user, f"{number}.pdf")
    document(user, "11.pdf")
    document(stranger, "secret.pdf")
    assert offered(client.get("/").text) == [f"{number}.pdf" for number in range(11, 3, -1)]


def test_without_any_there_is_nothing_to_choose_from(client: Client) -> None:
    page = client.get("/").text
    assert "Or one you uploaded before" not in page
    assert re.search(r'name="file"[^>]* required', page)


def test_a_task_leads_to_the_form_with_its_document(client: Client, user: Any) -> None:
    task = document_task(user, name="harbour.pdf", status="succeeded", items=1)
    page = client.get(f"/tasks/{task.pk}/").text
    link = f"/?kind=document.generate&amp;document={task.document_id}#submit"
    assert f'href="{link}">Use this document again' in page
    form = client.get(link.replace("&amp;", "&")).text
    assert chosen(form) == [str(task.document_id)]
    assert "harbour.pdf" in visible(form)


def test_an_older_one_is_offered_when_it_is_asked_for(client: Client, user: Any) -> None:
    old = document(user, "old.pdf")
    for number in range(9):
        document(user, f"{number}.pdf")
    assert offered(client.get(f"/?document={old.pk}").text)[0] == "old.pdf"


@pytest.mark.parametrize("sort", ["unknown", "a stranger's", "no id"])
def test_what_is_none_of_ones_own_counts_as_none(client: Client, user: Any, stranger: Any, sort: str) -> None:
    document(user, "mine.pdf")
    text = {"unknown": str(uuid.uuid4()), "a stranger's": str(document(stranger, "secret.pdf").pk), "no id": "x"}[sort]
    page = client.get("/", {"document": text}).text
    assert chosen(page) == []
    assert "secret.pdf" not in page
    answer = send(client, document=text)
    assert answer.status_code == 400
    assert "Choose a file." in visible(answer.text)
    assert Task.objects.count() == 0


def test_it_is_submitted_by_its_id(client: Client, user: Any) -> None:
    one = document(user, "harbour.pdf")
    send(client, document=str(one.pk))
    assert Task.objects.get(owner=user).document == one
    assert Document.objects.count() == 1


def test_a_file_that_was_just_chosen_goes_before_it(client: Client, user: Any) -> None:
    send(client, document=str(document(user, "old.pdf").pk), file=SimpleUploadedFile("new.txt", b"PAGE-0001 new"))
    task = Task.objects.get(owner=user)
    assert task.document is not None
    assert task.document.name == "new.txt"


def test_it_stays_chosen_when_something_else_is_wrong(client: Client, user: Any) -> None:
    one = document(user, "harbour.pdf")
    answer = send(client, document=str(one.pk), pages="three")
    assert answer.status_code == 400
    assert chosen(answer.text) == [str(one.pk)]
    assert "Choose a file, too." not in visible(answer.text)


def test_a_file_must_be_chosen_again_when_something_else_is_wrong(client: Client) -> None:
    answer = send(client, file=SimpleUploadedFile("new.txt", b"PAGE-0001 new"), pages="three")
    assert "Please choose the file again." in visible(answer.text)


def test_a_missing_password_leads_to_the_form_with_everything_but_it(client: Client, user: Any) -> None:
    kwargs = {"preset": "own", "instruction": "Count & list", "unit": "whole", "pages": "1-3", "with_context": True}
    error = "This PDF needs a password to be opened. Enter it when you submit the file."
    task = document_task(user, status="failed", error_code="invalid_input", error_text=error, kwargs=kwargs)
    page = client.get(f"/tasks/{task.pk}/").text
    assert "Enter the password" in visible(page)
    assert "Submit another file" not in visible(page)
    found = re.search(r'href="([^"]+)" data-slot="password"', page)
    assert found is not None
    form = client.get(found[1].replace("&amp;", "&")).text
    assert chosen(form) == [str(task.document_id)]
    assert "Count &amp; list</textarea>" in form
    assert 'value="whole" checked' in form
    assert '<details class="more" open>' in form
    assert 'value="1-3"' in form
    assert re.search(r'name="with_context"[^>]* checked', form)


def test_a_text_that_is_long_stays_out_of_the_address(client: Client, user: Any) -> None:
    error = "This PDF needs a password to be opened."
    kwargs = {"preset": "own", "instruction": "x" * 4000}
    task = document_task(user, status="failed", error_code="invalid_input", error_text=error, kwargs=kwargs)
    found = re.search(r'href="([^"]+)" data-slot="password"', client.get(f"/tasks/{task.pk}/").text)
    assert found is not None
    assert "preset=own" in found[1]
    assert "instruction" not in found[1]


def test_the_same_content_many_times_over_is_one_choice(user: Any) -> None:
    Document.objects.bulk_create(
        Document(owner=user, name=f"{n}.txt", media_type="text/plain", size=1, sha256="0" * 64, file="documents/x")
        for n in range(300)
    )
    assert [document.name for document in recent_documents(user.pk)] == ["299.txt"]
