"""What the rows say: what is recorded of a schedule, when it is due next, or why never again."""

from collections.abc import Sequence
from datetime import datetime

from tasks_app.models import Firing, FiringOutcome, Schedule
from tasks_app.signals import emit, schedule_fired

from .calendar import Timing, next_due

BATCH = 500


def following(schedule: Schedule, after: datetime) -> datetime | None:
    """Raises BadTiming."""
    return next_due(Timing.of(schedule), after)


def recorded(schedule: Schedule, *, since: datetime) -> set[datetime]:
    """The due times of which there is a row. They lie ahead of its next one where the clock was set back."""
    return set(schedule.firings.filter(due_at__gte=since).values_list("due_at", flat=True))


def record(firings: Sequence[Firing], now: datetime) -> None:
    """Write them, and tell of each after commit."""
    Firing.objects.bulk_create(firings, batch_size=BATCH)
    for firing in firings:
        emit(
            schedule_fired,
            outcome=firing.outcome,
            late_seconds=(now - firing.due_at).total_seconds(),
            schedule=firing.schedule.name,
            reason=firing.reason,
        )


def missed(schedule: Schedule, due: datetime, *, reason: str) -> Firing:
    return Firing(schedule=schedule, due_at=due, outcome=FiringOutcome.MISSED, reason=reason)


def stand(schedule: Schedule, due: datetime | None, *, because: str = "") -> None:
    """Write what it is due next, of a row that is locked. `because`: why never again, where that is no plain end."""
    schedule.next_due_at = due
    schedule.stopped_because = because or ("" if due else why_over(schedule))
    schedule.save(update_fields=["next_due_at", "stopped_because"])


def why_over(schedule: Schedule) -> str:
    if schedule.ends_at is not None:
        return f"It has no due time before its end, {schedule.ends_at:%Y-%m-%d %H:%M} UTC."
    return "It has no due time in the next 50 years."
