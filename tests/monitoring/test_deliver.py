"""What the outbox holds is sent, tried again, and given up."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from project.mail import mailers
from tasks_app.lifecycle.clock import database_now
from tasks_app.models import AlertRule, Delivery
from tasks_app.monitoring import deliver
from tasks_app.monitoring.alerts import open_alert
from tasks_app.monitoring.deliver import send_due
from tasks_app.monitoring.outbox import mail_operators
from tasks_app.monitoring.postman import Postman
from tests.support.mailserver import MailServer
from tests.support.programs import wait_until
from tests.support.receiver import Receiver

from .rows import closing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    with Receiver() as started:
        settings.LONGHAUL_ALERT_WEBHOOK_URL = started.url
        settings.LONGHAUL_ALERT_WEBHOOK_SECRET = "hush"
        yield started


@pytest.fixture
def mail(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    """The server that EMAIL_URL names, over real SMTP."""
    settings.LONGHAUL_OPERATOR_EMAILS = ["ann@example.org", "bob@example.org"]
    with MailServer() as started:
        monkeypatch.setenv("EMAIL_URL", started.url)
        settings.MAILERS = mailers("EMAIL_URL")
        yield started


def make_due_again() -> None:
    Delivery.objects.update(due_at=Now() - timedelta(seconds=1))


def seconds_until_due(delivery: Delivery) -> float:
    due_at: datetime = Delivery.objects.values_list("due_at", flat=True).get(pk=delivery.pk)
    return (due_at - database_now()).total_seconds()


def test_an_alert_reaches_every_operator_by_mail(mail: MailServer) -> None:
    open_alert(AlertRule.ENDPOINT, "http://model", "It answers 503: “überlastet”.")
    assert send_due("email") == 2
    assert sorted(str(message["to"]) for message in mail.kept.messages) == ["ann@example.org", "bob@example.org"]
    message = mail.kept.messages[0]
    assert message["subject"] == "[Longhaul] The model endpoint does not answer (http://model)"
    assert "It answers 503: “überlastet”." in message.get_content()
    assert send_due("email") == 0


def test_a_webhook_is_sent_with_its_number_and_noted_as_sent(receiver: Receiver) -> None:
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    assert send_due("webhook") == 1
    sent = Delivery.objects.get()
    assert receiver.received[0].headers["x-longhaul-delivery"] == str(sent.pk)
    assert receiver.received[0].headers["x-longhaul-signature"].startswith("t=")
    assert (sent.done_at is not None, sent.tries, sent.error) == (True, 1, "")


def test_what_failed_is_tried_later_with_the_same_number(receiver: Receiver, caplog: Any) -> None:
    receiver.answers = [503, 503]
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    assert send_due("webhook") == 1
    first = Delivery.objects.get()
    assert (first.done_at, first.tries, first.error) == (None, 1, "NotTaken: It answered 503, expected 2xx.")
    assert seconds_until_due(first) <= 5
    first_due = first.due_at
    make_due_again()
    send_due("webhook")
    assert seconds_until_due(first) <= 10
    first.refresh_from_db()
    assert first.due_at > first_due + timedelta(seconds=4)
    make_due_again()
    send_due("webhook")
    first.refresh_from_db()
    assert (first.done_at is not None, first.tries, first.error) == (True, 3, "")
    assert len({got.headers["x-longhaul-delivery"] for got in receiver.received}) == 1
    assert "by webhook failed, try 1 of 20: NotTaken: It answered 503" in caplog.text


def test_it_is_given_up_after_its_last_try_and_the_reason_stays(receiver: Receiver, caplog: Any) -> None:
    receiver.answers = [500]
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    Delivery.objects.update(tries=deliver.MOST_TRIES - 1)
    assert send_due("webhook") == 1
    given_up = Delivery.objects.get()
    assert (given_up.done_at is not None, given_up.error) == (True, "NotTaken: It answered 500, expected 2xx.")
    assert "given up" in caplog.text
    make_due_again()
    assert send_due("webhook") == 0


def test_a_wait_is_never_longer_than_a_quarter_of_an_hour(receiver: Receiver) -> None:
    receiver.answers = [500]
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    Delivery.objects.update(tries=deliver.MOST_TRIES - 2)
    send_due("webhook")
    assert 840 < seconds_until_due(Delivery.objects.get()) <= 900


def test_of_many_who_send_at_once_one_sends_each(receiver: Receiver) -> None:
    for number in range(6):
        open_alert(AlertRule.ENDPOINT, f"http://model{number}", "down")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: closing(lambda: send_due("webhook")), range(8)))
    numbers = [got.headers["x-longhaul-delivery"] for got in receiver.received]
    assert (len(numbers), len(set(numbers))) == (6, 6)


def test_who_was_killed_while_sending_is_followed_by_another(receiver: Receiver) -> None:
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    delivery = Delivery.objects.get()
    assert deliver._claim(delivery)
    assert send_due("webhook") == 0
    assert 100 < seconds_until_due(delivery) <= 180
    make_due_again()
    assert send_due("webhook") == 1


def test_who_was_slower_than_its_claim_does_not_speak_for_another(receiver: Receiver) -> None:
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    slow = Delivery.objects.get()
    assert deliver._claim(slow)
    make_due_again()
    assert send_due("webhook") == 1
    deliver._failed(slow, OSError("late"))
    delivery = Delivery.objects.get()
    assert (delivery.done_at is not None, delivery.error) == (True, "")


def test_an_address_that_fails_holds_up_no_other(mail: MailServer, settings: Any) -> None:
    settings.LONGHAUL_OPERATOR_EMAILS = ["bad address\n@example.org", "bob@example.org"]
    mail_operators("Report", "All is well.")
    assert send_due("email") == 2
    assert [str(message["to"]) for message in mail.kept.messages] == ["bob@example.org"]
    assert Delivery.objects.filter(done_at=None, tries=1).exclude(error="").count() == 1


def test_no_secret_and_no_address_of_a_webhook_is_logged(receiver: Receiver, settings: Any, caplog: Any) -> None:
    settings.LONGHAUL_ALERT_WEBHOOK_SECRET = "s3cret-of-the-hook"
    settings.LONGHAUL_ALERT_WEBHOOK_URL = receiver.url.replace("/hook", "/token-in-the-path")
    receiver.answers = [500, lambda handler: handler.wfile.write(b"nonsense")]
    open_alert(AlertRule.ENDPOINT, "http://model", "down")
    for _ in range(2):
        send_due("webhook")
        make_due_again()
    assert len(receiver.received) == 2
    kept = " ".join([caplog.text, *Delivery.objects.values_list("error", flat=True), str(Delivery.objects.get())])
    assert not [secret for secret in ("s3cret", "token-in-the-path") if secret in kept]


class TestThePostman:
    def test_sends_beside_the_tick(self, mail: MailServer, receiver: Receiver) -> None:
        open_alert(AlertRule.ENDPOINT, "http://model", "down")
        assert Postman().wake() == 2
        wait_until(lambda: not Delivery.objects.filter(done_at=None).exists(), 20, what="all is sent")
        assert (len(mail.kept.messages), len(receiver.received)) == (2, 1)

    def test_has_nothing_to_do_where_nothing_is_due(self) -> None:
        assert Postman().wake() == 0

    def test_a_mail_server_that_hangs_holds_up_neither_the_tick_nor_the_webhooks(
        self, mail: MailServer, receiver: Receiver
    ) -> None:
        mail.kept.hold.set()
        postman = Postman()
        open_alert(AlertRule.ENDPOINT, "http://model", "down")
        began = time.monotonic()
        postman.wake()
        assert time.monotonic() - began < 5
        wait_until(lambda: receiver.received, 20, what="the webhook is sent")
        open_alert(AlertRule.ENDPOINT, "http://other", "down")
        wait_until(lambda: postman.wake() and len(receiver.received) == 2, 20, what="the next webhook is sent")
        # Nobody else was started for the mail that hangs.
        assert [one.name for one in threading.enumerate()].count("sends email") == 1
        mail.kept.hold.clear()
        wait_until(lambda: postman.wake() == 0 and len(mail.kept.messages) == 4, 20, what="the mail is sent")
