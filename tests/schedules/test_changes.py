"""What an edit, a pause and a deletion do to due times."""

from datetime import timedelta

import pytest

from tasks_app.models import Firing, Overlap, Schedule, Task
from tasks_app.schedules import changes
from tasks_app.schedules.firing import fire_due

from .conftest import NOON, MakeSchedule, Time, seconds, told


def test_new_times_count_from_the_edit_on(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(catch_up=timedelta(hours=1))
    time.now += seconds(30)
    schedule.interval, schedule.cron = None, "*/5 * * * *"
    changes.save(schedule, clock=time)
    time.tick(NOON + seconds(299))
    assert told(schedule) == []
    time.tick(NOON + seconds(300))
    assert told(schedule) == [(300, "fired")]


def test_what_was_due_and_not_fired_before_the_edit_is_recorded_as_missed(
    make_schedule: MakeSchedule, time: Time
) -> None:
    schedule = make_schedule()
    time.now += seconds(121)
    schedule.interval = seconds(3600)
    changes.save(schedule, clock=time)
    assert told(schedule) == [(60, "missed"), (120, "missed")]
    assert Firing.objects.earliest("due_at").reason == "The schedule was changed or paused before this was fired."
    assert not Task.objects.exists()


def test_more_than_one_can_write_down_are_told_of_together(
    make_schedule: MakeSchedule, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_MISSED", 3)
    schedule = make_schedule(interval=seconds(1))
    time.now += seconds(100)
    changes.pause(schedule.pk, clock=time)
    assert told(schedule) == [(1, "missed"), (2, "missed"), (3, "missed")]
    assert Firing.objects.latest("due_at").reason.endswith("So were all after it until 2026-11-30 12:01:40 UTC.")


def test_an_edit_of_something_else_leaves_the_due_time_as_a_tick_wrote_it(
    make_schedule: MakeSchedule, time: Time
) -> None:
    stale = make_schedule(overlap=Overlap.QUEUE)
    time.tick(NOON + seconds(60))
    stale.name = "renamed"
    changes.save(stale, clock=time)
    time.tick(NOON + seconds(120))
    assert told(stale) == [(60, "fired"), (120, "fired")]


def test_what_is_due_within_a_pause_is_owed_to_nobody(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(catch_up=timedelta(hours=1))
    assert changes.pause(schedule.pk, clock=time)
    assert not changes.pause(schedule.pk, clock=time)
    time.tick(NOON + seconds(150))
    assert changes.resume(schedule.pk, clock=time)
    assert not changes.resume(schedule.pk, clock=time)
    time.tick(NOON + seconds(180))
    assert told(schedule) == [(180, "fired")]


def test_an_end_that_is_put_off_lets_it_go_on(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(ends_at=NOON + seconds(60))
    time.tick(NOON + seconds(120))
    schedule.refresh_from_db()
    assert schedule.stopped_because
    schedule.ends_at = None
    changes.save(schedule, clock=time)
    assert (schedule.stopped_because, schedule.next_due_at) == ("", NOON + seconds(180))


def test_an_edit_after_the_clock_was_set_back_fires_nothing_again(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(overlap=Overlap.QUEUE)
    time.tick(NOON + seconds(180))
    time.now = NOON
    schedule.ends_at = NOON + timedelta(hours=1)
    changes.save(schedule, clock=time)
    time.tick(NOON + seconds(240))
    assert [second for second, _ in told(schedule)] == [60, 120, 180, 240]
    assert Task.objects.count() == 4


def test_who_edits_what_was_deleted_does_not_bring_it_back(make_schedule: MakeSchedule) -> None:
    schedule = make_schedule()
    stale = Schedule.objects.get()
    assert changes.delete([schedule.pk]) == 1
    with pytest.raises(Schedule.DoesNotExist):
        changes.save(stale)
    assert not Schedule.objects.exists()


def test_a_deletion_leaves_the_tasks(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule()
    time.tick(NOON + seconds(60))
    changes.delete([schedule.pk])
    assert not Firing.objects.exists()
    assert Task.objects.get().status == "pending"
    assert fire_due(time) == 0
