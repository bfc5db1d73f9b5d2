"""Due times that lie too far ahead are found anew: the clock was far ahead for a while, or a zone's rules changed."""

from datetime import datetime

from django.db.models import Q

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Schedule

from .calendar import BadTiming
from .firing import Clock
from .standing import following

# Bounds one part of a tick.
AT_ONCE = 1000


def recheck(clock: Clock = database_now) -> int:
    """Bring nearer what is due sooner than its row says and has not been recorded yet; returns how many."""
    now = clock()
    ahead = Q(stopped_because="", next_due_at__gt=now) | ~Q(stopped_because="") & Q(ends_at__gt=now)
    schedules = Schedule.objects.filter(ahead, paused=False).order_by("pk")[:AT_ONCE]
    return sum(_bring_nearer(schedule, now) for schedule in schedules)


def _bring_nearer(schedule: Schedule, now: datetime) -> int:
    try:
        due = following(schedule, now)
    except BadTiming:
        return 0
    if due is None or (schedule.next_due_at is not None and due >= schedule.next_due_at):
        return 0
    # The clock was set back a little: this one was fired before, and is not due again.
    if schedule.firings.filter(due_at=due).exists():
        return 0
    unchanged = Schedule.objects.filter(
        pk=schedule.pk,
        paused=False,
        next_due_at=schedule.next_due_at,
        stopped_because=schedule.stopped_because,
    )
    return unchanged.update(next_due_at=due, stopped_because="")
