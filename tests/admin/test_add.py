"""An operator submits a task by the form of its kind."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tasks_app.kinds.intake import take_in
from tasks_app.models import Document, Task
from tests.support.rows import make_user

PLAIN = b"PAGE-0001\nThe harbour was quiet in the early morning."
CHANGELIST = "admin:tasks_app_task_changelist"
GENERATE, EXTRACT = "document.generate", "document.extract"


@pytest.fixture
def boss(db: None) -> Any:
    return make_user("op", is_staff=True, is_superuser=True)


@pytest.fixture
def operator(client: Client, boss: Any) -> Client:
    client.force_login(boss)
    return client


def add(operator: Client, kind: str, owner: Any, *, content: bytes | None = PLAIN, **fields: Any) -> Any:
    sent = {"task-owner": owner.pk, "unit": "page", "preset": "summarise"} | fields
    if content is not None:
        sent["task-file"] = SimpleUploadedFile("harbour.txt", content)
    return operator.post(f"{reverse('admin:tasks_app_task_add')}?kind={kind}", sent, follow=True)


def uploaded_by(owner: Any) -> Document:
    file = SimpleUploadedFile("harbour.txt", PLAIN)
    task = take_in(kind=GENERATE, owner=owner, fields={"preset": "questions"}, file=file).task
    assert task.document is not None
    return task.document


def test_the_list_leads_to_the_form_and_the_form_to_every_kind(operator: Client, boss: Any) -> None:
    add_url = reverse("admin:tasks_app_task_add")
    assert f'href="{add_url}"' in operator.get(reverse(CHANGELIST)).text
    page = operator.get(add_url).text
    assert f'name="task-owner" value="{boss.pk}"' in page.replace(' id="id_task-owner"', "")
    assert f'href="?kind={EXTRACT}"' in page
    assert 'name="instruction"' in page


def test_a_task_is_submitted_for_the_user_who_was_chosen(operator: Client, user: Any) -> None:
    answer = add(operator, GENERATE, user, preset="key_points")
    task = Task.objects.get()
    assert (task.owner_id, task.kind, task.status) == (user.pk, GENERATE, "pending")
    assert task.kwargs["preset"] == "key_points"
    assert task.document is not None
    assert task.document.owner_id == user.pk
    assert answer.redirect_chain == [(reverse("admin:tasks_app_task_change", args=[task.pk]), 302)]
    assert LogEntry.objects.get().object_id == str(task.pk)


@pytest.mark.parametrize(("fields", "fresh"), [({"task-fresh": "on"}, True), ({}, False)], ids=str)
def test_an_operator_may_have_the_model_asked_anew(
    operator: Client, user: Any, fields: dict[str, Any], fresh: bool
) -> None:
    add(operator, GENERATE, user, **fields)
    assert Task.objects.get().fresh is fresh


def test_where_no_answer_is_reused_there_is_nothing_to_choose(operator: Client, settings: Any, user: Any) -> None:
    settings.LONGHAUL_REUSE_ANSWERS_HOURS = 0
    assert "task-fresh" not in operator.get(reverse("admin:tasks_app_task_add")).text
    add(operator, GENERATE, user)
    assert not Task.objects.get().fresh


def test_a_document_of_that_user_can_be_used_again(operator: Client, user: Any) -> None:
    document = uploaded_by(user)
    add(operator, EXTRACT, user, content=None, **{"task-document": str(document.pk)})
    assert Task.objects.get(kind=EXTRACT).document == document


def test_a_document_of_somebody_else_is_refused_beside_its_field(operator: Client, user: Any, boss: Any) -> None:
    document = uploaded_by(user)
    answer = add(operator, EXTRACT, boss, content=None, **{"task-document": str(document.pk)})
    assert "No document of yours has this id." in answer.text
    assert not Task.objects.filter(kind=EXTRACT).exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"content": None}, "Choose a file."),
        ({"content": b""}, "is empty (0 bytes)"),
        ({"preset": "translate"}, "Name the language to translate into."),
        ({"pages": "x"}, "names no pages"),
        ({"task-owner": "999999"}, "not one of the available choices"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_nothing_kept(
    operator: Client, user: Any, fields: dict[str, Any], sentence: str
) -> None:
    answer = add(operator, GENERATE, user, **fields)
    assert answer.status_code == 200
    assert sentence in answer.text
    assert not Task.objects.exists()


def test_the_same_twice_leads_to_the_first(operator: Client, user: Any) -> None:
    add(operator, GENERATE, user)
    assert "This is already being worked on" in add(operator, GENERATE, user).text
    assert Task.objects.count() == 1
    assert LogEntry.objects.count() == 1


def test_a_password_is_shown_nowhere(operator: Client, user: Any) -> None:
    add(operator, GENERATE, user, password="open sesame")
    task = Task.objects.get()
    assert task.secrets
    page = operator.get(reverse("admin:tasks_app_task_change", args=[task.pk])).text
    assert "open sesame" not in page
    assert task.secrets not in page
    refused = add(operator, GENERATE, user, password="open sesame", pages="x")
    assert "open sesame" not in refused.text


def test_an_operator_without_the_permission_to_add_cannot(client: Client, user: Any) -> None:
    looker = make_user("looker", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename="view_task"))
    client.force_login(looker)
    add_url = reverse("admin:tasks_app_task_add")
    assert f'href="{add_url}"' not in client.get(reverse(CHANGELIST)).text
    assert client.get(add_url).status_code == 403
    assert add(client, GENERATE, user).status_code == 403
    assert not Task.objects.exists()


def test_who_may_add_but_not_look_is_led_to_the_beginning(client: Client, user: Any) -> None:
    adder = make_user("adder", is_staff=True)
    adder.user_permissions.set(Permission.objects.filter(codename="add_task"))
    client.force_login(adder)
    assert add(client, GENERATE, user).redirect_chain == [(reverse("admin:index"), 302)]
    assert Task.objects.get().owner_id == user.pk
