"""The end of tasks whose kind is gone: no worker of their queue knows it any more."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from tasks_app.models import ErrorCode, Task, Worker
from tasks_app.models.worker import silent_after

from .clock import database_now
from .expiry import AT_ONCE, fail_waiting


@dataclass(frozen=True, slots=True)
class Stay:
    """A worker of a queue: when it started, what it knows, and from when until when it surely knew just that."""

    kinds: frozenset[str]
    started_at: datetime
    since: datetime
    until: datetime


def fail_unknown_kinds() -> int:
    """Fail waiting tasks whose kind no worker of their queue has known lately; returns how many.

    Lately is the time from LONGHAUL_UNKNOWN_KIND_SECONDS ago until now, by the database's clock. It is decided from
    the rows alone. A task fails when

    - it is not paused, was submitted before, and was due all the time: a retry and the end of an attempt begin the time
      anew;
    - no worker that served its queue lately knows its kind, those that have left meanwhile included;
    - none of them changed lately what it knows, or was silent: it may have known the kind until then;
    - its queue was served all the time, by workers that had reported what they know, one after the other or side by
      side. Between two of them may be a gap, a restart, no longer than a worker may be silent.

    So while all workers of a queue are away nobody fails, and when they are back the time begins anew.
    """
    lately = timedelta(seconds=settings.LONGHAUL_UNKNOWN_KIND_SECONDS)
    waiting = Task.objects.waiting().unpaused().due_for(lately)
    failed = 0
    for queue, kind in waiting.unserved(Worker.objects.live_service()).values_list("queue", "kind").distinct():
        if failed < AT_ONCE and _is_gone(kind, _stays(queue, lately), until=database_now(), lately=lately):
            of_kind = waiting.filter(queue=queue, kind=kind)
            text = _text(queue, kind, lately)
            failed += fail_waiting(of_kind, code=ErrorCode.UNKNOWN_KIND, text=text, at_most=AT_ONCE - failed)
    return failed


def _stays(queue: str, lately: timedelta) -> list[Stay]:
    return [
        Stay(
            kinds=frozenset(worker.kinds),
            started_at=worker.started_at,
            since=worker.serving_since or worker.started_at,
            until=worker.stopped_at or worker.heartbeat_at + silent_after(),
        )
        for worker in Worker.objects.serving_within(lately)
        if queue in worker.queues
    ]


def _is_gone(kind: str, stays: Sequence[Stay], *, until: datetime, lately: timedelta) -> bool:
    began = until - lately
    if any(kind in stay.kinds or stay.started_at < began < stay.since for stay in stays):
        return False
    return _is_covered(stays, began=began, until=until, gap=min(silent_after(), lately / 4))


def _is_covered(stays: Sequence[Stay], *, began: datetime, until: datetime, gap: timedelta) -> bool:
    """Whether there was always somebody."""
    reached = began
    for stay in sorted(stays, key=lambda stay: stay.since):
        if stay.since > reached + gap:
            return False
        reached = max(reached, stay.until)
    return reached >= until


def _text(queue: str, kind: str, lately: timedelta) -> str:
    minutes = lately.total_seconds() / 60
    return (
        f"No worker of the queue “{queue}” has known the kind “{kind}” for {minutes:.3g} minutes. "
        "The task can be retried once a worker knows it again."
    )
