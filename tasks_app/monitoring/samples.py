"""How each queue does now, and a row of it every second."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import QueueSample, QueueState

from .counts import NOTHING, Backlog, arrivals, backlogs, completions, running
from .drain import WINDOW_MINUTES, drain_minutes
from .service import Service, service_now

WINDOW = timedelta(minutes=WINDOW_MINUTES)


@dataclass(frozen=True, slots=True)
class Paused:
    """`by`: a user's name, "" where nobody is known."""

    by: str
    reason: str
    since: datetime


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """One queue of TASK_QUEUES now.

    `depth`: tasks that are due and wait. Of these are `held` those whose queue or kind is paused, and `unserved` the
    others whose kind no live worker of the queue knows. `arrivals`, `completions`: of the last ten minutes, the latter
    of tasks that had been started. `oldest_seconds`: since when the oldest of the depth is due, but for paused kinds;
    0 where there is none. `drain_minutes`: of what is not held; 0: nothing waits, None: something does, and nothing is
    done or all of it is paused. `idle_workers`: took nothing for LONGHAUL_ALERT_IDLE_WORKER_SECONDS, although something
    that they know has been claimable for as long.
    """

    name: str
    depth: int
    held: int
    unserved: int
    running: int
    workers: int
    idle_workers: int
    arrivals: int
    completions: int
    oldest_seconds: float
    drain_minutes: float | None
    paused: Paused | None


def figures() -> list[QueueFigures]:
    """Of each queue of TASK_QUEUES, in their order."""
    return _figures(database_now())


def take_samples() -> int:
    """Keep the figures of this second; returns for how many queues. A second that somebody kept is left as it is."""
    now = database_now()
    second = now.replace(microsecond=0)
    if QueueSample.objects.filter(at=second).exists():
        return 0
    rows = [_sample(queue, second) for queue in _figures(now)]
    return len(QueueSample.objects.bulk_create(rows, ignore_conflicts=True))


def _figures(now: datetime) -> list[QueueFigures]:
    names = list(settings.TASK_QUEUES)
    paused = list(QueueState.objects.paused().select_related("paused_by"))
    paused_queues = {state.queue: _paused(state) for state in paused if state.queue}
    held_kinds = {state.kind for state in paused if state.kind}
    service = service_now(names, held_kinds=held_kinds)
    waiting = backlogs(names, now=now, service=service.kinds, held_kinds=held_kinds)
    arrived, done, at_work = arrivals(names, since=now - WINDOW), completions(names, since=now - WINDOW), running(names)
    return [
        _of_queue(
            name,
            now=now,
            backlog=waiting.get(name, NOTHING),
            service=service,
            counts=(at_work.get(name, 0), arrived.get(name, 0), done.get(name, 0)),
            paused=paused_queues.get(name),
        )
        for name in names
    ]


def _of_queue(
    name: str, *, now: datetime, backlog: Backlog, service: Service, counts: tuple[int, int, int], paused: Paused | None
) -> QueueFigures:
    at_work, arrived, done = counts
    held = backlog.depth if paused else backlog.held
    all_held = backlog.depth == held > 0
    return QueueFigures(
        name=name,
        depth=backlog.depth,
        held=held,
        unserved=0 if paused else backlog.unserved,
        running=at_work,
        workers=service.workers.get(name, 0),
        idle_workers=0 if paused else service.idle_workers.get(name, 0),
        arrivals=arrived,
        completions=done,
        oldest_seconds=max((now - backlog.oldest).total_seconds(), 0.0) if backlog.oldest else 0.0,
        drain_minutes=None if all_held else drain_minutes(depth=backlog.depth - held, completions=done),
        paused=paused,
    )


def _paused(state: QueueState) -> Paused:
    if state.paused_at is None:
        raise AssertionError("a paused queue knows since when")
    return Paused(
        by=state.paused_by.get_username() if state.paused_by else "", reason=state.reason, since=state.paused_at
    )


def _sample(queue: QueueFigures, second: datetime) -> QueueSample:
    return QueueSample(
        queue=queue.name,
        at=second,
        depth=queue.depth,
        held=queue.held,
        unserved=queue.unserved,
        running=queue.running,
        workers=queue.workers,
        idle_workers=queue.idle_workers,
        arrivals=queue.arrivals,
        completions=queue.completions,
        oldest_seconds=queue.oldest_seconds,
        drain_minutes=queue.drain_minutes,
    )
