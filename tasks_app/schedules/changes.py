"""The verbs of a schedule. What lies before a change of its times is never fired by it, and never lost either."""

from collections.abc import Collection
from datetime import datetime
from itertools import islice, takewhile

from django.db import transaction

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Schedule

from .calendar import BadTiming, Timing, due_times
from .firing import Clock
from .standing import following, missed, record, recorded, why_over
from .turn import MOMENT

# Rows of one change; far more than a scheduler that works leaves undone.
MOST_MISSED = 10_000


def save(schedule: Schedule, *, clock: Clock = database_now) -> None:
    """Write a new schedule, or an edited one. Raises BadTiming, Schedule.DoesNotExist where it was deleted meanwhile.

    Where its times have changed they count from now on; else a due time that a tick writes meanwhile stands.
    """
    with transaction.atomic():
        old = None if schedule.pk is None else Schedule.objects.select_for_update(of=("self",)).get(pk=schedule.pk)
        if old is not None and (Timing.of(old), old.paused) == (Timing.of(schedule), schedule.paused):
            schedule.next_due_at, schedule.stopped_because = old.next_due_at, old.stopped_because
        else:
            now = clock()
            if old is not None:
                _settle(old, now)
            _begin(schedule, now)
        schedule.save()


def pause(pk: int, *, clock: Clock = database_now) -> bool:
    """Nothing is due any more; False: it was paused before."""
    return _set_paused(pk, True, clock)


def resume(pk: int, *, clock: Clock = database_now) -> bool:
    """Due times count from now on; False: it was not paused. Raises BadTiming."""
    return _set_paused(pk, False, clock)


def delete(pks: Collection[int]) -> int:
    """With their firings; the tasks stay. Returns how many."""
    with transaction.atomic():
        # Before the firings are counted: a tick could add one meanwhile, which the deletion would not know.
        held = list(Schedule.objects.filter(pk__in=pks).order_by("pk").select_for_update(of=("self",)))
        Schedule.objects.filter(pk__in=pks).delete()
    return len(held)


def _set_paused(pk: int, paused: bool, clock: Clock) -> bool:
    with transaction.atomic():
        schedule = Schedule.objects.select_for_update(of=("self",)).get(pk=pk)
        if schedule.paused == paused:
            return False
        schedule.paused = paused
        save(schedule, clock=clock)
    return True


def _begin(schedule: Schedule, now: datetime) -> None:
    schedule.next_due_at = None if schedule.paused else following(schedule, now)
    over = not schedule.paused and schedule.next_due_at is None
    schedule.stopped_because = why_over(schedule) if over else ""


def _settle(old: Schedule, now: datetime) -> None:
    """Record what was due by the old times and had not been fired yet."""
    if old.paused or old.stopped_because or old.next_due_at is None or old.next_due_at > now:
        return
    try:
        times = takewhile(lambda due: due <= now, due_times(Timing.of(old), old.next_due_at - MOMENT))
    except BadTiming:
        return
    known = recorded(old, since=old.next_due_at)
    reason = "The schedule was changed or paused before this was fired."
    late = [missed(old, due, reason=reason) for due in islice(times, MOST_MISSED) if due not in known]
    if len(late) == MOST_MISSED:
        late[-1].reason += f" So were all after it until {now:%Y-%m-%d %H:%M:%S} UTC."
    record(late, now)
