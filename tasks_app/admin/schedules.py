"""Schedules and what came of their due times."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.options import ModelAdmin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from tasks_app.exceptions import LonghaulError
from tasks_app.models import Firing, FiringOutcome, Schedule
from tasks_app.schedules import changes
from tasks_app.schedules.calendar import BadTiming
from tasks_app.schedules.firing import fire_now

from .base import ReadOnlyAdmin, end_of
from .schedule_form import ZONES, ScheduleForm
from .schedule_rows import in_words, in_zone, last_firings, next_words, upcoming, zone_names

EVERYWHERE = (admin.ActionLocation.CHANGE_LIST, admin.ActionLocation.CHANGE_FORM)


@admin.register(Schedule)
class ScheduleAdmin(ModelAdmin):  # type: ignore[type-arg]
    form = ScheduleForm
    change_form_template = "admin/tasks_app/schedule/change_form.html"
    list_display = ("name", "kind", "times", "next_due", "last_outcome")
    list_filter = ("paused", "kind")
    search_fields = ("name", "kind")
    ordering = ("name",)
    raw_id_fields = ("owner",)
    actions = ("fire_now", "pause", "resume")
    fieldsets = (
        (None, {"fields": ("name", "kind", "input", "owner")}),
        ("When", {"fields": ("cron", "interval", "time_zone", "ends_at", "paused")}),
        ("What if", {"fields": ("overlap", "catch_up", "jitter")}),
    )
    levels: ClassVar[dict[str, int]] = {
        FiringOutcome.FIRED: messages.SUCCESS,
        FiringOutcome.FAILED: messages.ERROR,
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Schedule]:
        last = Firing.objects.filter(schedule=OuterRef("pk")).order_by("-due_at")
        return Schedule.objects.annotate(last=Subquery(last.values("outcome")[:1])).order_by(*self.ordering)

    @admin.display(description="when")
    def times(self, schedule: Schedule) -> str:
        return in_words(schedule)

    @admin.display(description="due next", ordering="next_due_at")
    def next_due(self, schedule: Schedule) -> str:
        return next_words(schedule)

    @admin.display(description="last time", ordering="last")
    def last_outcome(self, schedule: Any) -> str:
        return schedule.last or ""

    def render_change_form(self, request: HttpRequest, context: Any, *arguments: Any, **keywords: Any) -> Any:
        schedule = context["adminform"].form.instance
        shown = {
            "schedule": schedule,
            "upcoming": upcoming(schedule),
            "firings": last_firings(schedule) if schedule.pk else [],
            "zones": zone_names(),
            "zones_id": ZONES,
        }
        return super().render_change_form(request, context | shown, *arguments, **keywords)

    def save_model(self, request: HttpRequest, obj: Schedule, form: Any, change: bool) -> None:
        changes.save(obj)
        if obj.next_due_at:
            self.message_user(request, f"It is due next on {in_zone(obj.next_due_at, obj)}.", messages.INFO)
        elif obj.stopped_because:
            self.message_user(request, obj.stopped_because, messages.WARNING)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        # Firings go with their schedule, though nobody may delete one by itself; and there may be far too many to list.
        schedules = list(objs)
        counts = {"schedules": len(schedules), "firings": Firing.objects.filter(schedule__in=schedules).count()}
        missing = set() if self.has_delete_permission(request) else {"schedule"}
        return [str(schedule) for schedule in schedules], counts, missing, []

    def delete_model(self, request: HttpRequest, obj: Schedule) -> None:
        changes.delete([obj.pk])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Schedule]) -> None:
        changes.delete(list(queryset.values_list("pk", flat=True)))

    @admin.action(description="Fire now", permissions=["change"], location=EVERYWHERE)
    def fire_now(self, request: HttpRequest, schedules: QuerySet[Schedule]) -> None:
        for schedule in schedules:
            try:
                firing = fire_now(schedule.pk, by=str(request.user))
            except LonghaulError as error:
                self.message_user(request, str(error), messages.WARNING)
                continue
            self.log_change(request, schedule, f"Fired by hand: {firing.get_outcome_display()}.")
            self.message_user(request, _said(firing), self.levels.get(firing.outcome, messages.WARNING))

    @admin.action(description="Pause", permissions=["change"], location=EVERYWHERE)
    def pause(self, request: HttpRequest, schedules: QuerySet[Schedule]) -> None:
        paused = [schedule for schedule in schedules if changes.pause(schedule.pk)]
        self._tell(request, paused, "Paused.")

    @admin.action(description="Resume", permissions=["change"], location=EVERYWHERE)
    def resume(self, request: HttpRequest, schedules: QuerySet[Schedule]) -> None:
        resumed = []
        for schedule in schedules:
            try:
                resumed += [schedule] if changes.resume(schedule.pk) else []
            except BadTiming as error:
                self.message_user(request, f"{schedule.name}: {error}", messages.WARNING)
        self._tell(request, resumed, "Resumed.")

    def _tell(self, request: HttpRequest, done: list[Schedule], verb: str) -> None:
        for schedule in done:
            self.log_change(request, schedule, verb)
        names = ", ".join(schedule.name for schedule in done)
        self.message_user(request, f"{verb[:-1]}: {names}." if done else "Nothing to do.", messages.SUCCESS)


def _said(firing: Firing) -> str:
    name = firing.schedule.name
    if firing.task_id is None:
        return f"{name}: {firing.get_outcome_display()}. {firing.reason}"
    address = reverse("admin:tasks_app_task_change", args=[firing.task_id])
    return format_html('{}: made <a href="{}">its task</a>.', name, address)


@admin.register(Firing)
class FiringAdmin(ReadOnlyAdmin):
    list_display = ("schedule", "due_at", "fired_at", "outcome", "of_task", "reason")
    list_filter = ("outcome", "schedule")
    list_select_related = ("schedule", "task")
    ordering = ("-id",)

    @admin.display(description="task", ordering="task")
    def of_task(self, firing: Firing) -> str:
        return end_of(firing.task_id) if firing.task_id else ""
