"""How queues do, what is wrong, and who was told. `pausing` is the page of the queues themselves."""

from datetime import datetime
from urllib.parse import urlsplit

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from tasks_app.models import Alert, Delivery, QueueSample

from .base import ReadOnlyAdmin
from .pausing import QueueStateAdmin

__all__ = ["AlertAdmin", "DeliveryAdmin", "QueueSampleAdmin", "QueueStateAdmin"]


class StateFilter(admin.SimpleListFilter):
    """`states`: what each is called in the address, on the page, and in the database."""

    title = "state"
    parameter_name = "state"
    states: dict[str, tuple[str, Q]]

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(state, said) for state, (said, _) in self.states.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:  # type: ignore[type-arg]
        chosen = self.states.get(self.value() or "")
        return queryset.filter(chosen[1]) if chosen else queryset


class AlertState(StateFilter):
    states = {"open": ("open", Q(resolved_at=None)), "resolved": ("resolved", Q(resolved_at__isnull=False))}


class DeliveryState(StateFilter):
    states = {
        "waiting": ("to be sent", Q(done_at=None)),
        "sent": ("sent", Q(done_at__isnull=False, error="")),
        "given_up": ("given up", Q(done_at__isnull=False) & ~Q(error="")),
    }


@admin.register(QueueSample)
class QueueSampleAdmin(ReadOnlyAdmin):
    list_display = (
        *("queue", "time", "depth", "held", "unserved", "running", "workers", "idle_workers"),
        *("arrivals", "completions", "oldest", "drain"),
    )
    list_filter = ("queue",)
    ordering = ("-at",)

    @admin.display(description="at", ordering="at")
    def time(self, sample: QueueSample) -> str:
        return _time(sample.at)

    @admin.display(description="oldest, s")
    def oldest(self, sample: QueueSample) -> str:
        return f"{sample.oldest_seconds:.0f}"

    @admin.display(description="drain, min")
    def drain(self, sample: QueueSample) -> str:
        return "no end in sight" if sample.drain_minutes is None else f"{sample.drain_minutes:.2g}"


@admin.register(Alert)
class AlertAdmin(ReadOnlyAdmin):
    list_display = ("rule", "subject", "text", "opened", "resolved")
    list_filter = (AlertState, "rule")
    ordering = ("-id",)

    @admin.display(ordering="opened_at")
    def opened(self, alert: Alert) -> str:
        return _time(alert.opened_at)

    @admin.display(ordering="resolved_at")
    def resolved(self, alert: Alert) -> str:
        return _time(alert.resolved_at) if alert.resolved_at else "open"


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("subject", "to", "state", "tries", "created", "error")
    list_filter = (DeliveryState, "channel")
    fields = ("channel", "to", "subject", "body", "created_at", "due_at", "tries", "state", "done_at", "error")
    ordering = ("-id",)

    @admin.display
    def to(self, delivery: Delivery) -> str:
        """Of a webhook only its host: many an address is a secret as a whole."""
        if delivery.channel == Delivery.Channel.WEBHOOK:
            return urlsplit(delivery.address).hostname or ""
        return delivery.address

    @admin.display(ordering="created_at")
    def created(self, delivery: Delivery) -> str:
        return _time(delivery.created_at)

    @admin.display
    def state(self, delivery: Delivery) -> str:
        if delivery.done_at is None:
            return "to be sent"
        return "given up" if delivery.error else "sent"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
