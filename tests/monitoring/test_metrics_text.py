"""The exposition: what the database says now, and what processes counted, in Prometheus' words."""

import math
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models.functions import Now
from prometheus_client.parser import text_string_to_metric_families

from tasks_app.models import Alert, AlertRule, QueueState, Schedule, Task, Worker
from tasks_app.monitoring import metrics
from tasks_app.monitoring.catalogue import COUNTERS, FINISHED, HISTOGRAMS, RESTARTS, STEP, SUM, Counts
from tasks_app.monitoring.gauges import GAUGES
from tasks_app.monitoring.store import Batch, Store
from tests.realtime.servers import RedisServer
from tests.support.rows import make_task, start

pytestmark = pytest.mark.django_db

type Samples = dict[tuple[str, ...], float]


@pytest.fixture
def no_redis(tmp_path: Path, settings: Any) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/away.sock"


def samples() -> Samples:
    """(name, values of its labels in the order of their names ...) -> value."""
    text, _ = metrics.exposition("text/plain")
    families = text_string_to_metric_families(text.decode())
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def counted(counts: Counts) -> Samples:
    Store().add(Batch(1, counts), sockets=None)
    return samples()


def test_every_metric_is_told_of_with_its_type_and_what_it_means(redis: RedisServer) -> None:
    text = metrics.exposition("text/plain")[0].decode()
    told = {family.name: family for family in text_string_to_metric_families(text)}
    meant = {one.name: one.text for one in COUNTERS} | {one.name: one.text for one in HISTOGRAMS}
    meant |= {one.name: one.text for one in GAUGES}
    assert {name: told[name].documentation for name in meant} == meant
    assert {told[one.name].type for one in COUNTERS} == {"counter"}
    assert {told[one.name].type for one in HISTOGRAMS} == {"histogram"}
    assert {told[one.name].type for one in GAUGES} == {"gauge"}
    assert all(name.startswith("longhaul_") for name in told)


def test_openmetrics_for_who_asks_for_it(no_redis: None) -> None:
    text, content_type = metrics.exposition("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


def test_a_queue_where_nothing_waits(no_redis: None) -> None:
    found = samples()
    gauges = ("queue_depth", "queue_running", "queue_oldest_seconds", "queue_drain_seconds", "workers", "queue_paused")
    assert {found[f"longhaul_{name}", "gpu"] for name in gauges} == {0}


def test_a_queue_that_is_behind(no_redis: None, worker: Worker) -> None:
    start(make_task(), worker)
    Task.objects.filter(pk=make_task().pk).update(available_at=Now() - timedelta(minutes=3))
    found = samples()
    assert found["longhaul_queue_depth", "gpu"] == 1
    assert found["longhaul_queue_running", "gpu"] == 1
    assert found["longhaul_workers", "gpu"] == 1
    assert found["longhaul_queue_oldest_seconds", "gpu"] == pytest.approx(180, abs=20)
    assert found["longhaul_queue_drain_seconds", "gpu"] == math.inf


def test_a_paused_queue_has_a_depth_and_no_drain_time(no_redis: None, worker: Worker) -> None:
    make_task()
    QueueState.objects.create(queue="gpu", paused_at=Now(), reason="model upgrade")
    found = samples()
    assert found["longhaul_queue_depth", "gpu"] == found["longhaul_queue_held", "gpu"] == 1
    assert found["longhaul_queue_paused", "gpu"] == 1
    assert ("longhaul_queue_drain_seconds", "gpu") not in found


def test_the_schedule_that_is_most_behind(no_redis: None) -> None:
    Schedule.objects.all().delete()
    assert samples()["longhaul_schedule_overdue_seconds",] == 0
    for name, minutes in (("later", 1), ("late", 2), ("future", -5)):
        due_at = Now() - timedelta(minutes=minutes)
        Schedule.objects.create(name=name, kind="test", interval=timedelta(hours=1), next_due_at=due_at)
    assert samples()["longhaul_schedule_overdue_seconds",] == pytest.approx(120, abs=20)


def test_open_alerts_by_rule(no_redis: None) -> None:
    Alert.objects.create(rule=AlertRule.DRAIN, subject="gpu", text="It takes too long.")
    Alert.objects.create(rule=AlertRule.DRAIN, subject="cpu", text="It took too long.", resolved_at=Now())
    found = samples()
    assert found["longhaul_alerts_open", "drain"] == 1
    assert found["longhaul_alerts_open", "no_worker"] == 0


def test_without_redis_it_says_so_and_tells_no_counters(no_redis: None) -> None:
    found = samples()
    assert found["longhaul_counts_up",] == 0
    assert ("longhaul_websocket_connections",) not in found
    assert not any(name.endswith("_total") for name, *_ in found)


def test_counts_are_told_and_ends_begin_at_zero(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks_app.monitoring.listeners._known_kinds", lambda: {"a"})
    found = counted({(FINISHED.name, ("a", "failed", "error"), ""): 2, (RESTARTS.name, ("spoiled",), ""): 1})
    assert found["longhaul_tasks_finished_total", "error", "a", "failed"] == 2
    assert found["longhaul_tasks_finished_total", "memory_exceeded", "a", "failed"] == 0
    assert found["longhaul_tasks_finished_total", "", "a", "succeeded"] == 0
    assert found["longhaul_child_restarts_total", "spoiled"] == 1
    assert found["longhaul_schedule_firings_total", "missed"] == 0
    assert found["longhaul_counts_up",] == 1
    assert found["longhaul_websocket_connections",] == 0


def test_buckets_add_up(redis: RedisServer) -> None:
    labels = ("a", "succeeded")
    parts = {"0.01": 2, "0.5": 1, "+Inf": 1, SUM: 200.5}
    found = counted({(STEP.name, labels, part): value for part, value in parts.items()})
    name = "longhaul_step_seconds_bucket"
    buckets = [found[name, "a", bound, "succeeded"] for bound in ("0.01", "0.1", "0.5", "180", "+Inf")]
    assert buckets == [2, 2, 3, 3, 4]
    assert found["longhaul_step_seconds_count", *labels] == 4
    assert found["longhaul_step_seconds_sum", *labels] == 200.5


def test_what_another_version_counts_is_left_out(redis: RedisServer) -> None:
    found = counted({(RESTARTS.name, ("one", "too many"), ""): 1, ("longhaul_new", (), ""): 1})
    assert not any("too many" in key or "longhaul_new" in key[0] for key in found)


def test_a_scrape_asks_as_much_of_the_database_however_much_there_is(
    no_redis: None, worker: Worker, django_assert_max_num_queries: Any
) -> None:
    for _ in range(5):
        start(make_task(), worker)
    for _ in range(5):
        make_task()
    with django_assert_max_num_queries(15):
        samples()
