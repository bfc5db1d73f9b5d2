"""Rescue: take back the task of a worker that died.

Only for a caller that itself was in unbroken contact with the database for as long as a worker may be silent: one that
just woke up would take every worker for dead.
"""

import logging
import time

from django.db import transaction

from tasks_app.exceptions import NotOwner
from tasks_app.models import Outcome, Task

from .ending import Ending
from .ends import end

# Bound one part of a tick, in rows and in time: on a busy SQLite each row may wait for its lock.
AT_ONCE = 100
LOOK_SECONDS = 5.0
logger = logging.getLogger(__name__)

TEXT = "Its worker stopped answering."


def rescue() -> int:
    """End the attempts of dead workers as lost; returns how many."""
    until = time.monotonic() + LOOK_SECONDS
    orphans = list(Task.objects.orphaned().order_by("claimed_at")[:AT_ONCE])
    return sum(_rescue_safely(task) for task in orphans if time.monotonic() < until)


def _rescue_safely(task: Task) -> int:
    try:
        return _rescue_one(task)
    except Exception:
        # One row that cannot be ended must not keep the others from it.
        logger.exception("task %s could not be rescued", task.ref)
        return 0


def _rescue_one(task: Task) -> int:
    with transaction.atomic():
        held = Task.objects.held_by(task.ref)
        # A row that a frozen writer holds is taken at a later tick. Looked at again under the lock: its worker may
        # have come back meanwhile.
        locked = held.select_for_update(skip_locked=True).first()
        if locked is None or not held.orphaned().exists():
            return 0
        try:
            end(task.ref, Ending(outcome=Outcome.LOST, code="lost", text=TEXT))
        except NotOwner:
            return 0
    return 1
