"""Schedulers die and Redis is away: each due time is fired exactly once, or recorded as missed by its policy."""

import time
from collections import Counter
from datetime import datetime, timedelta
from statistics import median

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Firing, FiringOutcome, Overlap, Schedule, Task
from tasks_app.schedules import changes
from tasks_app.schedules.calendar import Timing, due_times
from tests.support.programs import Program

from .ground import FINAL, Ground
from .registry import Figures, Size, drill, expect

SCHEDULERS = 3
KILLS_AT_LEAST = 2
FAST = 10
# What a scheduler says when it has begun.
TICKS = " ticks every "


@drill("three schedulers, killed, without Redis for a while")
def schedules(size: Size) -> Figures:
    with Ground(size) as ground:
        schedulers = [ground.house.scheduler() for _ in range(SCHEDULERS)]
        ground.house.ready_worker("gpu")
        for scheduler in schedulers:
            _wait_for(ground, scheduler)
        rows = _make(ground)
        began = database_now()
        kills = _strike(ground, schedulers, until=time.monotonic() + size.of(full=180.0, short=10.0))
        end = database_now()
        ground.wait_until(lambda: _all_beyond(end), 60, what="every due time until the end is recorded")
        for row in rows:
            changes.pause(row.pk)
        ground.wait_until(_all_done, 120, what="every task that was made has ended")
        return [("schedulers killed", kills, ""), *_judged(ground, rows, began=began, end=end)]


def _make(ground: Ground) -> list[Schedule]:
    """One that is due each minute; ten that are often due, of which every other one makes up for what was missed."""
    often = timedelta(seconds=ground.size.of(full=5, short=1))
    seldom = {"cron": "* * * * *"} if ground.size is Size.FULL else {"interval": timedelta(seconds=3)}
    patient = {"catch_up": timedelta(hours=1)}
    made = [_schedule(ground, "seldom", **seldom)]
    for number in range(FAST):
        made.append(_schedule(ground, f"often {number}", interval=often, **(patient if number % 2 else {})))
    return made


def _schedule(ground: Ground, name: str, **values: object) -> Schedule:
    said = {"journal": str(ground.journal), "line": name}
    schedule = Schedule(name=name, kind="test.quick", input=said, overlap=Overlap.QUEUE, **values)
    changes.save(schedule)
    return schedule


def _wait_for(ground: Ground, scheduler: Program) -> None:
    ground.wait_until(lambda: TICKS in scheduler.said, 90, what="a scheduler ticks")


def _strike(ground: Ground, schedulers: list[Program], *, until: float) -> int:
    """Kill one after the other, another takes its place; in between Redis is away. Returns how many were killed."""
    pause = ground.size.of(full=8.0, short=0.5)
    kills = 0
    while time.monotonic() < until or kills < KILLS_AT_LEAST:
        time.sleep(pause)
        schedulers.pop(0).kill()
        kills += 1
        schedulers.append(ground.house.scheduler())
        if kills == 1:
            _without_redis(ground, ground.size.of(full=20.0, short=3.0))
        _wait_for(ground, schedulers[-1])
    return kills


def _without_redis(ground: Ground, seconds: float) -> None:
    """Every scheduler ticks. It comes back empty."""
    ground.house.redis.kill()
    time.sleep(seconds)
    ground.house.start_redis()


def _all_beyond(end: datetime) -> bool:
    return not Schedule.objects.due(end).exists()


def _all_done() -> bool:
    return not Task.objects.exclude(status__in=FINAL).exists()


def _judged(ground: Ground, rows: list[Schedule], *, began: datetime, end: datetime) -> Figures:
    """Raises DrillFailed."""
    for row in rows:
        _expect_each_once(row, end)
        _expect_by_policy(row, end)
        fired = Firing.objects.filter(schedule=row, outcome=FiringOutcome.FIRED).count()
        made = Counter(ground.lines)[row.name]
        expect(made == fired, f"{row.name}: {fired} due times were fired and {made} tasks performed")
    outcomes = Counter(Firing.objects.values_list("outcome", flat=True))
    expect(Task.objects.count() == outcomes["fired"], f"{Task.objects.count()} tasks of {outcomes['fired']} firings")
    late = sorted((one.fired_at - one.due_at).total_seconds() for one in Firing.objects.filter(outcome="fired"))
    return [
        ("for", (end - began).total_seconds(), "s"),
        ("due times", sum(outcomes.values()), ""),
        ("fired", outcomes["fired"], ""),
        ("missed by policy", outcomes["missed"], ""),
        ("late by median", median(late), "s"),
        ("at most", late[-1], "s"),
    ]


def _expect_each_once(row: Schedule, end: datetime) -> None:
    """`row`: as it was made, so that it knows when it was due first."""
    found = list(
        Firing.objects.filter(schedule=row, due_at__lte=end).order_by("due_at").values_list("due_at", flat=True)
    )
    first = row.next_due_at
    expect(first is not None and first <= end, f"{row.name} was never due")
    expected = [first] if first else []
    for due in due_times(Timing.of(row), expected[0]):
        if due > end:
            break
        expected.append(due)
    expect(found == expected, f"{row.name}: recorded {found}, expected {expected}")


def _expect_by_policy(row: Schedule, end: datetime) -> None:
    """Those that make up for what they missed miss nothing, others only what the next due time has overtaken."""
    others = Firing.objects.filter(schedule=row, due_at__lte=end).exclude(outcome=FiringOutcome.FIRED)
    if row.catch_up or row.cron:
        expect(not others, f"{row.name} left out {[(str(one), one.outcome, one.reason) for one in others]}")
    for one in others:
        overtaken = row.interval is not None and one.fired_at - one.due_at >= row.interval
        expect(one.outcome == FiringOutcome.MISSED and overtaken, f"{row.name}: {one} {one.outcome} {one.reason}")
