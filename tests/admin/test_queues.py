"""The page of queues and kinds, pause and resume, and the lists of alerts and of what was sent."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from tasks_app.models import AlertRule, Delivery, QueueSample, QueueState, Task, Worker
from tasks_app.monitoring.alerts import open_alert, resolve_alert
from tasks_app.monitoring.samples import take_samples
from tests.support.rows import make_task, make_user

LIST = "admin:tasks_app_queuestate_changelist"
PAUSE, RESUME = "admin:tasks_app_queuestate_pause", "admin:tasks_app_queuestate_resume"


def staff(*permissions: str) -> Client:
    user = make_user("-".join(permissions) or "nobody", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, name: str, **fields: str) -> Any:
    """The page that follows."""
    return client.post(reverse(name), fields, follow=True)


def table(page: Any, name: str) -> str:
    """The row of a queue or kind, without its tags' distances."""
    return " ".join(page.text.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0].split())


def test_every_queue_and_every_kind_is_on_the_page(operator: Client, user: Any, worker: Worker, settings: Any) -> None:
    make_task(user)
    page = operator.get(reverse(LIST))
    for name in (*settings.TASK_QUEUES, "document.generate", "document.extract"):
        assert "Goes on" in table(page, name)
    assert 'data-label="Waiting">1</td>' in table(page, "gpu")
    assert "no end in sight" in table(page, "gpu")


def test_a_queue_is_paused_with_a_reason_and_its_queued_rows_wait_again(
    operator: Client, user: Any, worker: Worker
) -> None:
    task = make_task(user)
    Task.objects.filter(pk=task.pk).update(status="queued")
    page = post(operator, PAUSE, queue="gpu", reason=" model upgrade ")
    assert "The queue gpu is paused. 1 queued task wait" in page.text
    assert "Paused by op since 20" in table(page, "gpu")
    assert "model upgrade" in table(page, "gpu")
    task.refresh_from_db()
    assert task.status == "pending"
    state = QueueState.objects.get(queue="gpu")
    assert (state.paused_by.get_username() if state.paused_by else "", state.reason) == ("op", "model upgrade")


def test_a_kind_is_paused_and_resumed(operator: Client) -> None:
    assert "The kind document.extract is paused." in post(operator, PAUSE, kind="document.extract", reason="a bug").text
    page = post(operator, RESUME, kind="document.extract")
    assert "The kind document.extract goes on." in page.text
    assert "Goes on" in table(page, "document.extract")
    assert not QueueState.objects.paused().exists()


def test_who_paused_what_and_why_stays_in_the_log(operator: Client) -> None:
    post(operator, PAUSE, queue="gpu", reason="model upgrade")
    post(operator, RESUME, queue="gpu")
    entries = LogEntry.objects.order_by("pk")
    assert [entry.get_change_message() for entry in entries] == ["Paused: model upgrade", "Resumed."]
    history = reverse("admin:tasks_app_queuestate_history", args=[QueueState.objects.get().pk])
    assert history in operator.get(reverse(LIST)).text
    assert "Paused: model upgrade" in operator.get(history).text


@pytest.mark.parametrize("reason", ["", "   ", "x" * 201])
def test_a_reason_is_needed_and_has_its_length(operator: Client, reason: str) -> None:
    page = post(operator, PAUSE, queue="gpu", reason=reason)
    assert "Please correct the error below." in page.text
    assert not QueueState.objects.paused().exists()


def test_what_is_paused_already_stays_as_it_was(operator: Client) -> None:
    post(operator, PAUSE, queue="gpu", reason="first")
    assert "is already paused, by op since" in post(operator, PAUSE, queue="gpu", reason="second").text
    assert QueueState.objects.get().reason == "first"


def test_what_is_not_paused_cannot_be_resumed(operator: Client) -> None:
    assert "The queue gpu was not paused." in post(operator, RESUME, queue="gpu").text
    assert not LogEntry.objects.exists()


def test_the_form_names_what_it_pauses(operator: Client) -> None:
    page = operator.get(reverse(PAUSE), {"queue": "gpu"})
    assert "Pause gpu?" in page.text
    assert 'value="Pause gpu"' in page.text
    assert not QueueState.objects.exists()


