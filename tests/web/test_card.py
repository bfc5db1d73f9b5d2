"""The card shows the form of any kind, without a template of the kind's own."""

import re
from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task
from tests.web.reading import visible
from tests.web.shelf import document

LETTER = {"title": "Spring", "copies": "2", "tone": "plain", "country": "4"}


def send(client: Client, toy: str, **fields: Any) -> Any:
    return client.post(f"/?kind={toy}", {"kind": toy, **LETTER, **fields}, follow=True)


def tag_of(page: str, name: str) -> str:
    """The whole tag of the control of that name."""
    tag: str = re.findall(rf'<\w+[^>]*name="{name}"[^>]*>', page)[0]
    return tag


def field_of(page: str, name: str) -> str:
    """The opening tag of the field around a control."""
    tag: str = re.findall(r'<(?:div|fieldset) class="field"[^>]*>', page[: page.index(f'name="{name}"')])[-1]
    return tag


def test_the_kinds_are_links_and_the_first_is_chosen(client: Client, toy: str) -> None:
    page = client.get("/").text
    found = re.findall(r'\?kind=([\w.]+)#submit"( aria-current="true")?>', page)
    assert found[:2] == [("document.generate", ' aria-current="true"'), ("document.extract", "")]
    assert (toy, "") in found


@pytest.mark.parametrize("kind", ["nobody.knows", "", "test.secret"])
def test_a_kind_that_is_none_leads_to_the_first(client: Client, kind: str) -> None:
    assert 'name="kind" value="document.generate"' in client.get("/", {"kind": kind}).text


def test_a_kind_without_a_document_has_no_drop_zone_and_no_try(client: Client, toy: str) -> None:
    page = client.get(f"/?kind={toy}").text
    assert 'id="drop"' not in page
    assert "Try on the first 3 pages" not in page


@pytest.mark.parametrize("kind", ["document.generate", "document.extract"])
def test_a_kind_with_a_document_has_both(client: Client, kind: str) -> None:
    page = client.get(f"/?kind={kind}").text
    assert 'id="drop"' in page
    assert "Try on the first 3 pages" in visible(page)


def test_each_field_has_its_control_its_label_and_its_hint(client: Client, toy: str) -> None:
    page = client.get(f"/?kind={toy}").text
    assert 'type="number"' in tag_of(page, "copies")
    assert 'value="3"' in tag_of(page, "copies")
    assert 'aria-describedby="id_copies_helptext"' in tag_of(page, "copies")
    assert "Between 1 and 20." in visible(page)
    assert '<label for="id_title">Title</label>' in page
    assert " required" in tag_of(page, "title")
    assert tag_of(page, "country").startswith("<select")
    assert re.findall(r'type="(\w+)"[^>]*name="(?:tone|topics|signed)"', page) == ["radio"] * 2 + ["checkbox"] * 3
    assert 'value="plain" checked' in page


def test_what_only_one_choice_needs_is_declared_and_not_met_at_first(client: Client, toy: str) -> None:
    page = client.get(f"/?kind={toy}").text
    assert field_of(page, "signature").endswith('data-only="tone=formal" data-needed data-unmet>')
    assert field_of(client.get(f"/?kind={toy}&tone=formal").text, "signature").endswith("data-needed>")


def test_options_are_folded_until_they_hold_something(client: Client, toy: str) -> None:
    assert '<details class="more">' in client.get(f"/?kind={toy}").text
    assert '<details class="more" open>' in client.get(f"/?kind={toy}&remark=hello").text


def test_values_come_by_the_address_but_secrets_do_not(client: Client, toy: str) -> None:
    page = client.get(f"/?kind={toy}&title=Spring&pin=1234").text
    assert 'value="Spring"' in tag_of(page, "title")
    assert "1234" not in page


def test_it_is_submitted_as_what_it_is(client: Client, user: Any, toy: str) -> None:
    answer = send(client, toy, topics=["sea", "sky"], signed="on", pin="1234")
    task = Task.objects.get(owner=user)
    assert (task.kind, task.queue, task.document) == (toy, "cpu", None)
    assert task.kwargs == {
        "title": "Spring",
        "copies": 2,
        "tone": "plain",
        "topics": ["sea", "sky"],
        "country": "4",
        "signed": True,
        "signature": "",
        "remark": "",
    }
    assert task.secrets
    assert "Write letters" in visible(answer.text)


def test_what_is_wrong_stands_beside_its_field_and_the_rest_is_kept(client: Client, toy: str) -> None:
    answer = send(client, toy, title="", copies="99", topics="sky", pin="1234")
    assert answer.status_code == 400
    assert 'aria-invalid="true"' in tag_of(answer.text, "title")
    assert 'aria-describedby="id_copies_helptext id_copies_error"' in tag_of(answer.text, "copies")
    assert 'value="99"' in tag_of(answer.text, "copies")
    assert 'value="sky" checked' in answer.text
    assert "Ensure this value is less than or equal to 20." in visible(answer.text)
    assert "1234" not in answer.text
    assert Task.objects.count() == 0


def test_an_unknown_kind_that_is_sent_is_refused_in_words(client: Client) -> None:
    answer = client.post("/", {"kind": "nobody.knows"})
    assert answer.status_code == 400
    assert any("Unknown kind" in text for text in visible(answer.text))


def test_a_kind_without_a_document_takes_none(client: Client, user: Any, toy: str) -> None:
    answer = send(client, toy, document=str(document(user).pk))
    assert answer.status_code == 400
    assert any("takes no document" in text for text in visible(answer.text))
