from typing import Any

import pytest
from django.test import Client

from tasks_app.models import StepResult, Task
from tests.web.shelf import document_task


def press(client: Client, task: Task, verb: str, **fields: str) -> Any:
    return client.post(f"/tasks/{task.pk}/{verb}/", fields, follow=True)


def test_a_waiting_task_is_stopped_at_once(client: Client, user: Any) -> None:
    task = document_task(user)
    answer = press(client, task, "cancel")
    assert answer.redirect_chain == [(f"/tasks/{task.pk}/", 302)]
    assert "It was stopped at your request." in answer.text


def test_a_running_task_is_asked_to_stop(client: Client, user: Any) -> None:
    answer = press(client, document_task(user, status="running"), "cancel")
    assert "Stopping" in answer.text
    assert "It was asked to stop. What is finished is kept." in answer.text


def test_what_is_over_cannot_be_stopped(client: Client, user: Any) -> None:
    answer = press(client, document_task(user, status="succeeded", items=1), "cancel")
    assert "There was nothing to stop: it is over (done)." in answer.text


def test_retry_keeps_what_is_finished(client: Client, user: Any) -> None:
    task = document_task(user, status="cancelled", items=2, total=5)
    assert "Waiting" in press(client, task, "retry").text
    assert StepResult.objects.filter(task=task).current().count() == 2


def test_from_scratch_throws_it_away(client: Client, user: Any) -> None:
    task = document_task(user, status="cancelled", items=2, total=5)
    assert "No results yet." in press(client, task, "retry", from_scratch="1").text
    assert StepResult.objects.filter(task=task).current().count() == 0


def test_what_is_not_over_cannot_be_retried(client: Client, user: Any) -> None:
    answer = press(client, document_task(user, status="running"), "retry")
    assert "There is nothing to retry: its state is “working”." in answer.text


def test_retry_leads_to_the_twin_that_was_submitted_meanwhile(client: Client, user: Any) -> None:
    old = document_task(user, status="cancelled", fingerprint="same")
    twin = document_task(user, fingerprint="same")
    answer = press(client, old, "retry")
    assert answer.redirect_chain == [(f"/tasks/{twin.pk}/", 302)]
    assert "You submitted the same again meanwhile" in answer.text


@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_a_stranger_finds_nothing_and_changes_nothing(other: Client, user: Any, verb: str) -> None:
    task = document_task(user, status="cancelled" if verb == "retry" else "pending")
    assert press(other, task, verb).status_code == 404
    assert Task.objects.get(pk=task.pk).version == task.version


@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_no_login_leads_to_the_login_page(nobody: Client, user: Any, verb: str) -> None:
    task = document_task(user)
    assert press(nobody, task, verb).redirect_chain == [(f"/login/?next=/tasks/{task.pk}/{verb}/", 302)]
    assert Task.objects.get(pk=task.pk).status == "pending"


@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_who_signed_in_again_after_pressing_a_button_is_led_to_the_task_and_nothing_is_done(
    client: Client, user: Any, verb: str
) -> None:
    task = document_task(user, status="cancelled" if verb == "retry" else "pending")
    answer = client.get(f"/tasks/{task.pk}/{verb}/", follow=True)
    assert answer.redirect_chain == [(f"/tasks/{task.pk}/", 302)]
    assert "Nothing was done. If you still want it, press the button again." in answer.text
    assert Task.objects.get(pk=task.pk).version == task.version


@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_a_form_without_its_token_is_refused(user: Any, verb: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    task = document_task(user)
    assert press(strict, task, verb).status_code == 403
    assert Task.objects.get(pk=task.pk).status == "pending"
