"""What a start from scratch costs, before an operator says yes to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse

from tasks_app.lifecycle.retry import cost_of_scratch
from tasks_app.models import Task

CONFIRMED = "confirmed"
# Tasks named one by one; the sum is over all.
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class Priced:
    task: Task
    calls: int
    tokens: int

    @property
    def name(self) -> str:
        return self.task.document.name if self.task.document else self.task.kind

    @property
    def said(self) -> str:
        return said(self.calls, self.tokens)


def question(request: HttpRequest, tasks: QuerySet[Task], model_admin: admin.ModelAdmin[Task]) -> TemplateResponse:
    """The page that says what it costs and asks, as that of Django's own deletion does."""
    chosen = list(tasks.select_related("owner", "document").order_by("pk"))
    priced = [_priced(task) for task in chosen if task.can_be_retried]
    context: dict[str, Any] = {
        **model_admin.admin_site.each_context(request),
        "title": "From scratch?",
        "opts": model_admin.model._meta,
        "chosen": chosen,
        "priced": priced[:MOST_LISTED],
        "count": len(priced),
        "others": len(chosen) - len(priced),
        "said": said(sum(one.calls for one in priced), sum(one.tokens for one in priced)),
        "checkbox": ACTION_CHECKBOX_NAME,
        "confirmed": CONFIRMED,
        "media": model_admin.media,
    }
    return TemplateResponse(request, "admin/tasks_app/task/scratch.html", context)


def said(calls: int, tokens: int) -> str:
    return f"{calls:,} model call{'' if calls == 1 else 's'} and {tokens:,} tokens"


def _priced(task: Task) -> Priced:
    cost = cost_of_scratch(task.pk)
    return Priced(task, calls=cost.calls, tokens=cost.prompt_tokens + cost.completion_tokens)
