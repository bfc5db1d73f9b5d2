from typing import Any

from django.conf import settings

from tasks_app.models import Attempt, Outcome, Task

from .sizes import message
from .times import iso

MOST_ATTEMPTS = 50


def attempt_objects(task: Task) -> list[dict[str, Any]]:
    """The last 50 attempts of a task, in order, as API and page show them.

    `outcome`: None while it lasts. `counts`: None for one that was free, or lies before the last manual retry; else
    {"as": "attempt" or "lost", "number": 2, "of": 3}: the second of the three that may be spent, or may be lost.
    """
    found = list(Attempt.objects.filter(task=task).order_by("-number")[:MOST_ATTEMPTS])[::-1]
    counted = _counted_before(task, found[0].number) if found else {}
    return [_object(task, attempt, counted) for attempt in found]


def _counted_before(task: Task, number: int) -> dict[str, int]:
    earlier = Attempt.objects.filter(task=task, number__lt=number)
    return {"attempt": earlier.spent().count(), "lost": earlier.lost().count()}


def _object(task: Task, attempt: Attempt, counted: dict[str, int]) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "outcome": attempt.outcome or None,
        "started_at": iso(attempt.started_at),
        "finished_at": iso(attempt.finished_at),
        "counts": _counts(task, attempt, counted),
        "text": message(attempt.error_text),
    }


def _counts(task: Task, attempt: Attempt, counted: dict[str, int]) -> dict[str, Any] | None:
    """Raises the number in `counted`."""
    sort = _sort(task, attempt)
    if sort is None:
        return None
    counted[sort] += 1
    of = task.max_attempts if sort == "attempt" else settings.LONGHAUL_MAX_LOST_ATTEMPTS
    return {"as": sort, "number": counted[sort], "of": of}


def _sort(task: Task, attempt: Attempt) -> str | None:
    if attempt.number <= task.attempts_floor:
        return None
    if attempt.outcome == Outcome.LOST:
        return "lost"
    return "attempt" if attempt.spent else None
