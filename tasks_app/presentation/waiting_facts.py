"""What is known of a page's waiting tasks besides their rows: one bounded query for each fact, however many wait."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F

from tasks_app.lifecycle.allowance import allowance_of
from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Attempt, QueueState, Status, Task, Worker
from tasks_app.models.worker import Service

from .lines import Line, line_of_owner, line_of_queue
from .pace import WINDOW, Pace, pace_of

# Ends looked at, of all queues and users: where there are more in ten minutes, they tell of a shorter time.
ENDS_LOOKED_AT = 1000
# Workers that are gone, of which the last one of a queue is looked for.
WORKERS_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Slots:
    owner_id: int
    held: int
    active: int

    @property
    def are_full(self) -> bool:
        return self.held >= self.active


@dataclass(frozen=True, slots=True)
class End:
    queue: str
    owner_id: int | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingFacts:
    """`last`: attempts since a retry. `service`: by queue, the kinds that its workers know; `served_until`: of queues
    without workers, when the last one was heard of. `pauses`: by queue and by kind. `ends`: the newest first.
    """

    now: datetime
    service: Service
    served_until: dict[str, datetime]
    pauses: tuple[dict[str, QueueState], dict[str, QueueState]]
    last: dict[UUID, Attempt]
    slots: dict[int, Slots]
    queues: dict[str, Line]
    owners: dict[int, Line]
    ends: list[End]

    def pause_of(self, task: Task) -> QueueState | None:
        of_queues, of_kinds = self.pauses
        return of_queues.get(task.queue) or of_kinds.get(task.kind)

    def slots_of(self, task: Task) -> Slots | None:
        """Of an owner who has no free slot."""
        slots = self.slots.get(task.owner_id) if task.owner_id is not None else None
        return slots if slots and slots.are_full else None

    def pace_of_queue(self, queue: str) -> Pace | None:
        return self._pace(self.queues[queue], (end.at for end in self.ends if end.queue == queue))

    def pace_of_owner(self, owner_id: int) -> Pace | None:
        return self._pace(self.owners[owner_id], (end.at for end in self.ends if end.owner_id == owner_id))

    def _pace(self, line: Line, ends: Iterable[datetime]) -> Pace | None:
        return pace_of(list(ends), since=line.since, now=self.now) if line.since else None


def waiting_facts(tasks: Sequence[Task]) -> WaitingFacts:
    """Of tasks that are pending or queued."""
    now, service = database_now(), Worker.objects.live_service()
    slots = _slots({task.owner_id for task in tasks if task.status == Status.PENDING and task.owner_id is not None})
    queues = {task.queue for task in tasks if task.status == Status.QUEUED and task.queue in service}
    owners = [owner_id for owner_id, one in slots.items() if one.are_full]
    last = Attempt.objects.filter(task__in=[task.pk for task in tasks if task.attempt], number=F("task__attempt"))
    return WaitingFacts(
        now=now,
        service=service,
        served_until=_served_until({task.queue for task in tasks} - set(service)),
        pauses=_pauses(),
        last={attempt.task_id: attempt for attempt in last.counted()},
        slots=slots,
        queues={queue: line_of_queue(queue, service[queue]) for queue in queues},
        # A page is one user's.
        owners={owner_id: line_of_owner(owner_id, service) for owner_id in owners},
        ends=_ends(now) if queues or owners else [],
    )


def _pauses() -> tuple[dict[str, QueueState], dict[str, QueueState]]:
    paused = list(QueueState.objects.paused().select_related("paused_by"))
    return {one.queue: one for one in paused if one.queue}, {one.kind: one for one in paused if one.kind}


def _slots(owners: Collection[int]) -> dict[int, Slots]:
    if not owners:
        return {}
    holding = Task.objects.filter(owner__in=owners).holding_slots().order_by().values("owner_id")
    held = dict(holding.annotate(n=Count("*")).values_list("owner_id", "n"))
    return {owner: Slots(owner, held.get(owner, 0), limits.active) for owner, limits in allowance_of(owners).items()}


def _served_until(queues: set[str]) -> dict[str, datetime]:
    if not queues:
        return {}
    gone = Worker.objects.exclude(kinds=[]).order_by("-heartbeat_at")
    found: dict[str, datetime] = {}
    for served, heard_at, stopped_at in gone.values_list("queues", "heartbeat_at", "stopped_at")[:WORKERS_LOOKED_AT]:
        for queue in queues & set(served):
            found[queue] = max(stopped_at or heard_at, found.get(queue, heard_at))
    return found


def _ends(now: datetime) -> list[End]:
    ended = Task.objects.finished().filter(started_at__isnull=False, finished_at__gt=now - WINDOW)
    newest = ended.order_by("-finished_at").values_list("queue", "owner_id", "finished_at")[:ENDS_LOOKED_AT]
    return [End(queue, owner_id, at) for queue, owner_id, at in newest if at is not None]
