"""The process dies in the middle of a firing: all of it is there, or nothing, and the next one goes on from there."""

from typing import Any

import pytest

from tasks_app.models import Firing, Overlap, Task
from tasks_app.schedules import firing, turn
from tasks_app.schedules.firing import fire_due

from .conftest import NOON, MakeSchedule, Time, seconds, told


class Died(BaseException):
    pass


@pytest.mark.parametrize("place", ["give_way", "scheduled_order", "submit", "stand"])
@pytest.mark.parametrize("afterwards", [False, True], ids=["before", "after"])
def test_whatever_line_it_died_at_each_due_time_is_fired_once(
    transactional_db: None,
    make_schedule: MakeSchedule,
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    afterwards: bool,
) -> None:
    schedule = make_schedule(interval=seconds(1), catch_up=seconds(60), overlap=Overlap.QUEUE)
    real: Any = getattr(firing, place)
    calls = 0

    def dying(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        # In the second of three due times, where that place comes once for each.
        if calls == (1 if place == "stand" else 2):
            if afterwards:
                real(*arguments, **options)
            raise Died
        return real(*arguments, **options)

    time.now += seconds(3)
    monkeypatch.setattr(firing, place, dying)
    with pytest.raises(Died):
        fire_due(time)
    assert (Firing.objects.count(), Task.objects.count()) == (0, 0)
    monkeypatch.setattr(firing, place, real)
    fire_due(time)
    assert told(schedule) == [(1, "fired"), (2, "fired"), (3, "fired")]
    assert Task.objects.count() == 3


def test_a_scheduler_that_is_away_between_two_chunks_loses_none(
    make_schedule: MakeSchedule, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "DUE_AT_ONCE", 10)
    schedule = make_schedule(interval=seconds(1), overlap=Overlap.QUEUE)
    time.now += seconds(25)
    assert fire_due(time) == 10
    time.now += seconds(10)
    while fire_due(time):
        pass
    assert told(schedule) == [(second, "fired" if second == 35 else "missed") for second in range(1, 36)]
    assert NOON + seconds(35) == time.now
