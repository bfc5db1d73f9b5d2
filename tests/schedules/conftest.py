from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tasks_app.models import Firing, Schedule
from tasks_app.schedules.firing import fire_due
from tests.support import kinds as _kinds  # Kinds that need no document.

type MakeSchedule = Callable[..., Schedule]

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


class Time:
    """A clock that a test sets."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def tick(self, until: datetime, *, every: float = 5) -> None:
        """As a scheduler does: fire, wait, fire."""
        while self.now < until:
            self.now = min(self.now + seconds(every), until)
            fire_due(self)


@pytest.fixture
def time() -> Time:
    return Time(NOON)


@pytest.fixture
def make_schedule(db: None, time: Time) -> MakeSchedule:
    """Each minute, and its first due time one minute after the test's beginning, unless told otherwise."""
    # Those that ship.
    Schedule.objects.all().delete()

    def make(**values: Any) -> Schedule:
        defaults = {"name": f"schedule {Schedule.objects.count()}", "kind": "test.quick", "input": {"journal": "j"}}
        if "cron" not in values and "interval" not in values:
            values["interval"] = seconds(60)
        schedule = Schedule.objects.create(**(defaults | values))
        fire_due(time)
        schedule.refresh_from_db()
        return schedule

    return make


def told(schedule: Schedule) -> list[tuple[float, str]]:
    """Its firings in order: seconds since noon, and what came of it."""
    rows = Firing.objects.filter(schedule=schedule).order_by("due_at")
    return [((row.due_at - NOON).total_seconds(), row.outcome) for row in rows]


__all__ = ["NOON", "MakeSchedule", "Time", "_kinds", "seconds", "told"]
