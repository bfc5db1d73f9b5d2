from uuid import UUID

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from .many import FarEnough


def end_of(task_id: UUID) -> str:
    """Of a task's id, for lists. Its beginning is a time, alike for all of a day."""
    # The joiner keeps it on one line.
    return f"…\u2060{task_id.hex[-8:]}"


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that only Longhaul itself writes: a hand edit would break a guarantee."""

    show_full_result_count = False
    list_per_page = 50
    paginator = FarEnough

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
