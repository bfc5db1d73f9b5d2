from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from uuid_utils.compat import uuid7

from .document import Document
from .literal import Literal, literals
from .queue import QueueState
from .states import ACTIVE, FINAL, HOLDS_SLOT, WAITING, ErrorCode, Status
from .values import StoredValue
from .worker import Worker, silent_after


@dataclass(frozen=True, slots=True)
class AttemptRef:
    """One attempt of one task: what every write of an attempt is guarded by."""

    task_id: UUID
    number: int

    def __str__(self) -> str:
        return f"{self.task_id}#{self.number}"


class TaskQuerySet(models.QuerySet["Task"]):
    def owned_by(self, owner_id: int | None) -> Self:
        return self.filter(owner_id=owner_id)

    def in_status(self, status: Status) -> Self:
        return self.filter(status=Literal(status))

    def active(self) -> Self:
        return self.filter(status__in=literals(ACTIVE))

    def waiting(self) -> Self:
        return self.filter(status__in=literals(WAITING))

    def pending(self) -> Self:
        return self.filter(status=Literal(Status.PENDING))

    def queued(self) -> Self:
        return self.filter(status=Literal(Status.QUEUED))

    def running(self) -> Self:
        return self.filter(status=Literal(Status.RUNNING))

    def finished(self) -> Self:
        return self.filter(status__in=literals(FINAL))

    def holding_slots(self) -> Self:
        return self.filter(status__in=literals(HOLDS_SLOT))

    def held_by(self, ref: AttemptRef) -> Self:
        """The row, if that attempt owns it."""
        return self.filter(pk=ref.task_id, status=Literal(Status.RUNNING), attempt=ref.number)

    def served(self, service: Mapping[str, Collection[str]]) -> Self:
        """Of a kind that a worker of its queue knows. `service`: `Worker.objects.live_service()`."""
        return self.filter(_is_served(service))

    def unserved(self, service: Mapping[str, Collection[str]]) -> Self:
        return self.exclude(_is_served(service))

    def unpaused(self) -> Self:
        """Of no queue and no kind that somebody paused."""
        return self.exclude(_is_paused())

    def stranded(self, service: Mapping[str, Collection[str]]) -> Self:
        """Queued, and of a kind that nobody serves or of what is paused: they hold slots for nothing."""
        return self.queued().exclude(_is_served(service) & ~_is_paused())

    def of_line(self, *, queue: str = "", kind: str = "") -> Self:
        """Of that queue, or of that kind in whatever queue."""
        return self.filter(queue=queue) if queue else self.filter(kind=kind)

    def not_of_line(self, *, queue: str = "", kind: str = "") -> Self:
        return self.exclude(queue=queue) if queue else self.exclude(kind=kind)

    def admissible(self, service: Mapping[str, Collection[str]]) -> Self:
        """Pending, due, served and not paused; best first."""
        return (
            self.pending()
            .served(service)
            .unpaused()
            .filter(available_at__lte=Now())
            .order_by(F("started_at").asc(nulls_last=True), "-operator_priority", "-priority", "pk")
        )

    def claimable(self, queue: str, kinds: Collection[str]) -> Self:
        """Of a queue, for a worker that knows these kinds; `lifecycle.line` says which is best."""
        return self.queued().filter(queue=queue, kind__in=kinds).unpaused()

    def orphaned(self) -> Self:
        """Running rows whose worker is missing, gone, silent, or in a later heartbeat names something else."""
        silent = Q(worker=None) | Q(worker__stopped_at__isnull=False)
        silent |= Q(worker__heartbeat_at__lte=Now() - silent_after())
        elsewhere = Q(worker__heartbeat_at__gt=F("claimed_at")) & (
            Q(worker__task_id_in_hand=None)
            | ~Q(worker__task_id_in_hand=F("id"))
            | ~Q(worker__attempt_in_hand=F("attempt"))
        )
        return self.running().filter(silent | elsewhere)

    def expired(self) -> Self:
        """Waiting, never started, and too late. While they are paused their time stands still."""
        return self.waiting().unpaused().filter(started_at=None, expires_at__lte=Now())

    def past_deadline(self) -> Self:
        return self.filter(deadline_at__lte=Now())

    def due_for(self, span: timedelta) -> Self:
        """Submitted, and due since, so long ago or longer."""
        return self.filter(available_at__lte=Now() - span, created_at__lte=Now() - span)


def _is_served(service: Mapping[str, Collection[str]]) -> Q:
    served = Q(pk__in=())
    for queue, kinds in service.items():
        served |= Q(queue=queue, kind__in=sorted(kinds))
    return served


def _is_paused() -> Q:
    # Not correlated with the row, so that the database looks once for each statement.
    paused = QueueState.objects.paused().order_by()
    queues, kinds = paused.exclude(queue="").values("queue"), paused.exclude(kind="").values("kind")
    return Q(queue__in=queues) | Q(kind__in=kinds)


