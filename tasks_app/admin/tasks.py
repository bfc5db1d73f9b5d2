from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from tasks_app.exceptions import LonghaulError
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.guard import changed
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Attempt, StepTries, Task
from tasks_app.text import shorten

from .adding import Adding, adding, admin_form
from .base import ReadOnlyAdmin, ReadOnlyInline, end_of
from .calls import StepTriesInline, link_to_calls
from .many import RecentValuesFilter, whole_id
from .scratch import CONFIRMED, question

NAME_CHARACTERS = 30
FORCE = f"Stop by force: kill its program after {settings.LONGHAUL_FORCED_STOP_GRACE_SECONDS:g} s"
TIMES = (
    "created_at",
    "started_at",
    "claimed_at",
    "deadline_after",
    "deadline_at",
    "cancel_requested_at",
    "cancel_is_forced",
    "finished_at",
)


class AttemptInline(ReadOnlyInline):
    model = Attempt
    fields = ("number", "worker", "started_at", "finished_at", "outcome", "spent", "error_code", "error_text")
    readonly_fields = fields
    ordering = ("number",)


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    """Only the operator's priority is edited by hand; everything else moves by the verbs. A new one is a submission."""

    add_form_template = "admin/tasks_app/task/add_form.html"
    list_display = ("short_id", "owner", "document_name", "status", "progress", "created_at", "error_code")
    list_filter = ("status", ("queue", RecentValuesFilter), ("kind", RecentValuesFilter), "error_code")
    list_select_related = ("owner", "document")
    search_fields = ("=id", "=owner__username")
    search_help_text = "A task's whole id, or a user name."
    ordering = ("-id",)
    actions = ("cancel_tasks", "stop_by_force", "retry_tasks", "retry_from_scratch")
    inlines = (AttemptInline,)
    raw_id_fields = ("owner", "worker", "document")

    fieldsets = (
        (None, {"fields": ("status", "owner", "kind", "queue", "document", "payload")}),
        ("Order", {"fields": ("priority", "operator_priority", "available_at", "expires_at")}),
        ("Progress", {"fields": ("progress_done", "progress_total", "progress_message", "failed_items")}),
        ("Failure", {"fields": ("error_code", "error_text")}),
        ("Model calls", {"fields": ("calls", "reused_calls", "fresh", "call_timeout")}),
        ("Attempts", {"fields": ("attempt", "attempts_floor", "max_attempts", "attempt_timeout", "worker")}),
        (
            "Times",
            {"fields": TIMES},
        ),
        ("Result", {"fields": ("value", "value_file", "value_size", "value_sha256")}),
        ("Versions", {"fields": ("version", "reset_version", "fingerprint")}),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Task], search_term: str
    ) -> tuple[QuerySet[Task], bool]:
        """Django's own would compare the id of each row as a text."""
        if not search_term.strip():
            return queryset, False
        task_id = whole_id(search_term)
        owners = list(
            get_user_model().objects.filter(username__iexact=search_term.strip()).values_list("pk", flat=True)
        )
        return queryset.filter(pk=task_id) if task_id else queryset.filter(owner__in=owners), False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    @method_decorator(sensitive_post_parameters())
    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        asked = adding(request)
        taken = asked.take() if request.method == "POST" else None
        if taken is None:
            return self._add_page(request, asked)
        if taken.created:
            self.log_addition(request, taken.task, [{"added": {}}])
            self.message_user(request, f"{asked.kind.title}: submitted.", messages.SUCCESS)
        else:
            self.message_user(request, "This is already being worked on: here it is.", messages.INFO)
        may_look = self.has_view_or_change_permission(request, taken.task)
        return redirect("admin:tasks_app_task_change", taken.task.pk) if may_look else redirect("admin:index")

    def _add_page(self, request: HttpRequest, asked: Adding) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "Add task",
            "subtitle": asked.kind.title,
            "adding": asked,
            "adminform": admin_form(asked.envelope, self),
            "kind_form": admin_form(asked.form, self),
            "inline_admin_formsets": [],
            "media": self.media + asked.media,
            "errors": asked.errors,
            "is_popup": False,
            "show_save_and_continue": False,
            "show_save_and_add_another": False,
        }
        return self.render_change_form(request, context, add=True)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_inlines(self, request: HttpRequest, obj: Task | None) -> Any:
        return [*self.inlines, StepTriesInline] if StepTries.objects.filter(task=obj).exists() else self.inlines

    def get_readonly_fields(self, request: HttpRequest, obj: Task | None = None) -> list[str]:
        return ["calls", *(field.name for field in Task._meta.fields if field.name != "operator_priority")]

    def save_model(self, request: HttpRequest, obj: Task, form: Any, change: bool) -> None:
        # Never obj.save(): it would write back a status that a worker has changed meanwhile.
        with transaction.atomic():
            Task.objects.filter(pk=obj.pk).update(operator_priority=obj.operator_priority, version=F("version") + 1)
            changed(Task.objects.get(pk=obj.pk))

    @admin.display(description="task", ordering="id")
    def short_id(self, task: Task) -> str:
        return end_of(task.pk)

    @admin.display(description="document")
    def document_name(self, task: Task) -> str:
        return shorten(task.document.name, NAME_CHARACTERS) if task.document else task.kind

    @admin.display(description="done")
    def progress(self, task: Task) -> str:
        return f"{task.progress_done} of {task.progress_total}" if task.progress_total else ""

    @admin.display(description="calls")
    def calls(self, task: Task) -> str:
        return link_to_calls(task)

    @admin.action(description="Cancel", permissions=["change"])
    def cancel_tasks(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        self._each(request, tasks, cancel, done="asked to stop")

    @admin.action(description=FORCE, permissions=["change"])
    def stop_by_force(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        self._each(request, tasks, partial(cancel, force=True), done="being stopped by force")

    @admin.action(description="Retry, keeping finished steps", permissions=["change"])
    def retry_tasks(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        self._each(request, tasks, retry, done="waiting again")

    @admin.action(description="Retry from scratch: says what it costs, and asks", permissions=["change"])
    def retry_from_scratch(self, request: HttpRequest, tasks: QuerySet[Task]) -> HttpResponse | None:
        if CONFIRMED not in request.POST:
            return question(request, tasks, self)
        self._each(request, tasks, partial(retry, from_scratch=True), done="waiting again from scratch")
        return None

    def _each(self, request: HttpRequest, tasks: QuerySet[Task], verb: Callable[[UUID], object], *, done: str) -> None:
        count = 0
        for task_id in tasks.order_by("pk").values_list("pk", flat=True):
            try:
                verb(task_id)
                count += 1
            except LonghaulError as error:
                self.message_user(request, f"{task_id}: {error}", messages.WARNING)
        if count:
            self.message_user(request, f"{count} {'task is' if count == 1 else 'tasks are'} {done}.", messages.SUCCESS)
