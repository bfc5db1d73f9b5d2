"""An alert while a schedule cannot make its task."""

from typing import Any

from tasks_app.models import AlertRule, FiringOutcome
from tasks_app.signals import schedule_fired

from .alerts import open_alert, resolve_alert


def connect() -> None:
    schedule_fired.connect(_on_firing, dispatch_uid="monitoring.schedules")


def _on_firing(*, outcome: str, schedule: str, reason: str, **_: Any) -> None:
    if outcome == FiringOutcome.FAILED:
        open_alert(AlertRule.SCHEDULE, schedule, f"The schedule “{schedule}” could not make its task: {reason}")
    elif outcome == FiringOutcome.FIRED:
        resolve_alert(AlertRule.SCHEDULE, schedule, f"The schedule “{schedule}” made its task.")
