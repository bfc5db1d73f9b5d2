"""Every due time is fired once, or recorded with the reason why not."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError

from tasks_app.lifecycle.claim import claim
from tasks_app.models import Firing, Overlap, Schedule, Task, Worker
from tasks_app.schedules import firing
from tasks_app.schedules.firing import fire_due, fire_now
from tasks_app.schedules.turn import DUE_AT_ONCE, TASKS_AT_ONCE
from tasks_app.signals import schedule_fired
from tests.support.rows import make_worker, start

from .conftest import NOON, MakeSchedule, Time, seconds, told

ALL = {"overlap": Overlap.QUEUE}


def test_each_due_time_makes_one_task_of_the_owner(make_schedule: MakeSchedule, time: Time, user: Any) -> None:
    schedule = make_schedule(owner=user, **ALL)
    time.tick(NOON + seconds(190))
    assert told(schedule) == [(60, "fired"), (120, "fired"), (180, "fired")]
    tasks = Task.objects.filter(firing__schedule=schedule)
    assert {(task.owner_id, task.kind, task.status, task.fingerprint) for task in tasks} == {
        (user.pk, "test.quick", "pending", "")
    }
    assert {task.payload["kwargs"]["journal"] for task in tasks} == {"j"}
    schedule.refresh_from_db()
    assert schedule.next_due_at == NOON + seconds(240)


def test_a_second_look_at_the_same_moment_does_nothing(make_schedule: MakeSchedule, time: Time) -> None:
    make_schedule(**ALL)
    time.now += seconds(60)
    assert [fire_due(time), fire_due(time)] == [1, 0]


def test_a_new_schedule_owes_nothing_of_before(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(interval=timedelta(days=1), catch_up=timedelta(days=30))
    assert told(schedule) == []
    assert schedule.next_due_at == NOON + timedelta(hours=12)


def test_a_minute_late_is_in_time_and_more_is_missed(make_schedule: MakeSchedule, time: Time) -> None:
    hourly = make_schedule(interval=timedelta(hours=1), **ALL)
    time.now = NOON + timedelta(hours=1, seconds=60)
    fire_due(time)
    time.now = NOON + timedelta(hours=2, seconds=61)
    fire_due(time)
    assert told(hourly) == [(3600, "fired"), (7200, "missed")]
    assert Firing.objects.get(outcome="missed").reason == (
        "Found 0:01:01 late, which its catch-up window does not allow."
    )


def test_of_several_that_were_overtaken_only_the_newest_is_fired(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(interval=seconds(5), **ALL)
    time.now += seconds(17)
    fire_due(time)
    assert told(schedule) == [(5, "missed"), (10, "missed"), (15, "fired")]


def test_what_was_missed_within_the_catch_up_window_is_made_up_for(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(catch_up=timedelta(minutes=3), **ALL)
    time.now += timedelta(minutes=5, seconds=30)
    fire_due(time)
    assert told(schedule) == [(60, "missed"), (120, "missed"), (180, "fired"), (240, "fired"), (300, "fired")]
    assert Task.objects.count() == 3


def test_a_long_absence_is_recorded_in_several_looks_and_nothing_left_out(
    make_schedule: MakeSchedule, time: Time
) -> None:
    schedule = make_schedule(interval=seconds(1), catch_up=seconds(50), **ALL)
    time.now += seconds(DUE_AT_ONCE + 100)
    assert fire_due(time) == DUE_AT_ONCE
    assert fire_due(time) == 49 + TASKS_AT_ONCE
    while fire_due(time):
        pass
    assert told(schedule) == [
        (second, "missed" if second < DUE_AT_ONCE + 50 else "fired") for second in range(1, DUE_AT_ONCE + 101)
    ]


def test_by_default_nothing_is_made_beside_an_active_task(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule()
    time.tick(NOON + seconds(120))
    (first,) = Task.objects.all()
    assert told(schedule) == [(60, "fired"), (120, "skipped")]
    assert Firing.objects.get(outcome="skipped").reason == (f"Task {first.pk} of an earlier firing is still pending.")
    Task.objects.update(status="succeeded", finished_at=NOON)
    time.tick(NOON + seconds(180))
    assert told(schedule)[-1] == (180, "fired")


def test_another_schedule_of_the_same_kind_does_not_count(make_schedule: MakeSchedule, time: Time) -> None:
    both = [make_schedule(), make_schedule()]
    time.tick(NOON + seconds(60))
    assert [told(one) for one in both] == [[(60, "fired")]] * 2


def test_the_older_one_is_cancelled_where_that_is_the_policy(make_schedule: MakeSchedule, time: Time) -> None:
    make_schedule(overlap=Overlap.CANCEL)
    time.tick(NOON + seconds(120))
    assert list(Task.objects.order_by("pk").values_list("status", flat=True)) == ["cancelled", "pending"]


def test_an_older_one_that_is_at_work_is_asked_to_stop(make_schedule: MakeSchedule, time: Time, worker: Worker) -> None:
    schedule = make_schedule(overlap=Overlap.CANCEL)
    time.tick(NOON + seconds(60))
    older = Task.objects.get()
    start(older, worker)
    time.tick(NOON + seconds(120))
    older.refresh_from_db()
    assert older.status == "running"
    assert older.cancel_requested_at is not None
    assert told(schedule) == [(60, "fired"), (120, "fired")]


def test_an_older_one_is_not_cancelled_for_a_task_that_cannot_be_made(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(overlap=Overlap.CANCEL)
    time.tick(NOON + seconds(60))
    Schedule.objects.update(input={"wrong": 1})
    time.tick(NOON + seconds(120))
    assert told(schedule) == [(60, "fired"), (120, "failed")]
    assert Task.objects.get().status == "pending"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"kind": "test.gone"}, "Unknown kind 'test.gone'; expected one of: "),
        ({"input": {"wrong": 1}}, "test.quick cannot be called with this input: missing a required"),
        ({"input": ["a"]}, "The input is no JSON object"),
        ({"kind": "document.extract", "input": {}}, "document.extract needs a document"),
    ],
    ids=str,
)
def test_a_task_that_cannot_be_made_is_a_failed_firing_in_words(
    make_schedule: MakeSchedule, time: Time, values: dict[str, Any], reason: str
) -> None:
    broken, sound = make_schedule(**values), make_schedule()
    time.tick(NOON + seconds(60))
    assert [told(broken), told(sound)] == [[(60, "failed")], [(60, "fired")]]
    assert Firing.objects.get(schedule=broken).reason.startswith(reason)
    broken.refresh_from_db()
    assert broken.next_due_at == NOON + seconds(120)


def test_what_came_of_each_due_time_is_told_after_commit(
    make_schedule: MakeSchedule, time: Time, django_capture_on_commit_callbacks: Any
) -> None:
    heard: list[tuple[str, str, float, str]] = []

    def hear(*, outcome: str, late_seconds: float, schedule: str, reason: str, **_: Any) -> None:
        heard.append((schedule, outcome, late_seconds, reason))

    make_schedule(name="sound", interval=seconds(30))
    make_schedule(name="broken", kind="test.gone")
    schedule_fired.connect(hear)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            time.now += seconds(61)
            fire_due(time)
    finally:
        schedule_fired.disconnect(hear)
    assert [(*told[:3], told[3][:12]) for told in heard] == [
        ("sound", "missed", 31.0, "Found 0:00:3"),
        ("sound", "fired", 1.0, ""),
        ("broken", "failed", 1.0, "Unknown kind"),
    ]


def test_an_error_that_nobody_foresaw_is_recorded_too(
    make_schedule: MakeSchedule, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by\x00 zero " * 100)

    monkeypatch.setattr(firing, "scheduled_order", fail)
    schedule = make_schedule()
    time.tick(NOON + seconds(60))
    assert told(schedule) == [(60, "failed")]
    assert Firing.objects.get().reason.startswith("ZeroDivisionError: by")


def test_what_the_database_refuses_for_now_is_tried_again_and_stops_no_other(
    make_schedule: MakeSchedule, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_schedule(kind="test.broken", input={}), make_schedule()
    submit = vars(firing)["submit"]

    def refuse(order: Any) -> Any:
        if order.kind == "test.broken":
            raise OperationalError("canceling statement due to lock timeout")
        return submit(order)

    monkeypatch.setattr(firing, "submit", refuse)
    time.tick(NOON + seconds(60))
    assert [told(first), told(second)] == [[], [(60, "fired")]]
    monkeypatch.setattr(firing, "submit", submit)
    time.tick(NOON + seconds(61))
    assert told(first) == [(60, "fired")]


def test_times_that_cannot_be_read_stop_the_schedule_and_no_other(make_schedule: MakeSchedule, time: Time) -> None:
    broken, sound = make_schedule(), make_schedule()
    Schedule.objects.filter(pk=broken.pk).update(time_zone="Mars")
    time.tick(NOON + seconds(120))
    broken.refresh_from_db()
    assert broken.stopped_because.startswith("There is no time zone “Mars”.")
    assert told(sound)[0] == (60, "fired")


def test_after_its_end_it_says_so_and_is_not_looked_at_again(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(ends_at=NOON + seconds(130), **ALL)
    time.tick(NOON + seconds(300))
    assert told(schedule) == [(60, "fired"), (120, "fired")]
    schedule.refresh_from_db()
    assert schedule.stopped_because == "It has no due time before its end, 2026-11-30 12:02 UTC."
    assert not Schedule.objects.due(time.now).exists()


def test_a_paused_one_is_not_fired(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(paused=True)
    time.tick(NOON + seconds(120))
    assert told(schedule) == []


def test_its_tasks_start_a_little_later_where_they_are_spread(
    make_schedule: MakeSchedule, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks_app.lifecycle.submit.database_now", time)
    make_schedule(interval=seconds(1), jitter=seconds(30), **ALL)
    time.tick(NOON + seconds(20), every=1)
    later = [(task.available_at - task.firing.due_at).total_seconds() for task in Task.objects.all()]
    assert len(later) == 20
    assert 0 <= min(later) < max(later) <= 31


def test_a_clock_that_was_set_back_fires_nothing_again(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(**ALL)
    time.tick(NOON + seconds(180))
    time.now = NOON - timedelta(hours=1)
    time.tick(NOON + seconds(240), every=30)
    assert told(schedule) == [(60, "fired"), (120, "fired"), (180, "fired"), (240, "fired")]
    assert Task.objects.count() == 4


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (datetime(2026, 10, 24, tzinfo=UTC), ["24 10:00", "25 11:00", "26 11:00"]),
        (datetime(2027, 3, 27, tzinfo=UTC), ["27 11:00", "28 10:00", "29 10:00"]),
    ],
    ids=["autumn", "spring"],
)
def test_noon_is_fired_once_each_day_on_which_the_clocks_change(
    make_schedule: MakeSchedule, time: Time, start: datetime, expected: list[str]
) -> None:
    time.now = start
    make_schedule(cron="0 12 * * *", time_zone="Europe/Berlin", **ALL)
    time.tick(start + timedelta(days=3), every=600)
    firings = Firing.objects.order_by("due_at").values_list("due_at", "outcome")
    assert [(f"{due:%d %H:%M}", outcome) for due, outcome in firings] == [(day, "fired") for day in expected]
    assert Task.objects.count() == 3


def test_a_clock_that_jumped_ahead_misses_by_policy(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(interval=timedelta(minutes=10), catch_up=timedelta(minutes=25), **ALL)
    time.now += timedelta(hours=1, minutes=2)
    fire_due(time)
    outcomes = [outcome for _, outcome in told(schedule)]
    assert outcomes == ["missed", "missed", "missed", "fired", "fired", "fired"]


def test_what_was_due_longest_comes_first_when_the_time_is_short(
    make_schedule: MakeSchedule, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = make_schedule(interval=timedelta(seconds=60))
    later = make_schedule(interval=timedelta(seconds=90))
    time.now += seconds(100)
    moments = iter([0.0, 0.0, 5.0])
    monkeypatch.setattr("tasks_app.schedules.firing.time.monotonic", lambda: next(moments))
    assert fire_due(time) == 1
    monkeypatch.undo()
    assert [len(told(late)), len(told(later))] == [1, 0]
    assert fire_due(time) == 1


def test_by_hand_it_fires_at_once_and_its_due_times_stay(make_schedule: MakeSchedule, time: Time) -> None:
    schedule = make_schedule(paused=True)
    assert fire_now(schedule.pk, by="op", clock=time).outcome == "fired"
    again = fire_now(schedule.pk, by="op", clock=lambda: NOON + seconds(1))
    assert again.outcome == "skipped"
    assert again.reason.startswith("By hand, op. Task ")
    assert Task.objects.count() == 1


def test_a_fired_task_is_admitted_and_claimed_like_any_other(
    make_schedule: MakeSchedule, time: Time, django_capture_on_commit_callbacks: Any
) -> None:
    worker = make_worker("gpu", kinds=("test.quick",))
    schedule = make_schedule()
    with django_capture_on_commit_callbacks(execute=True):
        time.tick(NOON + seconds(60))
    claimed = claim(worker.pk, queue="gpu", kinds=["test.quick"])
    assert claimed is not None
    assert claimed.ref.task_id == Firing.objects.get(schedule=schedule).task_id
