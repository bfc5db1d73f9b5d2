"""The answer about the whole document, and the whole after a try on some pages."""

import re
from typing import Any

import pytest
from django.test import Client

from tasks_app.kinds.intake import take_in
from tasks_app.models import Task
from tasks_app.web.words import ABOVE, WHOLE
from tests.web.reading import visible
from tests.web.shelf import document, document_task, whole_task

SUMMARY = {"preset": "summarise", "unit": "page"}


def page_of(client: Client, task: Task) -> str:
    text: str = client.get(f"/tasks/{task.pk}/").text
    return text


def try_on_pages(user: Any, **fields: Any) -> Task:
    one = document(user, "harbour.pdf")
    sent = SUMMARY | {"pages": "1-3"} | fields
    return take_in(kind="document.generate", owner=user, fields=sent, file=None, document_id=one.pk).task


def do_whole(client: Client, task: Task) -> Any:
    return client.post(f"/tasks/{task.pk}/whole/", follow=True)


def test_the_whole_stands_above_its_parts_and_is_said_once(client: Client, user: Any) -> None:
    seen = visible(page_of(client, whole_task(user)))
    assert seen.count("one answer") == 1
    assert seen.index("one answer") < seen.index("Results") < seen.index("generate 1")
    assert ABOVE in seen
    assert "7 of 7 steps" in seen


@pytest.mark.parametrize(
    ("of", "labels"),
    [
        ("pages", ["Page 4", "Pages 1–2 together", "Pages 3–4 together", "Pages 1–4 together"]),
        ("parts", ["Part 4", "Parts 1–2 together", "Parts 3–4 together", "Parts 1–4 together"]),
    ],
)
def test_combinations_are_called_by_what_they_combine(client: Client, user: Any, of: str, labels: list[str]) -> None:
    seen = visible(page_of(client, whole_task(user, of=of)))
    assert [text for text in seen if re.match(r"Pages? 4|Parts? 4|.* together", text)] == labels


def test_while_it_is_not_there_one_line_says_what_it_waits_for(client: Client, user: Any) -> None:
    assert WHOLE["active"] in visible(page_of(client, whole_task(user, status="running", answer=None)))


def test_an_end_before_it_says_that_there_is_none(client: Client, user: Any) -> None:
    assert WHOLE["final"] in visible(page_of(client, whole_task(user, status="cancelled", answer=None)))


def test_an_end_before_any_answer_promises_none(client: Client, user: Any) -> None:
    task = document_task(user, status="cancelled", kwargs={"unit": "whole"})
    assert "The whole document" not in visible(page_of(client, task))


def test_one_that_failed_says_why(client: Client, user: Any) -> None:
    seen = visible(page_of(client, whole_task(user, answer=None, reason="It was refused.")))
    assert seen.index("The whole document") < seen.index("It was refused.") < seen.index("Results")


def test_a_task_page_by_page_has_no_such_card(client: Client, user: Any) -> None:
    assert "The whole document" not in visible(page_of(client, document_task(user, status="succeeded", items=2)))


def test_what_it_is_about_is_said_in_one_line(client: Client, user: Any) -> None:
    task = document_task(user, kwargs={"unit": "whole", "pages": "1-3"})
    assert "Summary · about the whole · pages 1-3 · 2 KB" in page_of(client, task)


def test_pages_without_text_are_named(client: Client, user: Any) -> None:
    task = document_task(user, status="succeeded", kind="document.extract")
    value = {"unread": [{"pages": [4, 4], "error": "It seems to be scanned."}]}
    task.steps.create(index=0, name="unread", key="k", status="succeeded", attempt=1, version=1, value=value)
    assert "Page 4: It seems to be scanned." in visible(page_of(client, task))


def test_parts_are_counted_from_one_on_every_page_of_a_long_result(client: Client, user: Any) -> None:
    task = document_task(user, status="succeeded", items=600)
    task.steps.filter(index=0).update(is_item=False, name="split")
    task.steps.update(value={"text": "said"})
    page = client.get(f"/tasks/{task.pk}/?after=249").text
    assert visible(page)[visible(page).index("Results") + 2] == "Part 250"


def test_a_try_leads_to_the_whole_of_the_same_document(client: Client, user: Any) -> None:
    tried = try_on_pages(user)
    answer = do_whole(client, tried)
    whole = Task.objects.exclude(pk=tried.pk).get()
    assert answer.redirect_chain == [(f"/tasks/{whole.pk}/", 302)]
    assert whole.document == tried.document
    assert whole.kwargs == tried.kwargs | {"pages": ""}


@pytest.mark.parametrize(
    ("fields", "is_offered"),
    [
        ({"status": "succeeded", "items": 3, "kwargs": {"pages": "1-3"}}, True),
        ({"status": "running", "items": 3, "kwargs": {"pages": "1-3"}}, False),
        ({"status": "failed", "error_code": "error", "kwargs": {"pages": "1-3"}}, False),
        ({"status": "succeeded", "items": 3}, False),
        ({"status": "succeeded", "items": 3, "kind": "somebody.else", "kwargs": {"pages": "1-3"}}, False),
    ],
    ids=["tried", "still at work", "failed", "already whole", "of another kind"],
)
def test_the_whole_is_offered_after_a_try(client: Client, user: Any, fields: dict[str, Any], is_offered: bool) -> None:
    page = page_of(client, document_task(user, **fields))
    assert ("Do the whole document" in visible(page)) is is_offered


@pytest.mark.parametrize("ended", [False, True])
def test_a_password_is_asked_for_again_before_the_whole(client: Client, user: Any, ended: bool) -> None:
    tried = try_on_pages(user, password="sesame")
    if ended:
        Task.objects.filter(pk=tried.pk).update(secrets="", payload={**tried.payload, "secrets": ["password"]})
    answer = do_whole(client, tried)
    assert answer.redirect_chain[0][0].startswith(f"/?kind=document.generate&document={tried.document_id}")
    assert "pages=" not in answer.redirect_chain[0][0]
    assert "Passwords are not kept: enter it again, and start." in visible(answer.text)
    assert Task.objects.count() == 1


def test_the_whole_of_what_has_no_document_leads_to_the_form(client: Client, user: Any) -> None:
    tried = try_on_pages(user)
    Task.objects.filter(pk=tried.pk).update(document=None)
    answer = do_whole(client, tried)
    assert "Choose a file." in visible(answer.text)
    assert 'id="submit"' in answer.text


def test_a_try_asks_for_the_first_pages_whatever_was_entered(client: Client, user: Any) -> None:
    one = document(user)
    client.post("/", {"kind": "document.extract", "document": str(one.pk), "pages": "7", "try_first": "1"})
    assert Task.objects.get().kwargs == {"pages": "1-3"}


def test_a_stranger_cannot_do_the_whole(other: Client, user: Any) -> None:
    tried = try_on_pages(user)
    assert do_whole(other, tried).status_code == 404
    assert Task.objects.count() == 1


def test_a_link_does_nothing(client: Client, user: Any) -> None:
    tried = try_on_pages(user)
    answer = client.get(f"/tasks/{tried.pk}/whole/", follow=True)
    assert "Nothing was done." in answer.text
    assert Task.objects.count() == 1
