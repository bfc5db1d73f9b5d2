"""A clock that was far ahead for a while leaves no schedule asleep."""

from datetime import timedelta

from tasks_app.models import Overlap, Schedule
from tasks_app.schedules.firing import fire_due
from tasks_app.schedules.recheck import recheck

from .conftest import NOON, MakeSchedule, Time, seconds, told

YEARS = timedelta(days=3650)


def test_what_was_moved_years_ahead_is_due_again_when_the_clock_is_right(
    make_schedule: MakeSchedule, time: Time
) -> None:
    schedule = make_schedule(interval=timedelta(days=30), overlap=Overlap.QUEUE)
    time.now = NOON + YEARS
    fire_due(time)
    time.now = NOON
    Schedule.objects.update(interval=seconds(60))
    assert recheck(time) == 1
    assert recheck(time) == 0
    time.tick(NOON + seconds(60))
    assert (60, "fired") in told(schedule)


def test_what_was_recorded_ahead_is_not_recorded_again(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(overlap=Overlap.QUEUE)
    time.now = NOON + seconds(150)
    fire_due(time)
    before = told(schedule)
    time.now = NOON
    assert recheck(time) == 0
    time.tick(NOON + seconds(170))
    assert told(schedule) == before
    time.tick(NOON + seconds(180))
    assert told(schedule) == [*before, (180, "fired")]


def test_one_that_ended_by_a_wrong_clock_goes_on(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(interval=timedelta(days=1), ends_at=NOON + timedelta(days=100))
    # As after a clock that was a year ahead: its rows are pruned by then.
    Schedule.objects.update(next_due_at=None, stopped_because="It has no due time before its end.")
    assert recheck(time) == 1
    schedule.refresh_from_db()
    assert (schedule.next_due_at, schedule.stopped_because) == (NOON + timedelta(hours=12), "")


def test_paused_and_unreadable_ones_are_left_alone(make_schedule: MakeSchedule, time: Time) -> None:
    paused, broken = make_schedule(), make_schedule()
    Schedule.objects.update(next_due_at=NOON + YEARS)
    Schedule.objects.filter(pk=paused.pk).update(paused=True)
    Schedule.objects.filter(pk=broken.pk).update(time_zone="Mars")
    assert recheck(time) == 0
