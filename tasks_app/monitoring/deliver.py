"""Sending what the outbox holds. At least once: who dies between the sending and the note of it, sends it again later.

A webhook carries its number, so that its receiver can tell.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.models import Delivery
from tasks_app.models.queue import DeliveryQuerySet
from tasks_app.text import one_line, shorten

from .webhook import post

# Longer than one sending takes: until then nobody else sends it.
CLAIM = timedelta(minutes=3)
AT_ONCE = 20
# The wait after try n is min(first x 2^n, longest): all tries together take about three hours.
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=5), timedelta(minutes=15)
MOST_TRIES = 20
ERROR_CHARACTERS = 500

logger = logging.getLogger(__name__)


def send_due(channel: str) -> int:
    """Send what is due of a channel, one after the other; returns how many were tried. What fails is tried later."""
    due = Delivery.objects.due().filter(channel=channel).order_by("due_at")[:AT_ONCE]
    return sum(_send_one(delivery) for delivery in due)


def _send_one(delivery: Delivery) -> bool:
    if not _claim(delivery):
        return False
    try:
        SENDERS[delivery.channel](delivery)
    except Exception as error:
        _failed(delivery, error)
    else:
        _mine(delivery).update(done_at=Now(), error="")
    return True


def _claim(delivery: Delivery) -> bool:
    """Of several who see it due, one moves it on."""
    seen = Delivery.objects.due().filter(pk=delivery.pk, tries=delivery.tries)
    delivery.tries += 1
    return bool(seen.update(due_at=Now() + CLAIM, tries=F("tries") + 1))


def _mine(delivery: Delivery) -> DeliveryQuerySet:
    # It was slow, and another took it meanwhile: then it is not ours to speak of.
    return Delivery.objects.filter(pk=delivery.pk, tries=delivery.tries, done_at=None)


def _failed(delivery: Delivery, error: Exception) -> None:
    # Not its traceback: the values in it may be secret.
    reason = shorten(one_line(f"{type(error).__name__}: {error}"), ERROR_CHARACTERS)
    gives_up = delivery.tries >= MOST_TRIES
    wait = min(FIRST_WAIT * 2 ** (delivery.tries - 1), LONGEST_WAIT)
    _mine(delivery).update(error=reason, due_at=Now() + wait, done_at=Now() if gives_up else None)
    logger.warning(
        "delivery %d by %s failed, try %d of %d%s: %s",
        *(delivery.pk, delivery.channel, delivery.tries, MOST_TRIES),
        *(", given up" if gives_up else "", reason),
    )


def _mail(delivery: Delivery) -> None:
    EmailMessage(delivery.subject, delivery.body, to=[delivery.address]).send()


def _post(delivery: Delivery) -> None:
    post(
        delivery.address,
        delivery.body.encode(),
        delivery=delivery.pk,
        secret=settings.LONGHAUL_ALERT_WEBHOOK_SECRET,
    )


SENDERS: dict[str, Callable[[Delivery], None]] = {Delivery.Channel.EMAIL: _mail, Delivery.Channel.WEBHOOK: _post}
