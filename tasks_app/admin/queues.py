"""Queues: what is paused, how they do, what is wrong."""

from django.contrib import admin

from tasks_app.models import Alert, Delivery, QueueSample, QueueState

from .base import ReadOnlyAdmin


@admin.register(QueueState)
class QueueStateAdmin(ReadOnlyAdmin):
    list_display = ("queue", "kind", "paused_at", "paused_by", "reason")
    list_select_related = ("paused_by",)


@admin.register(QueueSample)
class QueueSampleAdmin(ReadOnlyAdmin):
    list_display = ("queue", "at", "depth", "running", "workers", "arrivals", "completions", "drain_minutes")
    list_filter = ("queue",)
    ordering = ("-at",)


@admin.register(Alert)
class AlertAdmin(ReadOnlyAdmin):
    list_display = ("rule", "subject", "text", "opened_at", "resolved_at")
    list_filter = ("rule",)
    ordering = ("-id",)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("channel", "address", "subject", "created_at", "done_at", "tries", "error")
    ordering = ("-id",)
