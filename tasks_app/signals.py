"""What lifecycle tells the others, always after commit. A receiver that fails is logged and changes nothing.

| signal | sent when | arguments |
|---|---|---|
| task_changed | a visible change of a task or of one of its steps | task_id, owner_id, version |
| tasks_admitted | rows of a queue became queued | queue, rows (how many) |
| slot_freed | a task left queued or running | owner_id |
| attempt_ended | an attempt ended | task_id, number, outcome, status |
"""

import logging
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal

task_changed = Signal()
tasks_admitted = Signal()
slot_freed = Signal()
attempt_ended = Signal()

logger = logging.getLogger(__name__)


def emit(signal: Signal, **arguments: Any) -> None:
    """Send after the transaction in hand has committed."""
    transaction.on_commit(partial(_send, signal, arguments), robust=True)


def _send(signal: Signal, arguments: dict[str, Any]) -> None:
    for receiver, result in signal.send_robust(sender=None, **arguments):
        if isinstance(result, Exception):
            logger.error("receiver %r failed for %s", receiver, arguments, exc_info=result)
