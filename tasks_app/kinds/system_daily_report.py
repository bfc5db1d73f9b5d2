"""`system.daily_report`: what happened in the last day, to the operators by e-mail."""

from datetime import datetime
from typing import Any

from django.tasks import task

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Delivery
from tasks_app.monitoring.outbox import mail_operators
from tasks_app.work.context import Context

from .system_figures import DAY, report


# The stubs do not know that a backend may bring arguments of its own.
@task(  # type: ignore[call-overload,untyped-decorator]
    kind="system.daily_report",
    title="Daily report to the operators",
    queue_name="cpu",
    takes_context=True,
)
def report_daily(context: Context) -> str:
    """The text that was sent."""
    made = context.step("report", make)
    context.step("send", send, made)
    text: str = made["text"]
    return text


def make() -> dict[str, Any]:
    """{"subject", "text"}"""
    now = database_now()
    return {"subject": f"[Longhaul] Daily report of {now:%Y-%m-%d}", "text": report(now)}


def send(made: dict[str, Any]) -> int:
    """Returns to how many. A repeat after a crash, and a second report of the day, sends nothing."""
    now: datetime = database_now()
    if Delivery.objects.filter(subject=made["subject"], created_at__gt=now - DAY).exists():
        return 0
    return mail_operators(made["subject"], made["text"])
