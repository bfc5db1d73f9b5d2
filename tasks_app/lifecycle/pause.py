"""Pause and resume: of a queue, or of a kind in whatever queue.

While something is paused nothing of it is admitted, claimed or ended by its time. What runs goes on to its end. When it
goes on, each task gets back the time that it lost.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Greatest, Now

from tasks_app.exceptions import InvalidInput, LonghaulError
from tasks_app.models import QueueState, Task
from tasks_app.models.task import TaskQuerySet
from tasks_app.signals import emit, task_changed
from tasks_app.text import one_line

from .admit_rows import give_back_rows
from .clock import database_now
from .guard import changed

# Rows given back with the pause itself; the tick gives back the others, and no worker claims them meanwhile.
AT_ONCE = 1000
LONGEST_REASON = 200


class AlreadyPaused(LonghaulError):
    """Somebody else was first (409); the first pause stands, with its reason."""

    code = "already_paused"

    def __init__(self, state: QueueState) -> None:
        since = f"{state.paused_at:%Y-%m-%d %H:%M} UTC" if state.paused_at else "now"
        who = f"by {state.paused_by}" if state.paused_by else "by the system"
        super().__init__(f"{_named(state)} is already paused, {who} since {since}: {state.reason}")
        self.state = state


@dataclass(frozen=True, slots=True)
class Span:
    """The time that a pause took from those it concerns."""

    since: datetime
    until: datetime


def pause(*, queue: str = "", kind: str = "", by_id: int | None, reason: str) -> int:
    """Pause the queue, or the kind; how many queued rows it gave back. Raises InvalidInput, AlreadyPaused.

    They are pending again and free their users' slots, which the next tick fills: a thousand of them at once, more by
    the ticks. A row that is being claimed at this moment runs.
    """
    reason = _checked(queue, kind, reason)
    with transaction.atomic():
        _set_paused(queue, kind, by_id=by_id, reason=reason)
        given_back = give_back_rows(Task.objects.queued().of_line(queue=queue, kind=kind), most=AT_ONCE)
        for row in given_back:
            emit(task_changed, task_id=row.task_id, owner_id=row.owner_id, version=row.version)
    return len(given_back)


def resume(*, queue: str = "", kind: str = "") -> bool:
    """Let it go on, from the next tick; False where it was not paused. One transaction, however many tasks wait.

    Started tasks get the length of the pause back on their deadline. The others get on their expiry what it took from
    them while they were due. Time that two pauses took at once is given back once.
    """
    with transaction.atomic():
        # All of them, so that two at once do not give back the same time.
        paused = list(QueueState.objects.paused().select_for_update().order_by("pk"))
        state = next((one for one in paused if (one.queue, one.kind) == (queue, kind)), None)
        if state is None or state.paused_at is None:
            return False
        _give_time_back(state, paused, Span(state.paused_at, database_now()))
        QueueState.objects.filter(pk=state.pk).update(paused_at=None, paused_by=None, reason="")
    return True


def lost_so_far(task: Task, now: datetime) -> timedelta:
    """What the pauses that go on now have taken from this task since it started, and will give back at their end."""
    if task.started_at is None:
        return timedelta(0)
    concern = QueueState.objects.paused().filter(Q(queue=task.queue) | Q(kind=task.kind))
    began = [max(paused_at, task.started_at) for paused_at in concern.values_list("paused_at", flat=True) if paused_at]
    return max(now - min(began, default=now), timedelta(0))


def _checked(queue: str, kind: str, reason: str) -> str:
    if bool(queue) == bool(kind):
        raise InvalidInput("Say which queue or which kind to pause: one of the two, not both.")
    reason = one_line(reason)
    if not reason:
        raise InvalidInput("Say why: those whose tasks wait will read it.", field="reason")
    if len(reason) > LONGEST_REASON:
        raise InvalidInput(f"The reason is longer than {LONGEST_REASON} characters.", field="reason")
    return reason


def _set_paused(queue: str, kind: str, *, by_id: int | None, reason: str) -> None:
    state, _ = QueueState.objects.get_or_create(queue=queue, kind=kind)
    # Of two at once the second waits here for the first, and then finds it paused.
    going_on = QueueState.objects.filter(pk=state.pk, paused_at=None)
    if not going_on.update(paused_at=Now(), paused_by_id=by_id, reason=reason):
        raise AlreadyPaused(QueueState.objects.select_related("paused_by").get(pk=state.pk))


def _give_time_back(state: QueueState, paused: list[QueueState], span: Span) -> None:
    """What another pause goes on taking from the same tasks, it gives back itself: this one until that one began."""
    concerned = Task.objects.active().of_line(queue=state.queue, kind=state.kind)
    for other in paused:
        if bool(other.queue) != bool(state.queue) and other.paused_at is not None:
            both = concerned.of_line(queue=other.queue, kind=other.kind)
            _extend(both, Span(span.since, min(span.until, other.paused_at)))
            concerned = concerned.not_of_line(queue=other.queue, kind=other.kind)
    _extend(concerned, span)


def _extend(tasks: TaskQuerySet, span: Span) -> None:
    if span.since >= span.until:
        return
    # What has started has a deadline: said so, the index on it is used, where else the whole table would be read.
    started = tasks.filter(started_at__lt=span.until, deadline_at__isnull=False)
    started.update(deadline_at=F("deadline_at") + _lost(span, "started_at"), version=F("version") + 1)
    for task in started.only("owner_id", "version"):
        changed(task)
    never_started = tasks.waiting().filter(started_at=None, available_at__lt=span.until)
    never_started.update(expires_at=F("expires_at") + _lost(span, "available_at"))


def _lost(span: Span, since: str) -> CombinedExpression:
    """Of the span, what lies after the moment in that column."""
    return Value(span.until) - Greatest(Value(span.since), F(since))


def _named(state: QueueState) -> str:
    return f"The queue {state.queue}" if state.queue else f"The kind {state.kind}"