class Task(StoredValue):
    """One submission: a durable row that a user watches. The row is the truth."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="tasks")
    kind = models.CharField(max_length=200)
    queue = models.CharField(max_length=50)
    payload = models.JSONField(default=dict, help_text='{"args": [...], "kwargs": {...}}')
    document = models.ForeignKey(Document, models.RESTRICT, null=True, blank=True, related_name="tasks")
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    priority = models.SmallIntegerField(default=0, help_text="Orders its owner's own tasks.")
    operator_priority = models.SmallIntegerField(default=0, help_text="Orders all tasks of a queue.")

    attempt = models.PositiveIntegerField(default=0, help_text="Number of the last attempt; only ever raised.")
    attempts_floor = models.PositiveIntegerField(default=0, help_text="Attempts up to this number no longer count.")
    max_attempts = models.PositiveSmallIntegerField()
    attempt_timeout = models.DurationField()
    deadline_after = models.DurationField(help_text="From the first start.")
    call_timeout = models.DurationField(null=True, blank=True, help_text="Of one model call. Empty: the setting's.")
    fresh = models.BooleanField(
        default=False, db_default=False, help_text="Uses no answer that an earlier task of its owner got."
    )

    created_at = models.DateTimeField(db_default=Now())
    available_at = models.DateTimeField(db_default=Now())
    queued_at = models.DateTimeField(null=True, blank=True, help_text="Last put in line.")
    expires_at = models.DateTimeField(help_text="Ends it if it has not started by then.")
    claimed_at = models.DateTimeField(null=True, blank=True, help_text="Start of the last attempt.")
    started_at = models.DateTimeField(null=True, blank=True, help_text="First start.")
    deadline_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    cancel_is_forced = models.BooleanField(
        default=False, db_default=False, help_text="After a grace its program is killed, whatever it does."
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    worker = models.ForeignKey(Worker, models.SET_NULL, null=True, blank=True, related_name="tasks")

    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    progress_message = models.CharField(max_length=200, blank=True)
    failed_items = models.PositiveIntegerField(default=0)
    reused_calls = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Answers taken from an earlier task of its owner, unpaid."
    )
    error_code = models.CharField(max_length=30, choices=ErrorCode, blank=True)
    error_text = models.TextField(blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    secrets = models.TextField(
        blank=True, db_default="", help_text="Encrypted input, such as a password; gone when the task ends."
    )
    version = models.PositiveBigIntegerField(default=1, help_text="Raised by every visible change.")
    reset_version = models.PositiveBigIntegerField(default=0, help_text="Version of the last start from scratch.")

    objects = TaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "fingerprint"],
                name="task_active_twin",
                condition=Q(status__in=ACTIVE) & ~Q(fingerprint=""),
            ),
            models.CheckConstraint(
                name="task_finished_at_is_of_final_states",
                condition=Q(status__in=FINAL, finished_at__isnull=False)
                | Q(status__in=ACTIVE, finished_at__isnull=True),
            ),
            models.CheckConstraint(name="task_secrets_end_with_it", condition=Q(status__in=ACTIVE) | Q(secrets="")),
            models.CheckConstraint(
                name="task_failed_has_a_code", condition=~Q(status=Status.FAILED) | ~Q(error_code="")
            ),
        ]
        indexes = [
            models.Index(fields=["queue"], name="task_claimable", condition=Q(status=Status.QUEUED)),
            # In the order of admission, so that the best of an owner's 10,000 rows are found without sorting them.
            models.Index(
                fields=["owner", "started_at", "-operator_priority", "-priority", "id"],
                name="task_admissible",
                condition=Q(status=Status.PENDING),
            ),
            models.Index(fields=["queue", "available_at"], name="task_depth", condition=Q(status__in=WAITING)),
            models.Index(fields=["finished_at"], name="task_finished", condition=Q(status__in=FINAL)),
            models.Index(fields=["owner", "status"], name="task_slots", condition=Q(status__in=HOLDS_SLOT)),
            models.Index(fields=["worker"], name="task_of_worker", condition=Q(status=Status.RUNNING)),
            models.Index(fields=["expires_at"], name="task_expiry", condition=Q(status__in=WAITING, started_at=None)),
            models.Index(
                fields=["deadline_at"], name="task_deadline", condition=Q(status__in=ACTIVE, deadline_at__isnull=False)
            ),
            models.Index(fields=["owner", "-id"], name="task_list"),
            models.Index(fields=["owner", "status", "-id"], name="task_list_by_status"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def is_final(self) -> bool:
        return self.status in FINAL

    @property
    def kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = self.payload.get("kwargs", {})
        return kwargs

    @property
    def call_limit(self) -> timedelta:
        """Of one model call."""
        return self.call_timeout or timedelta(seconds=settings.LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS)

    @property
    def reused_now(self) -> int:
        """Answers of earlier tasks that it goes on with: none where it is fresh, since its last start from scratch."""
        return 0 if self.fresh else self.reused_calls

    @property
    def ref(self) -> AttemptRef:
        return AttemptRef(self.pk, self.attempt)

    @property
    def can_be_retried(self) -> bool:
        return self.status in (Status.FAILED, Status.CANCELLED) or (
            self.status == Status.SUCCEEDED and self.failed_items > 0
        )
