"""What a task that does not stop when it should looks like meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from tests.web.reading import visible
from tests.web.shelf import document_task

LIMIT = "Over its time limit of 300 s: this attempt is being stopped."
DEADLINE = "Past its deadline: it is being stopped."
STOP = "It has not reacted yet. At its time limit of 300 s it is ended in any case."


def ago(seconds: float) -> Any:
    return Now() - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"claimed_at": ago(200)}, None),
        ({"claimed_at": ago(320)}, LIMIT),
        ({"claimed_at": ago(320), "deadline_at": ago(10)}, DEADLINE),
        ({"claimed_at": ago(200), "deadline_at": ago(10)}, DEADLINE),
        ({"claimed_at": ago(200), "cancel_requested_at": ago(0)}, None),
        ({"claimed_at": ago(200), "cancel_requested_at": ago(30)}, STOP),
        ({"claimed_at": ago(320), "cancel_requested_at": ago(30)}, LIMIT),
        ({"claimed_at": ago(320), "status": "pending"}, None),
        ({"claimed_at": ago(320), "status": "cancelled"}, None),
    ],
    ids=str,
)
def test_the_page_says_so_and_only_then(client: Client, user: Any, fields: dict[str, Any], said: str | None) -> None:
    seen = visible(client.get(f"/tasks/{document_task(user, **{'status': 'running'} | fields).pk}/").text)
    assert [text for text in (LIMIT, DEADLINE, STOP) if text in seen] == ([said] if said else [])
