"""Firing: each due time of a schedule makes a task, or a row that says why not. Never two, never none.

The schedule's row is locked, its firings, their tasks and the next due time are written in one transaction. Whoever
comes second finds the row held, or nothing due any more; what is recorded already (the clock was set back) is passed
over; and the unique constraint of the firing stands behind it all.
"""

import logging
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import connection, transaction

from tasks_app.exceptions import LonghaulError
from tasks_app.kinds.scheduled import scheduled_order
from tasks_app.lifecycle.clock import database_now
from tasks_app.lifecycle.connection import AWAY
from tasks_app.lifecycle.submit import submit
from tasks_app.models import Firing, FiringOutcome, Schedule, Task
from tasks_app.text import one_line, shorten

from .calendar import BadTiming, Timing
from .overlap import OlderIsHeld, give_way
from .standing import following, missed, record, recorded, stand
from .turn import turn

type Clock = Callable[[], datetime]

# Bound one part of a tick.
SCHEDULES_AT_ONCE = 1000
FIRE_SECONDS = 2.0
REASON_CHARACTERS = 500
AT_ONCE = timedelta(0)

logger = logging.getLogger(__name__)


def fire_due(clock: Clock = database_now) -> int:
    """Record every due time that has come, for two seconds at most, longest due first; returns how many."""
    until = time.monotonic() + FIRE_SECONDS
    recorded = 0
    for pk in Schedule.objects.due(clock()).values_list("pk", flat=True)[:SCHEDULES_AT_ONCE]:
        if time.monotonic() > until:
            break
        recorded += _fire_safely(pk, clock)
    return recorded


def fire_now(pk: int, *, by: str, clock: Clock = database_now) -> Firing:
    """A firing by hand, whatever is due and even while it is paused; its overlap policy holds. Raises OlderIsHeld."""
    with transaction.atomic():
        schedule = Schedule.objects.select_for_update(of=("self",)).get(pk=pk)
        now = clock()
        firing = _fired(schedule, now, run_after=None)
        firing.reason = shorten(f"By hand, {by}. {firing.reason}".strip(), REASON_CHARACTERS)
        record([firing], now)
    return firing


def _fire_safely(pk: int, clock: Clock) -> int:
    try:
        return _fire(pk, clock)
    except Exception as error:
        logger.exception("could not fire schedule %s", pk)
        # One schedule's row that cannot be had is no reason to leave the others; a database that is away is.
        if isinstance(error, AWAY) and not connection.is_usable():
            raise
        return 0


def _fire(pk: int, clock: Clock) -> int:
    with transaction.atomic():
        now = clock()
        schedule = Schedule.objects.due(now).filter(pk=pk).select_for_update(skip_locked=True, of=("self",)).first()
        if schedule is None:
            return 0
        try:
            return _record(schedule, now)
        except BadTiming as error:
            logger.error("schedule %r stops: %s", schedule.name, error)
            stand(schedule, None, because=str(error))
            return 0


def _record(schedule: Schedule, now: datetime) -> int:
    """All that is due of a locked schedule, and what it is due next; returns how many. Raises BadTiming."""
    if schedule.next_due_at is None:
        stand(schedule, following(schedule, now))
        return 0
    todo = turn(Timing.of(schedule), since=schedule.next_due_at, now=now, catch_up=schedule.catch_up)
    known = recorded(schedule, since=schedule.next_due_at)
    late = [missed(schedule, due, reason=_how_late(due, now)) for due in todo.missed if due not in known]
    record(late, now)
    fired, held = _fire_all(schedule, [due for due in todo.to_fire if due not in known], now)
    stand(schedule, held or todo.following)
    return len(late) + fired


def _fire_all(schedule: Schedule, due_times: list[datetime], now: datetime) -> tuple[int, datetime | None]:
    """How many were recorded, and the one that has to wait for the row of an older task."""
    for number, due in enumerate(due_times):
        try:
            firing = _fired(schedule, due, run_after=_later(now, schedule.jitter))
        except OlderIsHeld:
            return number, due
        record([firing], now)
    return len(due_times), None


def _how_late(due: datetime, now: datetime) -> str:
    late = timedelta(seconds=int((now - due).total_seconds()))
    return f"Found {late} late, which its catch-up window does not allow."


def _fired(schedule: Schedule, due: datetime, *, run_after: datetime | None) -> Firing:
    """The firing, not saved yet, and its task. Raises OlderIsHeld, and what says that the database is away."""
    firing = Firing(schedule=schedule, due_at=due, outcome=FiringOutcome.FAILED)
    try:
        # Apart, so that an older task is not cancelled for one that cannot be made.
        with transaction.atomic():
            firing.reason = give_way(schedule)
            firing.task = None if firing.reason else _task(schedule, run_after)
        firing.outcome = FiringOutcome.FIRED if firing.task else FiringOutcome.SKIPPED
    except (OlderIsHeld, *AWAY):
        raise
    except Exception as error:
        foreseen = isinstance(error, LonghaulError)
        said = str(error) if foreseen else f"{type(error).__name__}: {error}"
        logger.warning("schedule %r cannot make its task: %s", schedule.name, said, exc_info=not foreseen)
        firing.reason = shorten(one_line(said), REASON_CHARACTERS)
    return firing


def _task(schedule: Schedule, run_after: datetime | None) -> Task:
    order = scheduled_order(
        schedule.kind,
        owner_id=schedule.owner_id,
        fields=schedule.input,
        run_after=run_after,
    )
    return submit(order).task


def _later(now: datetime, jitter: timedelta) -> datetime | None:
    return now + random.uniform(0, 1) * jitter if jitter > AT_ONCE else None  # noqa: S311
