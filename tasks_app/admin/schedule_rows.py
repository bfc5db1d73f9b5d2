"""What a schedule's pages say of its due times, in its own time zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from zoneinfo import available_timezones

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Firing, Schedule
from tasks_app.schedules.calendar import BadTiming, Timing, due_times, zone_of

DUE_SHOWN = 5
FIRINGS_SHOWN = 20
NO_BREAK = "\N{NO-BREAK SPACE}"
MINUTE = timedelta(minutes=1)
UNITS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (MINUTE, "minute"), (timedelta(seconds=1), "second"))


@dataclass(frozen=True, slots=True)
class ShownFiring:
    firing: Firing
    due: str
    late: str


@cache
def zone_names() -> list[str]:
    return sorted(available_timezones())


def upcoming(schedule: Schedule) -> list[str]:
    """The next due times; none where it has none, or where its times cannot be read."""
    try:
        timing = Timing.of(schedule)
        return [in_zone(due, schedule) for due in islice(due_times(timing, database_now()), DUE_SHOWN)]
    except BadTiming:
        return []


def last_firings(schedule: Schedule) -> list[ShownFiring]:
    """Newest first."""
    rows = Firing.objects.filter(schedule_id=schedule.pk).select_related("task").order_by("-due_at")[:FIRINGS_SHOWN]
    return [ShownFiring(row, in_zone(row.due_at, schedule), _late(row)) for row in rows]


def in_zone(moment: datetime, schedule: Schedule) -> str:
    """ "Mon 30 Nov 2026 07:30 CET", seconds where there are some; it breaks only between day and time."""
    try:
        local = moment.astimezone(zone_of(schedule.time_zone))
    except BadTiming:
        local = moment.astimezone(UTC)
    day = f"{local:%a} {local.day} {local:%b %Y}"
    time = f"{local:%H:%M:%S %Z}" if local.second else f"{local:%H:%M %Z}"
    return " ".join(part.replace(" ", NO_BREAK) for part in (day, time))


def in_words(schedule: Schedule) -> str:
    """ "every 5 minutes", or the expression with its zone."""
    if schedule.interval is None:
        return f"{schedule.cron.replace(' ', NO_BREAK)} ({schedule.time_zone})"
    for length, unit in UNITS:
        count, rest = divmod(schedule.interval, length)
        if count and not rest:
            return f"every {unit}" if count == 1 else f"every {count} {unit}s"
    return f"every {schedule.interval}"


def next_words(schedule: Schedule) -> str:
    """When it is due next, or why it is not."""
    if schedule.paused:
        return "paused"
    if schedule.stopped_because:
        return "over"
    return in_zone(schedule.next_due_at, schedule) if schedule.next_due_at else "soon"


def _late(row: Firing) -> str:
    """How long after its due time."""
    late = row.fired_at - row.due_at
    return f"{late.total_seconds():.1f} s" if late < MINUTE else str(timedelta(seconds=int(late.total_seconds())))
