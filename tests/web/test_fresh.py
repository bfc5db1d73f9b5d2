"""The choice to ask the model anew, on the card and on the ways back to it."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task
from tests.web.reading import visible
from tests.web.shelf import document, document_task
from tests.web.test_card import tag_of

HINT = "Otherwise a request that you made in the last {} is answered with the answer it got then, without cost."


def send(client: Client, user: Any, **fields: str) -> Any:
    sent = {"kind": "document.generate", "document": str(document(user).pk), "preset": "summarise", "unit": "page"}
    return client.post("/?kind=document.generate", sent | fields, follow=True)


@pytest.mark.parametrize(("hours", "span"), [(24, "24 hours"), (1, "hour")])
def test_it_is_offered_with_what_it_means(client: Client, settings: Any, hours: int, span: str) -> None:
    settings.LONGHAUL_REUSE_ANSWERS_HOURS = hours
    seen = visible(client.get("/").text)
    assert "Ask the model anew" in seen
    assert HINT.format(span) in seen


def test_it_is_not_where_no_answer_is_reused(client: Client, settings: Any) -> None:
    settings.LONGHAUL_REUSE_ANSWERS_HOURS = 0
    assert "Ask the model anew" not in visible(client.get("/").text)


def test_a_kind_that_asks_no_model_does_not_offer_it(client: Client) -> None:
    assert "Ask the model anew" not in visible(client.get("/?kind=document.extract").text)


@pytest.mark.parametrize(("fields", "fresh"), [({"fresh": "on"}, True), ({}, False)], ids=["chosen", "not chosen"])
def test_what_was_chosen_is_kept_with_the_task(client: Client, user: Any, fields: dict[str, str], fresh: bool) -> None:
    send(client, user, **fields)
    assert Task.objects.get().fresh is fresh


def test_a_refused_submission_keeps_the_choice_in_sight(client: Client, user: Any) -> None:
    answer = send(client, user, fresh="on", pages="x")
    assert answer.status_code == 400
    assert " checked" in tag_of(answer.text, "fresh")
    assert '<details class="more" open>' in answer.text


def test_the_whole_after_a_try_keeps_the_choice(client: Client, user: Any) -> None:
    tried = document_task(user, status="succeeded", items=3, kwargs={"pages": "1-3"}, fresh=True)
    client.post(f"/tasks/{tried.pk}/whole/")
    assert Task.objects.latest("pk").pk != tried.pk
    assert Task.objects.latest("pk").fresh


def test_so_does_the_form_that_asks_for_a_password_again(client: Client, user: Any) -> None:
    locked: dict[str, Any] = {"error_code": "invalid_input", "error_text": "This PDF needs a password."}
    page = client.get(f"/tasks/{document_task(user, status='failed', fresh=True, **locked).pk}/").text
    address = page.split('" data-slot="password"')[0].rpartition('href="')[2].replace("&amp;", "&")
    assert "fresh=on" in address
    assert " checked" in tag_of(client.get(address).text, "fresh")
