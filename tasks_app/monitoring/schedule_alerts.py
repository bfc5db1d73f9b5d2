"""An alert while a schedule cannot make its task, for as long as there is one that tries."""

from typing import Any

from tasks_app.models import Alert, AlertRule, FiringOutcome, Schedule
from tasks_app.signals import schedule_fired

from .alerts import open_alert, resolve_alert, subject_of

# Of the kind whose tasks open and resolve the alert about the endpoint.
CHECKS_ENDPOINT = "system.check_endpoint"


def connect() -> None:
    schedule_fired.connect(_on_firing, dispatch_uid="monitoring.schedules")


def forget_those_without_a_schedule() -> int:
    """Resolve what no firing will resolve: its schedule is gone, has another name, or stands still."""
    going = list(Schedule.objects.going().values_list("name", "kind"))
    names, kinds = {subject_of(name) for name, _ in going}, {kind for _, kind in going}
    resolved = 0
    for rule, subject in Alert.objects.open().values_list("rule", "subject"):
        if rule == AlertRule.SCHEDULE and subject not in names:
            text = f"No schedule “{subject}” is going on any more."
            resolved += resolve_alert(AlertRule.SCHEDULE, subject, text)
        if rule == AlertRule.ENDPOINT and CHECKS_ENDPOINT not in kinds:
            resolved += resolve_alert(AlertRule.ENDPOINT, subject, "No schedule looks at it any more.")
    return resolved


def _on_firing(*, outcome: str, schedule: str, reason: str, **_: Any) -> None:
    if outcome == FiringOutcome.FAILED:
        open_alert(AlertRule.SCHEDULE, schedule, f"The schedule “{schedule}” could not make its task: {reason}")
    elif outcome == FiringOutcome.FIRED:
        resolve_alert(AlertRule.SCHEDULE, schedule, f"The schedule “{schedule}” made its task.")
