"""The page of queues and kinds: how they do, and who paused them. Pause and resume, with a reason and an entry in the
admin's log.
"""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from tasks_app.exceptions import InvalidInput, LonghaulError
from tasks_app.kinds.registry import known_kinds
from tasks_app.lifecycle.pause import LONGEST_REASON, pause, resume
from tasks_app.models import QueueState
from tasks_app.monitoring.samples import QueueFigures, figures

from .base import ReadOnlyAdmin

MAY_PAUSE = "tasks_app.change_queuestate"


class PauseForm(forms.Form):
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        widget=AdminTextInputWidget(attrs={"autofocus": True}),
        help_text="Users whose tasks wait read it: “Queue paused by you: model upgrade.”",
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the page. `sort`: queue or kind. `figures`: of a queue."""

    sort: str
    name: str
    state: QueueState | None
    figures: QueueFigures | None = None

    @property
    def is_paused(self) -> bool:
        return self.state is not None and self.state.paused_at is not None

    @property
    def said(self) -> str:
        if self.state is None or self.state.paused_at is None:
            return "Goes on"
        by = f" by {self.state.paused_by.get_username()}" if self.state.paused_by else ""
        return f"Paused{by} since {self.state.paused_at:%Y-%m-%d %H:%M} UTC: {self.state.reason}"

    @property
    def minutes_left(self) -> str:
        if self.figures is None or self.figures.drain_minutes is None:
            return "no end in sight"
        return f"{self.figures.drain_minutes:.2g}"


@admin.register(QueueState)
class QueueStateAdmin(ReadOnlyAdmin):
    def get_urls(self) -> list[URLPattern]:
        own = [
            path("pause/", self.admin_site.admin_view(self.pause_view), name="tasks_app_queuestate_pause"),
            path(
                "resume/",
                self.admin_site.admin_view(require_POST(self.resume_view)),
                name="tasks_app_queuestate_resume",
            ),
        ]
        return [*own, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        if not self.has_view_permission(request) and not request.user.has_perm(MAY_PAUSE):
            raise PermissionDenied
        queues, kinds = _lines()
        own = {"queues": queues, "kinds": kinds, "may_pause": request.user.has_perm(MAY_PAUSE)}
        return self._page(request, "change_list.html", title="Queues and kinds", **own)

    def pause_view(self, request: HttpRequest) -> HttpResponse:
        sort, name = _target(request, request.POST if request.method == "POST" else request.GET)
        form = PauseForm(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            try:
                given_back = pause(**{sort: name}, by_id=request.user.pk, reason=form.cleaned_data["reason"])
            except InvalidInput as error:
                form.add_error("reason", str(error))
            except LonghaulError as error:
                return self._back(request, str(error), messages.ERROR)
            else:
                return self._paused(request, sort, name, given_back=given_back)
        return self._page(request, "pause.html", title=f"Pause {name}?", sort=sort, name=name, form=form)

    def resume_view(self, request: HttpRequest) -> HttpResponse:
        sort, name = _target(request, request.POST)
        if not resume(**{sort: name}):
            return self._back(request, f"The {sort} {name} was not paused.", messages.INFO)
        self._log(request, sort, name, "Resumed.")
        return self._back(request, f"The {sort} {name} goes on.", messages.SUCCESS)

    def _paused(self, request: HttpRequest, sort: str, name: str, *, given_back: int) -> HttpResponse:
        self._log(request, sort, name, f"Paused: {request.POST['reason'].strip()}")
        waiting = f" {given_back} queued task{'' if given_back == 1 else 's'} wait again." if given_back else ""
        return self._back(request, f"The {sort} {name} is paused.{waiting}", messages.SUCCESS)

    def _log(self, request: HttpRequest, sort: str, name: str, message: str) -> None:
        self.log_change(request, QueueState.objects.get(**{sort: name}), message)

    def _back(self, request: HttpRequest, message: str, level: int) -> HttpResponse:
        self.message_user(request, message, level)
        return redirect("admin:tasks_app_queuestate_changelist")

    def _page(self, request: HttpRequest, template: str, **own: Any) -> TemplateResponse:
        context = {**self.admin_site.each_context(request), "opts": self.model._meta, "media": self.media, **own}
        return TemplateResponse(request, f"admin/tasks_app/queuestate/{template}", context)


def _lines() -> tuple[list[Line], list[Line]]:
    states = list(QueueState.objects.select_related("paused_by"))
    of_queue = {state.queue: state for state in states if state.queue}
    of_kind = {state.kind: state for state in states if state.kind}
    paused_kinds = {kind for kind, state in of_kind.items() if state.paused_at}
    queues = [Line("queue", queue.name, of_queue.get(queue.name), queue) for queue in figures()]
    kinds = [Line("kind", kind, of_kind.get(kind)) for kind in sorted(known_kinds() | paused_kinds)]
    return queues, kinds


def _target(request: HttpRequest, fields: QueryDict) -> tuple[str, str]:
    """What is to be paused or resumed: ("queue", its name) or ("kind", its name). Raises PermissionDenied, Http404."""
    if not request.user.has_perm(MAY_PAUSE):
        raise PermissionDenied
    for sort, known in (("queue", set(settings.TASK_QUEUES)), ("kind", known_kinds())):
        name = fields.get(sort, "")
        if name and (name in known or QueueState.objects.filter(**{sort: name}).exists()):
            return sort, name
    raise Http404("No such queue or kind.")
