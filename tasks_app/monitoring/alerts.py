"""Alerts: opened once, resolved once, told of once each, however many schedulers judge at the same moment."""

import logging
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from tasks_app.models import Alert, AlertRule
from tasks_app.text import one_line, shorten

from .outbox import mail_operators, post_operators

SUBJECT_CHARACTERS, TEXT_CHARACTERS = 200, 500

logger = logging.getLogger(__name__)


def open_alert(rule: AlertRule, subject: str, text: str) -> bool:
    """Open the alert of this rule about `subject` (a queue, an address, a schedule), unless it is open already.

    `text`: what is wrong, in a sentence. Operators are told. Returns whether it was opened now.
    """
    subject = subject_of(subject)
    if Alert.objects.open().filter(rule=rule, subject=subject).exists():
        return False
    try:
        with transaction.atomic():
            alert = Alert.objects.create(rule=rule, subject=subject, text=_fit(text, TEXT_CHARACTERS))
            _tell(alert, "opened", alert.text)
    except IntegrityError:
        # Another scheduler was a moment earlier.
        return False
    return True


def resolve_alert(rule: AlertRule, subject: str, text: str) -> bool:
    """Resolve it, where it is open. `text`: what is so now, in a sentence. Returns whether it was resolved now."""
    subject = subject_of(subject)
    with transaction.atomic():
        alert = Alert.objects.open().filter(rule=rule, subject=subject).first()
        if alert is None or not Alert.objects.open().filter(pk=alert.pk).update(resolved_at=Now()):
            return False
        alert.refresh_from_db()
        _tell(alert, "resolved", _fit(text, TEXT_CHARACTERS))
    return True


def subject_of(name: str) -> str:
    """A name as an alert holds it."""
    return _fit(name, SUBJECT_CHARACTERS)


def _fit(text: str, limit: int) -> str:
    return shorten(one_line(text), limit)


def _tell(alert: Alert, verb: str, text: str) -> None:
    """`verb`: opened, resolved."""
    what = f"{alert.get_rule_display()} ({alert.subject})"
    lines = [text, "", f"Opened: {alert.opened_at:%Y-%m-%d %H:%M:%S} UTC"]
    if alert.resolved_at:
        lines = [
            text,
            "",
            f"It was: {alert.text}",
            "",
            *lines[2:],
            f"Resolved: {alert.resolved_at:%Y-%m-%d %H:%M:%S} UTC",
        ]
    mail_operators(f"[Longhaul] {'Resolved: ' if alert.resolved_at else ''}{what}", "\n".join(lines) + "\n")
    post_operators(
        {
            "type": f"alert.{verb}",
            "alert": alert.pk,
            "rule": alert.rule,
            "subject": alert.subject,
            "text": text,
            "opened_at": alert.opened_at.isoformat(),
            "resolved_at": alert.resolved_at.isoformat() if alert.resolved_at else None,
        }
    )
    level = logging.INFO if alert.resolved_at else logging.WARNING
    transaction.on_commit(partial(logger.log, level, "alert %d %s: %s: %s", alert.pk, verb, what, text))
