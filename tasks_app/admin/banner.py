"""What is wrong or paused right now, above every page of the admin."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from tasks_app.models import Alert, QueueState
from tasks_app.models.queue import AlertQuerySet

# Of each sort; the lists hold all of them.
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Incident:
    """`url`: where to look; "" for who may not."""

    is_alert: bool
    what: str
    text: str
    since: datetime
    url: str


@dataclass(frozen=True, slots=True)
class Incidents:
    """`more`: those that are not shown."""

    shown: list[Incident]
    more: int


def incidents(request: HttpRequest) -> dict[str, Any]:
    """A context processor. Nothing is looked up until a template asks for it, and only the admin's do."""
    return {"incidents": SimpleLazyObject(lambda: _incidents(request))}


def _incidents(request: HttpRequest) -> Incidents:
    alerts = Alert.objects.open().order_by("-opened_at")
    paused = QueueState.objects.paused().select_related("paused_by").order_by("-paused_at")
    shown = [*_alerts(request, alerts), *_pauses(request, paused)]
    return Incidents(shown, alerts.count() + paused.count() - len(shown))


def _alerts(request: HttpRequest, alerts: AlertQuerySet) -> list[Incident]:
    may_look = request.user.has_perm("tasks_app.view_alert")
    return [
        Incident(
            is_alert=True,
            what=alert.get_rule_display(),
            text=alert.text,
            since=alert.opened_at,
            url=reverse("admin:tasks_app_alert_change", args=[alert.pk]) if may_look else "",
        )
        for alert in alerts[:MOST_SHOWN]
    ]


def _pauses(request: HttpRequest, paused: Any) -> list[Incident]:
    may_look = request.user.has_perm("tasks_app.view_queuestate")
    return [
        Incident(
            is_alert=False,
            what=f"Paused: {state}",
            text=f"by {state.paused_by.get_username()}: {state.reason}" if state.paused_by else state.reason,
            since=state.paused_at,
            url=reverse("admin:tasks_app_queuestate_changelist") if may_look else "",
        )
        for state in paused[:MOST_SHOWN]
    ]
