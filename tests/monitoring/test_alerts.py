"""An alert is opened once and resolved once, and tells of itself once each time."""

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tasks_app.models import Alert, AlertRule, Delivery
from tasks_app.monitoring.alerts import open_alert, resolve_alert

from .rows import closing


@pytest.fixture(autouse=True)
def operators(settings: Any) -> None:
    settings.LONGHAUL_OPERATOR_EMAILS = ["ann@example.org", "bob@example.org"]
    settings.LONGHAUL_ALERT_WEBHOOK_URL = "https://hooks.example.org/secret-path"


def open_one(text: str = "It answers 503.") -> bool:
    return open_alert(AlertRule.ENDPOINT, "http://model", text)


def resolve_one() -> bool:
    return resolve_alert(AlertRule.ENDPOINT, "http://model", "It answers.")


@pytest.mark.django_db
def test_each_operator_is_told_and_the_webhook() -> None:
    assert open_one()
    mails = Delivery.objects.filter(channel="email").order_by("address")
    assert [mail.address for mail in mails] == ["ann@example.org", "bob@example.org"]
    assert mails[0].subject == "[Longhaul] The model endpoint does not answer (http://model)"
    assert mails[0].body.startswith("It answers 503.\n\nOpened: 20")
    posted = json.loads(Delivery.objects.get(channel="webhook").body)
    assert (posted["type"], posted["rule"], posted["subject"]) == ("alert.opened", "endpoint", "http://model")
    assert (posted["text"], posted["resolved_at"]) == ("It answers 503.", None)


@pytest.mark.django_db
def test_what_is_open_is_not_opened_again() -> None:
    assert (open_one(), open_one(), open_alert(AlertRule.ENDPOINT, "http://other", "down")) == (True, False, True)
    assert (Alert.objects.count(), Delivery.objects.count()) == (2, 6)


@pytest.mark.django_db
def test_it_is_resolved_once_and_says_so() -> None:
    assert not resolve_one()
    open_one()
    assert (resolve_one(), resolve_one()) == (True, False)
    mail = Delivery.objects.filter(channel="email").latest("pk")
    assert mail.subject == "[Longhaul] Resolved: The model endpoint does not answer (http://model)"
    assert "It answers.\n\nIt was: It answers 503.\n\nOpened: " in mail.body
    posted = json.loads(Delivery.objects.filter(channel="webhook").latest("pk").body)
    assert posted["type"] == "alert.resolved"
    assert posted["resolved_at"] >= posted["opened_at"]


@pytest.mark.django_db
def test_after_it_was_resolved_the_next_incident_is_another_alert() -> None:
    assert (open_one(), resolve_one(), open_one()) == (True, True, True)
    assert Alert.objects.open().count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_log_says_so_when_it_is_committed(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tasks_app.monitoring.alerts"):
        open_one()
        resolve_one()
        with transaction.atomic():
            open_one("never told")
            transaction.set_rollback(True)
    said = [record.getMessage().partition(": ")[2] for record in caplog.records]
    what = "The model endpoint does not answer (http://model)"
    assert said == [f"{what}: It answers 503.", f"{what}: It answers."]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert (Alert.objects.count(), Delivery.objects.count()) == (1, 6)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_the_same_moment_one_opens_and_one_resolves() -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: closing(open_one), range(16)))
        resolved = list(pool.map(lambda _: closing(resolve_one), range(16)))
    assert (sum(opened), sum(resolved)) == (1, 1)
    assert (Alert.objects.count(), Delivery.objects.count()) == (1, 6)


@pytest.mark.django_db
def test_the_row_itself_forbids_a_second_open_one() -> None:
    open_one()
    with pytest.raises(IntegrityError), transaction.atomic():
        Alert.objects.create(rule=AlertRule.ENDPOINT, subject="http://model", text="again")


@pytest.mark.django_db
def test_hostile_text_is_one_line_that_fits() -> None:
    open_alert(AlertRule.SCHEDULE, "name\r\nBcc: eve@example.org\x00" * 50, "<script>\x00\n" * 500)
    mail = Delivery.objects.filter(channel="email").first()
    assert mail is not None
    assert not set("\r\n\x00") & set(mail.subject)
    assert len(mail.subject) <= 300
    assert len(Alert.objects.get().text) == 500
    assert resolve_alert(AlertRule.SCHEDULE, "name\r\nBcc: eve@example.org\x00" * 50, "fine")


@pytest.mark.django_db
def test_nobody_to_tell_is_no_hindrance(settings: Any) -> None:
    settings.LONGHAUL_OPERATOR_EMAILS = []
    settings.LONGHAUL_ALERT_WEBHOOK_URL = ""
    assert open_one()
    assert not Delivery.objects.exists()
