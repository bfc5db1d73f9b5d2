"""What the others are told, always after commit. A receiver that fails is logged and changes nothing.

Receivers are called where the thing happens, on the road of every task: they note it and return.

| signal | sent when | arguments |
|---|---|---|
| task_changed | a visible change of a task or of one of its steps | task_id, owner_id, version |
| tasks_admitted | rows of a queue became queued | queue, rows (how many) |
| slot_freed | a task left queued or running | owner_id |
| task_submitted | a task was written | kind, queue |
| attempt_began | a worker claimed a task | kind, queue, waited_seconds (since it was due) |
| attempt_ended | an attempt ended | task_id, number, kind, outcome, status, code (of a failed task), seconds |
| waiting_ended | a task that no attempt had in hand became final | kind, status, code (of a failed task) |
| step_ended | a step's row was written | kind, status, seconds |
| call_closed | a request to the endpoint ended | kind, outcome, prompt_tokens, completion_tokens |
| call_reused | a request was not sent, as its answer was there | kind |
| schedule_fired | a due time's row was written | outcome, late_seconds (until then), schedule (its name), reason |
| socket_opened, socket_closed | a WebSocket did; at once, as no row changes | |
"""

import logging
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal

task_changed = Signal()
tasks_admitted = Signal()
slot_freed = Signal()
task_submitted = Signal()
attempt_began = Signal()
attempt_ended = Signal()
waiting_ended = Signal()
step_ended = Signal()
call_closed = Signal()
call_reused = Signal()
schedule_fired = Signal()
socket_opened = Signal()
socket_closed = Signal()

logger = logging.getLogger(__name__)


def emit(signal: Signal, **arguments: Any) -> None:
    """Send after the transaction in hand has committed."""
    transaction.on_commit(partial(send, signal, **arguments), robust=True)


def send(signal: Signal, **arguments: Any) -> None:
    """Send now; for what no transaction decides."""
    for receiver, result in signal.send_robust(sender=None, **arguments):
        if isinstance(result, Exception):
            logger.error("receiver %r failed for %s", receiver, arguments, exc_info=result)
