"""The rows behind tasks, to look at."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from tasks_app.models import (
    Allowance,
    ApiToken,
    Attempt,
    Document,
    GroupAllowance,
    IdempotencyKey,
    StepResult,
    Worker,
)

from .base import ReadOnlyAdmin


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("task", "number", "worker", "started_at", "finished_at", "outcome", "spent", "error_code")
    list_filter = ("outcome", "spent")
    list_select_related = ("task", "worker")
    search_fields = ("=task__id",)
    ordering = ("-id",)


@admin.register(StepResult)
class StepResultAdmin(ReadOnlyAdmin):
    list_display = (
        "task",
        "index",
        "name",
        "status",
        "tries",
        "attempt",
        "duration_seconds",
        "error_code",
        "superseded",
    )
    list_filter = ("status", "superseded")
    list_select_related = ("task",)
    search_fields = ("=task__id",)
    ordering = ("-id",)


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("host", "pid", "queues", "heartbeat_at", "stopped_at", "task_id_in_hand", "child_restarts")
    ordering = ("-id",)


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ("name", "owner", "media_type", "size", "created_at")
    list_select_related = ("owner",)
    search_fields = ("=id", "=sha256", "=owner__username")
    ordering = ("-id",)


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(ReadOnlyAdmin):
    list_display = ("key", "owner", "task", "created_at")
    list_select_related = ("owner", "task")
    search_fields = ("=key", "=owner__username")
    ordering = ("-id",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Issued by `manage.py apitoken`, which shows a token once; revoked here by deleting its row."""

    list_display = ("name", "owner", "created_at")
    list_select_related = ("owner",)
    search_fields = ("=owner__username",)
    fields = ("name", "owner", "created_at")
    ordering = ("-id",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(Allowance)
class AllowanceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("owner", "active_tasks", "waiting_tasks")
    list_select_related = ("owner",)
    search_fields = ("=owner__username",)
    raw_id_fields = ("owner",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # The row is the lock under which the user's slots are counted.
        return False


@admin.register(GroupAllowance)
class GroupAllowanceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("group", "active_tasks", "waiting_tasks")
    list_select_related = ("group",)
