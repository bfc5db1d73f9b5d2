"""When an alert about a queue opens, and when it is over."""

from datetime import timedelta
from typing import Any

import pytest

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Alert, Delivery, QueueSample
from tasks_app.monitoring.judge import judge
from tasks_app.monitoring.samples import take_samples

from .rows import make_due, make_history

pytestmark = pytest.mark.django_db

SLOW = {"depth": 20, "workers": 1, "drain_minutes": 6.0}
LESS = {"depth": 12, "workers": 1, "drain_minutes": 4.0}
QUICK = {"depth": 5, "workers": 1, "drain_minutes": 2.9}
STUCK = {"depth": 20, "workers": 1, "drain_minutes": None}
ALONE = {"depth": 3, "unserved": 3, "drain_minutes": None}
EMPTY: dict[str, Any] = {}
PAUSED = {"depth": 20, "held": 20, "workers": 1, "drain_minutes": None, "oldest_seconds": 9000.0}
IDLE = {"depth": 3, "workers": 1, "idle_workers": 1, "drain_minutes": 1.0}
OLD = {"depth": 3, "workers": 1, "drain_minutes": 1.0, "oldest_seconds": 3700.0}
LESS_OLD = OLD | {"oldest_seconds": 2000.0}
YOUNG = OLD | {"oldest_seconds": 1700.0}


@pytest.fixture(autouse=True)
def limits(settings: Any) -> None:
    settings.LONGHAUL_ALERT_DRAIN_MINUTES, settings.LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES = 5, 3
    settings.LONGHAUL_ALERT_AFTER_SECONDS, settings.LONGHAUL_ALERT_IDLE_WORKER_SECONDS = 120, 60
    settings.LONGHAUL_ALERT_OLDEST_MINUTES, settings.LONGHAUL_WORKER_SILENT_SECONDS = 60, 30


def judged(*shapes: dict[str, Any], **how: Any) -> list[str]:
    """Rules that are open after those samples alone, the last of them taken now."""
    QueueSample.objects.all().delete()
    make_history(shapes, **how)
    judge()
    return sorted(Alert.objects.open().values_list("rule", flat=True))


@pytest.mark.parametrize(("shape", "rule"), [(SLOW, "drain"), (STUCK, "drain"), (ALONE, "no_worker"), (OLD, "oldest")])
def test_it_opens_when_it_was_so_for_two_minutes(shape: dict[str, Any], rule: str) -> None:
    assert judged(*[shape] * 120) == []
    assert judged(*[shape] * 121) == [rule]


def test_a_moment_in_which_it_was_not_so_begins_the_time_anew() -> None:
    assert judged(*[SLOW] * 60, LESS, *[SLOW] * 100) == []
    assert judged(LESS, *[SLOW] * 121) == ["drain"]


def test_nobody_knows_how_it_was_while_no_scheduler_looked() -> None:
    assert judged(*[SLOW] * 2, every=timedelta(seconds=121)) == []
    assert judged(*[SLOW] * 6, every=timedelta(seconds=25)) == ["drain"]


def test_it_is_known_since_when_by_who_has_just_begun_to_look() -> None:
    """Everything is read from rows: no scheduler must have seen it all."""
    make_history([SLOW] * 121)
    assert judge() == 1


def test_samples_that_are_old_say_nothing_of_now() -> None:
    assert judged(*[SLOW] * 130, until=database_now() - timedelta(seconds=15)) == []


def test_between_the_two_thresholds_it_stays_as_it_is() -> None:
    assert judged(*[LESS] * 130) == []
    assert judged(*[SLOW] * 130) == ["drain"]
    assert judged(*[LESS] * 130) == ["drain"]
    assert judged(QUICK) == []


def test_it_opens_once_and_is_told_of_once_however_often_it_is_judged(settings: Any) -> None:
    settings.LONGHAUL_OPERATOR_EMAILS = ["ops@example.org"]
    make_history([SLOW] * 130)
    assert [judge() for _ in range(3)] == [1, 0, 0]
    assert Delivery.objects.count() == 1
    assert Alert.objects.get().text == (
        "gpu: 20 tasks waiting; about 6 minutes at the present rate (an alert opens above 5)."
    )


@pytest.mark.parametrize("over", [EMPTY, PAUSED])
def test_it_is_over_when_nothing_waits_for_a_worker(over: dict[str, Any]) -> None:
    assert judged(*[SLOW] * 130) == ["drain"]
    assert judged(over) == []


@pytest.mark.parametrize("quiet", [EMPTY, PAUSED, EMPTY | {"workers": 0}])
def test_an_empty_queue_and_a_paused_one_never_alert(quiet: dict[str, Any]) -> None:
    assert judged(*[quiet] * 140) == []


def test_the_time_of_a_pause_does_not_count() -> None:
    assert judged(*[PAUSED] * 130, *[STUCK] * 20) == []


def test_a_backlog_without_a_worker_is_one_alert_not_two() -> None:
    assert judged(*[ALONE | {"oldest_seconds": 9000.0}] * 140) == ["no_worker"]


def test_a_worker_that_is_back_must_stay_for_as_long_as_a_dead_one_looks_alive() -> None:
    assert judged(*[ALONE] * 130) == ["no_worker"]
    assert judged(*[ALONE] * 10, *[LESS] * 30) == ["no_worker"]
    assert judged(*[LESS] * 31) == []


def test_work_beside_an_idle_worker_opens_at_once_and_is_over_after_a_minute() -> None:
    assert judged(IDLE) == ["idle_worker"]
    assert judged(*[IDLE] * 5, *[LESS] * 60) == ["idle_worker"]
    assert judged(*[LESS] * 61) == []


def test_the_oldest_is_over_at_half_the_time() -> None:
    assert judged(*[OLD] * 130) == ["oldest"]
    assert judged(*[LESS_OLD] * 130) == ["oldest"]
    assert judged(YOUNG) == []


def test_each_queue_is_judged_by_itself() -> None:
    make_history([SLOW] * 130, queue="gpu")
    make_history([EMPTY] * 130, queue="cpu")
    judge()
    assert [alert.subject for alert in Alert.objects.all()] == ["gpu"]


def test_an_alert_about_a_queue_that_is_gone_is_over(settings: Any) -> None:
    assert judged(*[SLOW] * 130) == ["drain"]
    settings.TASK_QUEUES = {"cpu": settings.TASK_QUEUES["cpu"]}
    assert judge() == 1
    assert not Alert.objects.open().exists()


def test_nothing_to_judge_is_nothing() -> None:
    assert judge() == 0


def test_what_a_tick_samples_a_tick_judges(settings: Any) -> None:
    settings.LONGHAUL_ALERT_AFTER_SECONDS = 0.001
    make_due(2)
    assert take_samples() == 2
    make_history([ALONE], until=database_now() - timedelta(seconds=1))
    assert judge() == 1
    assert Alert.objects.get().text == "gpu: 2 tasks due, and no worker of this queue is alive."