@pytest.mark.parametrize("target", [{}, {"queue": "tape"}, {"kind": "no.such"}, {"queue": ""}])
def test_what_there_is_not_is_not_found(operator: Client, target: dict[str, str]) -> None:
    assert operator.get(reverse(PAUSE), target).status_code == 404
    assert operator.post(reverse(RESUME), target).status_code == 404


def test_a_kind_that_is_gone_can_still_be_resumed(operator: Client) -> None:
    post(operator, PAUSE, kind="document.extract", reason="a bug")
    QueueState.objects.update(kind="gone.kind")
    assert "Paused by op" in table(operator.get(reverse(LIST)), "gone.kind")
    assert "The kind gone.kind goes on." in post(operator, RESUME, kind="gone.kind").text


def test_resuming_takes_a_post(operator: Client) -> None:
    assert operator.get(reverse(RESUME), {"queue": "gpu"}).status_code == 405


def test_who_may_only_look_cannot_pause(db: None) -> None:
    looker = staff("view_queuestate")
    page = looker.get(reverse(LIST))
    assert "Goes on" in page.text
    assert "Pause…" not in page.text
    assert looker.get(reverse(PAUSE), {"queue": "gpu"}).status_code == 403
    assert looker.post(reverse(PAUSE), {"queue": "gpu", "reason": "x"}).status_code == 403
    assert looker.post(reverse(RESUME), {"queue": "gpu"}).status_code == 403
    assert not QueueState.objects.exists()


def test_who_may_change_them_can_pause(db: None) -> None:
    changer = staff("change_queuestate")
    assert "The queue gpu is paused." in post(changer, PAUSE, queue="gpu", reason="x").text


def test_who_may_neither_sees_nothing(db: None) -> None:
    assert staff().get(reverse(LIST)).status_code == 403
    assert Client().get(reverse(LIST)).status_code == 302


def test_a_hostile_reason_is_text(operator: Client) -> None:
    page = post(operator, PAUSE, queue="gpu", reason="<script>alert(1)</script>")
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)" in page.text


def test_samples_and_alerts_can_be_looked_at(operator: Client, user: Any) -> None:
    make_task(user)
    take_samples()
    assert "no end in sight" in operator.get(reverse("admin:tasks_app_queuesample_changelist")).text
    sample = QueueSample.objects.get(queue="gpu")
    assert operator.get(reverse("admin:tasks_app_queuesample_change", args=[sample.pk])).status_code == 200
    open_alert(AlertRule.ENDPOINT, "http://model", "It answers 503.")
    open_alert(AlertRule.DRAIN, "gpu", "Slow.")
    resolve_alert(AlertRule.DRAIN, "gpu", "Quick.")
    alerts = reverse("admin:tasks_app_alert_changelist")
    assert operator.get(alerts).text.count("field-subject") == 2
    still_open = operator.get(alerts, {"state": "open"}).text
    assert "It answers 503." in still_open
    assert "Slow." not in still_open
    assert "It answers 503." not in operator.get(alerts, {"state": "resolved"}).text.split("</section>")[1]


def test_of_what_was_sent_the_state_is_told_and_of_a_webhook_only_the_host(operator: Client, settings: Any) -> None:
    settings.LONGHAUL_OPERATOR_EMAILS = ["ann@example.org"]
    settings.LONGHAUL_ALERT_WEBHOOK_URL = "https://hooks.example.org/token-in-the-path"
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    hook = Delivery.objects.get(channel="webhook")
    pages = [
        operator.get(reverse("admin:tasks_app_delivery_changelist")).text,
        operator.get(reverse("admin:tasks_app_delivery_change", args=[hook.pk])).text,
    ]
    assert "ann@example.org" in pages[0]
    assert all("hooks.example.org" in page and "to be sent" in page for page in pages)
    assert not any("token-in-the-path" in page for page in pages)
    Delivery.objects.filter(pk=hook.pk).update(done_at=hook.created_at, error="It answered 500.")
    given_up = operator.get(reverse("admin:tasks_app_delivery_changelist"), {"state": "given_up"}).text
    assert "It answered 500." in given_up
    assert "ann@example.org" not in given_up
    assert "ann@example.org" in operator.get(reverse("admin:tasks_app_delivery_changelist"), {"state": "waiting"}).text
