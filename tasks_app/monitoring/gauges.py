"""What is asked of the database when somebody looks: few rows, by partial indexes, however many tasks there were."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import Count, Min

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Alert, AlertRule, Schedule

from .samples import QueueFigures, figures

# Label values and the number.
type Sample = tuple[tuple[str, ...], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    name: str
    text: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueGauge(Gauge):
    """`value`: None where there is nothing to say."""

    value: Callable[[QueueFigures], float | None]
    labels: tuple[str, ...] = ("queue",)


def _drain_seconds(queue: QueueFigures) -> float | None:
    if queue.drain_minutes is not None:
        return queue.drain_minutes * 60
    # All of it is paused: no number of workers would help, so whoever scales by this must not see a backlog.
    return None if queue.held == queue.depth else math.inf


OF_QUEUES = (
    QueueGauge(
        name="longhaul_queue_depth", text="Tasks that are due and wait, paused ones too.", value=lambda q: q.depth
    ),
    QueueGauge(name="longhaul_queue_held", text="Of the depth: what is paused.", value=lambda q: q.held),
    QueueGauge(
        name="longhaul_queue_unserved",
        text="Of the depth: not paused, and no live worker of the queue knows the kind.",
        value=lambda q: q.unserved,
    ),
    QueueGauge(name="longhaul_queue_running", text="Tasks that an attempt has in hand.", value=lambda q: q.running),
    QueueGauge(
        name="longhaul_queue_oldest_seconds",
        text="Since when the oldest of the depth is due; 0: there is none.",
        value=lambda q: q.oldest_seconds,
    ),
    QueueGauge(
        name="longhaul_queue_drain_seconds",
        text="Until the depth is done at the rate of the last ten minutes. 0: nothing waits, +Inf: nothing is done, "
        "absent: all of it is paused.",
        value=_drain_seconds,
    ),
    QueueGauge(name="longhaul_workers", text="Live workers of the queue.", value=lambda q: q.workers),
    QueueGauge(
        name="longhaul_workers_idle",
        text="Of these: took nothing for a while, although something that they know could be claimed.",
        value=lambda q: q.idle_workers,
    ),
    QueueGauge(
        name="longhaul_queue_paused", text="1: an operator has paused the queue.", value=lambda q: q.paused is not None
    ),
)
OVERDUE = Gauge(
    name="longhaul_schedule_overdue_seconds",
    text="By how much the schedule that is most behind is late now; 0: none is.",
)
ALERTS = Gauge(name="longhaul_alerts_open", text="Incidents that Longhaul itself has told of.", labels=("rule",))
GAUGES: tuple[Gauge, ...] = (*OF_QUEUES, OVERDUE, ALERTS)


def measured() -> dict[str, list[Sample]]:
    """Samples by the gauge's name."""
    queues = figures()
    found = {gauge.name: list(_of_queues(gauge, queues)) for gauge in OF_QUEUES}
    return found | {OVERDUE.name: [((), _overdue_seconds())], ALERTS.name: _open_alerts()}


def _of_queues(gauge: QueueGauge, queues: list[QueueFigures]) -> Iterable[Sample]:
    for queue in queues:
        value = gauge.value(queue)
        if value is not None:
            yield (queue.name,), float(value)


def _overdue_seconds() -> float:
    first = Schedule.objects.going().aggregate(first=Min("next_due_at"))["first"]
    return max((database_now() - first).total_seconds(), 0.0) if first else 0.0


def _open_alerts() -> list[Sample]:
    counted = dict(Alert.objects.open().order_by().values_list("rule").annotate(n=Count("pk")))
    return [((rule,), float(counted.get(rule, 0))) for rule in AlertRule.values]
