"""Several schedulers and operators at the same moment, on real transactions."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from tasks_app.models import Firing, Overlap, Schedule, Task
from tasks_app.schedules import changes
from tasks_app.schedules.firing import fire_due

from .conftest import NOON, MakeSchedule, Time, seconds, told

SCHEDULERS = 4


@pytest.fixture
def several(transactional_db: None) -> Iterator[Callable[..., list[int]]]:
    """Does several things at the same moment, each on a connection of its own; what each answered."""
    with ThreadPoolExecutor(SCHEDULERS) as pool:

        def at_once(*works: Callable[[], int]) -> list[int]:
            gate = threading.Barrier(len(works))

            def one(work: Callable[[], int]) -> int:
                gate.wait()
                try:
                    return work()
                finally:
                    connections.close_all()

            return list(pool.map(one, works))

        yield at_once


def test_four_schedulers_at_once_fire_each_due_time_once(
    several: Callable[..., list[int]], make_schedule: MakeSchedule, time: Time
) -> None:
    schedules = [make_schedule(interval=seconds(1), catch_up=seconds(60), overlap=Overlap.QUEUE) for _ in range(5)]
    for _ in range(6):
        time.now += seconds(3)
        several(*[lambda: fire_due(time)] * SCHEDULERS)
    fire_due(time)
    assert [told(one) for one in schedules] == [[(second, "fired") for second in range(1, 19)]] * 5
    assert Task.objects.count() == 5 * 18


def test_edits_and_ticks_at_once_lose_and_double_nothing(
    several: Callable[..., list[int]], make_schedule: MakeSchedule, time: Time
) -> None:
    schedule = make_schedule(interval=seconds(1), catch_up=seconds(60), overlap=Overlap.QUEUE)

    def edit() -> int:
        row = Schedule.objects.get()
        row.ends_at = NOON + seconds(1000 + Firing.objects.count())
        changes.save(row, clock=time)
        return 1

    for _ in range(6):
        time.now += seconds(2)
        several(lambda: fire_due(time), edit, lambda: fire_due(time))
    while fire_due(time):
        pass
    assert [second for second, _ in told(schedule)] == list(range(1, 13))
    assert Task.objects.count() == Firing.objects.filter(outcome="fired").count()


def test_a_row_that_somebody_holds_is_left_to_the_next_tick(
    several: Callable[..., list[int]], make_schedule: MakeSchedule, time: Time
) -> None:
    held, free = make_schedule(), make_schedule()
    time.now += seconds(60)
    # SQLite has one writer at a time, who waits for their turn.
    if connection.features.has_select_for_update_skip_locked:
        with transaction.atomic():
            Schedule.objects.select_for_update().get(pk=held.pk)
            assert several(lambda: fire_due(time)) == [1]
        assert [told(held), told(free)] == [[], [(60, "fired")]]
    fire_due(time)
    assert [told(held), told(free)] == [[(60, "fired")]] * 2


def test_an_older_task_that_somebody_holds_is_cancelled_at_the_next_tick(
    several: Callable[..., list[int]], make_schedule: MakeSchedule, time: Time
) -> None:
    schedule = make_schedule(overlap=Overlap.CANCEL)
    time.tick(NOON + seconds(60))
    older = Task.objects.get()
    time.now += seconds(60)
    if connection.features.has_select_for_update_skip_locked:
        with transaction.atomic():
            Task.objects.select_for_update(of=("self",)).get(pk=older.pk)
            assert several(lambda: fire_due(time)) == [0]
        assert told(schedule) == [(60, "fired")]
    fire_due(time)
    older.refresh_from_db()
    assert older.status == "cancelled"
    assert told(schedule) == [(60, "fired"), (120, "fired")]
