"""The model calls of tasks, and the tries in vain. An answer is shown on a call's own page, never in a list."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from tasks_app.models import CallOutcome, ModelCall, Status, StepTries, Task

from .base import ReadOnlyAdmin, ReadOnlyInline, end_of
from .many import RecentValuesFilter

KEY_CHARACTERS = 12


class InDoubtFilter(admin.SimpleListFilter):
    title = "whether it is in doubt"
    parameter_name = "in_doubt"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "In doubt")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return ModelCall.objects.in_doubt() & queryset if self.value() == "1" else queryset


@admin.register(ModelCall)
class ModelCallAdmin(ReadOnlyAdmin):
    list_display = (
        "of_task",
        "step_index",
        "attempt",
        "how",
        "key",
        "tokens",
        "sent_at",
        "closed_at",
    )
    list_filter = (InDoubtFilter, ("outcome", RecentValuesFilter), ("model_name", RecentValuesFilter))
    list_select_related = ("task",)
    search_fields = ("=task__id", "=idempotency_key")
    search_help_text = "A task's whole id, or a whole idempotency key."
    ordering = ("-id",)

    @admin.display(description="task", ordering="task")
    def of_task(self, call: ModelCall) -> str:
        return end_of(call.task_id)

    @admin.display(description="outcome", ordering="outcome")
    def how(self, call: ModelCall) -> str:
        if call.outcome != CallOutcome.OPEN:
            return call.outcome
        in_flight = call.task.status == Status.RUNNING and call.attempt == call.task.attempt
        return "in flight" if in_flight else "in doubt"

    @admin.display(description="tokens")
    def tokens(self, call: ModelCall) -> str:
        return f"{call.prompt_tokens:,} in, {call.completion_tokens:,} out"

    @admin.display(description="idempotency key")
    def key(self, call: ModelCall) -> str:
        return f"{call.idempotency_key[:KEY_CHARACTERS]}…"


@admin.register(StepTries)
class StepTriesAdmin(ReadOnlyAdmin):
    list_display = ("task", "index", "tries", "attempt")
    list_select_related = ("task",)
    search_fields = ("=task__id",)
    ordering = ("-id",)


class StepTriesInline(ReadOnlyInline):
    model = StepTries
    verbose_name_plural = "Steps without a result, tried in vain"
    fields = readonly_fields = ("index", "tries", "attempt")
    ordering = ("index",)


def link_to_calls(task: Task) -> str:
    """ "12 calls, 1 in doubt", leading to their list."""
    calls = ModelCall.objects.filter(task=task)
    count, doubt = calls.count(), calls.in_doubt().count()
    if not count:
        return "none"
    text = f"{count} call{'' if count == 1 else 's'}{f', {doubt} in doubt' if doubt else ''}"
    address = f"{reverse('admin:tasks_app_modelcall_changelist')}?{urlencode({'task__id__exact': str(task.pk)})}"
    return format_html('<a href="{}">{}</a>', address, text)
