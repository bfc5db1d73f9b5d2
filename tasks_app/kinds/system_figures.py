"""The daily report: plain text. Of tasks it names kind, code and id, and nothing that a user wrote."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum

from tasks_app.models import Alert, Firing, FiringOutcome, ModelCall, Task
from tasks_app.monitoring.samples import QueueFigures, figures
from tasks_app.text import one_line

DAY = timedelta(days=1)
SLOWEST, LINES = 5, 20
NOTHING = "nothing"


def report(now: datetime) -> str:
    """Of the day before `now`, in sections."""
    since = now - DAY
    sections = {
        "Finished tasks": _finished(since),
        "Slowest": _slowest(since),
        "Queues now": map(_queue, figures()),
        "Model calls of finished tasks": _calls(since),
        "Alerts": _alerts(since),
        "Due times of schedules that made no task": _firings(since),
    }
    head = f"From {since:%Y-%m-%d %H:%M} to {now:%Y-%m-%d %H:%M} UTC.\n"
    return "\n".join([head, *(_section(title, lines) for title, lines in sections.items())])


def _section(title: str, lines: Iterable[str]) -> str:
    shown = [f"  {one_line(line)}" for line in lines] or [f"  {NOTHING}"]
    return "\n".join([title, *shown, ""])


def _finished(since: datetime) -> Iterator[str]:
    groups = Task.objects.finished().filter(finished_at__gt=since).values_list("kind", "status", "error_code")
    for kind, status, code, count in groups.annotate(n=Count("*")).order_by("kind", "status", "error_code"):
        yield f"{count:>7}  {kind} {status}{f' as {code}' if code else ''}"


def _slowest(since: datetime) -> Iterator[str]:
    took = ExpressionWrapper(F("finished_at") - F("started_at"), output_field=DurationField())
    ended = Task.objects.finished().filter(finished_at__gt=since, started_at__isnull=False)
    rows = ended.annotate(took=took).order_by("-took").values_list("took", "kind", "status", "pk")[:SLOWEST]
    for span, kind, status, pk in rows:
        yield f"{_span(span)}  {kind} {status} {pk}"


def _queue(queue: QueueFigures) -> str:
    drain = "no end in sight" if queue.drain_minutes is None else f"done in {queue.drain_minutes:.0f} min"
    oldest = f", the oldest for {_span(timedelta(seconds=queue.oldest_seconds))}" if queue.depth else ""
    paused = f", paused: {queue.paused.reason}" if queue.paused else ""
    return f"{queue.name}: {queue.depth} waiting{oldest}, {drain}; {queue.running} at work{paused}"


def _calls(since: datetime) -> Iterator[str]:
    calls = ModelCall.objects.filter(task__in=Task.objects.finished().filter(finished_at__gt=since))
    sums: Any = (
        calls.order_by()
        .values("model_name")
        .annotate(n=Count("*"), prompt=Sum("prompt_tokens"), completion=Sum("completion_tokens"))
    )
    for row in sums.order_by("model_name"):
        yield f"{row['n']:>7}  {row['model_name']}: {row['prompt']} tokens read, {row['completion']} written"


def _alerts(since: datetime) -> Iterator[str]:
    recent = Alert.objects.filter(opened_at__gt=since) | Alert.objects.open()
    for alert in recent.order_by("-opened_at")[:LINES]:
        end = f"until {alert.resolved_at:%H:%M}" if alert.resolved_at else "still open"
        yield f"{alert.opened_at:%Y-%m-%d %H:%M}, {end}: {alert}: {alert.text}"


def _firings(since: datetime) -> Iterator[str]:
    without = Firing.objects.filter(fired_at__gt=since).exclude(outcome=FiringOutcome.FIRED)
    groups = without.values_list("schedule__name", "outcome").annotate(n=Count("*"))
    for name, outcome, count in groups.order_by("schedule__name", "outcome"):
        yield f"{count:>7}  {name}: {FiringOutcome(outcome).label.lower()}"


def _span(span: timedelta) -> str:
    return str(timedelta(seconds=round(span.total_seconds())))
