"""Schedules and what came of their due times."""

from django.contrib import admin

from tasks_app.models import Firing, Schedule

from .base import ReadOnlyAdmin


@admin.register(Schedule)
class ScheduleAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "kind", "cron", "interval", "time_zone", "next_due_at", "paused")
    raw_id_fields = ("owner",)


@admin.register(Firing)
class FiringAdmin(ReadOnlyAdmin):
    list_display = ("schedule", "due_at", "fired_at", "outcome", "task", "reason")
    list_filter = ("outcome",)
    list_select_related = ("schedule", "task")
    ordering = ("-id",)
