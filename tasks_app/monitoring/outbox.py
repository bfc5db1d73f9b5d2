"""Messages to operators, written in the transaction of what they tell about. `deliver` sends them after it."""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from tasks_app.models import Delivery
from tasks_app.text import clean, one_line, shorten

SUBJECT_CHARACTERS = 300


def mail_operators(subject: str, body: str) -> int:
    """Plain text, a message for each of LONGHAUL_OPERATOR_EMAILS, so that one address that fails holds up no other.

    Returns how many.
    """
    rows = [
        Delivery(
            channel=Delivery.Channel.EMAIL,
            address=address,
            # A line break would begin another header.
            subject=shorten(one_line(subject), SUBJECT_CHARACTERS),
            body=clean(body),
        )
        for address in settings.LONGHAUL_OPERATOR_EMAILS
    ]
    return len(Delivery.objects.bulk_create(rows))


def post_operators(payload: Mapping[str, Any]) -> int:
    """JSON to LONGHAUL_ALERT_WEBHOOK_URL; returns how many: 1, or 0 where there is none."""
    if not settings.LONGHAUL_ALERT_WEBHOOK_URL:
        return 0
    Delivery.objects.create(
        channel=Delivery.Channel.WEBHOOK,
        address=settings.LONGHAUL_ALERT_WEBHOOK_URL,
        subject=str(payload.get("type", "")),
        body=clean(json.dumps(payload)),
    )
    return 1
